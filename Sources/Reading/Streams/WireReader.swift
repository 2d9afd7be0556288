import Foundation

/// Bytes as they come from a descriptor, through one buffer of 256 KiB.
final class WireReader {
    /// What messages call it.
    let name: String
    /// Size of a regular file.
    let totalBytes: Int64?
    /// Bytes that have come so far.
    private(set) var count: Int64 = 0
    /// Whether no more will come.
    private(set) var isAtEnd = false
    /// Why `unread` failed, for callers that C code stands between.
    var failure: ReadingError?

    private let descriptor: Int32
    private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
    private var start = 0
    private var end = 0

    /// Takes the descriptor over: it is closed in the end.
    init(descriptor: Int32, name: String, totalBytes: Int64?) {
        self.descriptor = descriptor
        self.name = name
        self.totalBytes = totalBytes
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// Opens a file, a named pipe or a device.
    static func opening(_ path: String) throws(ReadingError) -> WireReader {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = errno
            close(descriptor)
            throw unreadable(path, error)
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        return WireReader(descriptor: descriptor, name: path, totalBytes: isFile ? Int64(status.st_size) : nil)
    }

    /// What has come and has not been consumed: at least one byte; none at the end. Valid until the next call.
    func unread() throws(ReadingError) -> UnsafeMutableBufferPointer<UInt8> {
        if start == end {
            start = 0
            end = 0
            try fill()
        }
        return UnsafeMutableBufferPointer(rebasing: buffer[start..<end])
    }

    /// Marks the first unread bytes as used.
    func consume(_ count: Int) { start += count }

    /// The first `count` unread bytes, or fewer when there are no more.
    func head(_ count: Int) throws(ReadingError) -> [UInt8] {
        if start > 0, end - start < count {
            if let base = buffer.baseAddress { memmove(base, base + start, end - start) }
            end -= start
            start = 0
        }
        while end - start < count, !isAtEnd { try fill() }
        return Array(buffer[start..<min(end, start + count)])
    }

    /// Reads to the end and forgets what it reads, so that the sender can finish.
    func drain() throws(ReadingError) {
        repeat {
            start = 0
            end = 0
            try fill()
        } while !isAtEnd
        start = end
    }

    private func fill() throws(ReadingError) {
        guard !isAtEnd else { return }
        while true {
            let more = read(descriptor, buffer.baseAddress.map { $0 + end }, buffer.count - end)
            if more < 0 && errno == EINTR { continue }
            guard more >= 0 else { throw Self.unreadable(name, errno) }
            isAtEnd = more == 0
            end += more
            count += Int64(more)
            return
        }
    }

    private static func unreadable(_ name: String, _ error: Int32) -> ReadingError {
        ReadingError(code: "unreadable", message: "\(name) cannot be read: \(String(cString: strerror(error)))")
    }
}
