public import Foundation
import Glibc

/// How files are read; tests hand in their own.
public struct FileReading: Sendable {
    /// The content of the file at a path; throws `FileReadingError` where it can say why not.
    public var contents: @Sendable (_ path: String) throws -> Data

    /// Creates a way of reading files.
    public init(contents: @escaping @Sendable (_ path: String) throws -> Data) { self.contents = contents }

    /// Reads from the disk, at most 4 MiB; waits for a pipe's writer.
    public static let disk = FileReading { path in try FileReading.read(path, flags: 0) }

    /// Reads from the disk, at most 4 MiB, but refuses pipes and devices, which may keep the reader waiting for ever.
    public static let ordinary = FileReading { path in try FileReading.read(path, flags: O_NONBLOCK) }

    private static func read(_ path: String, flags: Int32) throws(FileReadingError) -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw FileReadingError(errno: errno) }
        defer { close(descriptor) }
        if flags & O_NONBLOCK != 0 {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileReadingError(errno: errno) }
            // A folder says itself what it is.
            guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
                throw FileReadingError("it is no ordinary file")
            }
        }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw FileReadingError(errno: errno)
            }
            if count == 0 { return data }
            data.append(contentsOf: buffer[..<count])
            if data.count > 4 << 20 { throw FileReadingError("larger than 4 MiB") }
        }
    }

    /// Why a file could not be read, in words.
    static func reason(_ error: any Error) -> String { (error as? FileReadingError)?.reason ?? "it cannot be read" }

    /// Whether it may be readable in a moment.
    static func isTransient(_ error: any Error) -> Bool { (error as? FileReadingError)?.isTransient ?? false }
}

/// Why a file could not be read.
public struct FileReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason in words, such as `No such file or directory`.
    public var reason: String
    /// Whether it may be readable in a moment: this machine is short of descriptors or memory, or its disk fails.
    public var isTransient: Bool

    /// Creates an error from words.
    public init(_ reason: String, isTransient: Bool = false) {
        self.reason = reason
        self.isTransient = isTransient
    }

    /// Creates an error from a number of errno(3).
    init(errno: Int32) {
        self.init(String(cString: strerror(errno)), isTransient: [EMFILE, ENFILE, ENOMEM, EIO].contains(errno))
    }

    public var description: String { reason }
}
