import Foundation

/// Bytes as they come from a descriptor or piece by piece, through one buffer of 256 KiB.
final class WireReader {
    /// Where the bytes come from.
    enum Source {
        /// Closed in the end.
        case descriptor(Int32)
        /// Gives the next piece; nil at the end.
        case pieces(() throws(ReadingError) -> Data?)
    }

    /// What messages call it.
    let name: String
    /// Bytes that will come altogether, where that is known.
    let totalBytes: Int64?
    /// Bytes that have come so far.
    private(set) var count: Int64 = 0
    /// Whether no more will come.
    private(set) var isAtEnd = false
    /// Why `unread` failed, for callers that C code stands between.
    var failure: ReadingError?

    private let source: Source
    /// What has come of a piece and found no room in the buffer.
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
