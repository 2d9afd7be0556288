import Foundation

/// Bytes from a descriptor or in pieces, through one buffer of 256 KiB.
final class WireReader {
    /// The source of the bytes.
    enum Source {
        /// A descriptor, closed in the end.
        case descriptor(Int32)
        /// Returns the next piece; nil at the end.
        case pieces(() throws(ReadingError) -> Data?)
    }

    /// The name for messages.
    let name: String
    /// The number of all bytes; nil when it is unknown.
    let totalBytes: Int64?
    /// The number of bytes received so far.
    private(set) var count: Int64 = 0
    /// Whether the source has ended.
    private(set) var isAtEnd = false
    /// The error of `unread`, kept for callers behind C code.
    var failure: ReadingError?

    private let source: Source
    /// The part of a piece that the buffer has no room for.
    private var piece = Data()
    private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
    private var start = 0
    private var end = 0

    init(_ source: Source, name: String, totalBytes: Int64? = nil) {
        self.source = source
        self.name = name
        self.totalBytes = totalBytes
    }

    deinit {
        if case .descriptor(let descriptor) = source { close(descriptor) }
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
        return WireReader(.descriptor(descriptor), name: path, totalBytes: isFile ? Int64(status.st_size) : nil)
    }

    /// The received bytes that are not consumed, at least one; none at the end. They are valid until the next call.
    func unread() throws(ReadingError) -> UnsafeMutableBufferPointer<UInt8> {
        if start == end {
            start = 0
            end = 0
            try fill()
        }
        return UnsafeMutableBufferPointer(rebasing: buffer[start..<end])
    }

    /// Consumes the first unread bytes.
    func consume(_ count: Int) { start += count }

    /// The first `count` unread bytes, or fewer at the end.
    func head(_ count: Int) throws(ReadingError) -> [UInt8] {
        if start > 0, end - start < count {
            if let base = buffer.baseAddress { memmove(base, base + start, end - start) }
            end -= start
            start = 0
        }
        while end - start < count, !isAtEnd { try fill() }
        return Array(buffer[start..<min(end, start + count)])
    }

    /// Reads and discards everything to the end, so that the sender can finish.
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
        let room = UnsafeMutableBufferPointer(rebasing: buffer[end...])
        var more = 0
        switch source {
        case .descriptor(let descriptor):
            repeat {
                more = read(descriptor, room.baseAddress, room.count)
            } while more < 0 && errno == EINTR
            guard more >= 0 else { throw Self.unreadable(name, errno) }
        case .pieces(let next):
            while piece.isEmpty, let another = try next() { piece = another }
            more = min(piece.count, room.count)
            piece.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(room).copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<more]))
            }
            piece = piece.dropFirst(more)
        }
        isAtEnd = more == 0
        end += more
        count += Int64(more)
    }

    private static func unreadable(_ name: String, _ error: Int32) -> ReadingError {
        ReadingError(code: "unreadable", message: "\(name) cannot be read: \(String(cString: strerror(error)))")
    }
}
