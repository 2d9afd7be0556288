public import Foundation
import Glibc

/// Reads configuration and secret files; tests supply their own function.
public struct FileReading: Sendable {
    /// Returns the whole content of the file at a path; blocks its thread. Throws `FileReadingError` if the reason is
    /// known; any other error counts as permanent, without a reason.
    public var contents: @Sendable (_ path: String) throws -> Data

    /// Creates a reader from a function, which may be called on any thread.
    public init(contents: @escaping @Sendable (_ path: String) throws -> Data) { self.contents = contents }

    /// Reads files of at most 4 MiB from the disk, pipes as well; blocks until the writer of a pipe closes it. Throws
    /// `FileReadingError`, also for a pipe that is empty and has no writer.
    public static let disk = FileReading { path in try FileReading.read(path, takesPipes: true) }

    /// Reads regular files of at most 4 MiB from the disk. Throws `FileReadingError`, also for pipes and devices, which
    /// could block for ever.
    public static let ordinary = FileReading { path in try FileReading.read(path, takesPipes: false) }

    /// Reads regular files of at most so many MiB from the disk, as `ordinary`.
    public static func regularFiles(atMostMiB most: Int) -> FileReading {
        FileReading { path in try FileReading.read(path, takesPipes: false, atMostMiB: most) }
    }

    private static func read(
        _ path: String, takesPipes: Bool, atMostMiB most: Int = 4
    ) throws(FileReadingError) -> Data {
        // Without O_NONBLOCK, open(2) would wait for a writer of a pipe (fifo(7)).
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileReadingError(errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileReadingError(errno: errno) }
        let kind = status.st_mode & S_IFMT
        // A folder passes: read(2) reports it as one.
        guard takesPipes || [S_IFREG, S_IFDIR].contains(kind) else { throw FileReadingError("it is no ordinary file") }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                let error = errno
                // The pipe has a writer that has not written yet.
                if error == EAGAIN { waitForContent(of: descriptor) }
                if [EAGAIN, EINTR].contains(error) { continue }
                throw FileReadingError(errno: error)
            }
            if count == 0 {
                guard kind != S_IFIFO || !data.isEmpty else {
                    throw FileReadingError("it is an empty pipe, to which no program writes")
                }
                return data
            }
            data.append(contentsOf: buffer[..<count])
            if data.count > most << 20 { throw FileReadingError("larger than \(most) MiB") }
        }
    }

    private static func waitForContent(of descriptor: Int32) {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&wanted, 1, -1)
    }

    /// The reason of an error as a phrase; a generic one for other error types.
    static func reason(_ error: any Error) -> String { (error as? FileReadingError)?.reason ?? "it cannot be read" }

    /// Whether a later attempt may succeed; false for other error types.
    static func isTransient(_ error: any Error) -> Bool { (error as? FileReadingError)?.isTransient ?? false }
}

/// Why a file could not be read.
public struct FileReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason as a phrase, such as `No such file or directory` or `it is no ordinary file`.
    public var reason: String
    /// Whether a later attempt may succeed: this process or machine is out of descriptors or memory, or its disk fails
    /// (EMFILE, ENFILE, ENOMEM, EIO).
    public var isTransient: Bool

    /// Creates an error; by default a later attempt fails as well.
    public init(_ reason: String, isTransient: Bool = false) {
        self.reason = reason
        self.isTransient = isTransient
    }

    /// Creates an error from an errno(3) value.
    init(errno: Int32) {
        self.init(String(cString: strerror(errno)), isTransient: [EMFILE, ENFILE, ENOMEM, EIO].contains(errno))
    }

    /// The reason alone.
    public var description: String { reason }
}
