import Foundation

/// Cuts a stream of bytes, which arrives in chunks of any size, into lines that end in LF or CRLF.
///
/// Lines that lie within a chunk are handed on in place; only what a chunk leaves unfinished is copied. A line longer
/// than the limit is never kept: it is reported once, with its length, where it ends.
public struct LineCutter: Sendable {
    /// One line without its end.
    public enum Line {
        /// The bytes, valid within the call, and how many readable bytes follow them in memory.
        case text(UnsafeRawBufferPointer, padding: Int)
        /// Nothing but white space. CRLF alone is what a stream sends to show that it is alive.
        case blank(isKeepAlive: Bool)
        /// Longer than the limit: its length in bytes.
        case tooLong(Int)

        /// Whether it is a blank one.
        public var isBlank: Bool { if case .blank = self { true } else { false } }
    }

    /// The most bytes of a line, a CR counted.
    public let limit: Int
    /// Lines ended so far; the number of the last line handed on.
    public private(set) var count = 0
    /// Whether a line has begun that has not ended yet.
    public var isWithinLine: Bool { !unfinished.isEmpty || dropped > 0 }
    private var unfinished: [UInt8] = []
    private var dropped = 0

    /// Creates a cutter; the default limit is 1 MiB.
    public init(limit: Int = 1 << 20) {
        precondition(limit > 0)
        self.limit = limit
    }

    /// Takes the next chunk and hands on each line that it ends, with the line's number from 1.
    /// - Throws: What `take` throws; the rest of the chunk is lost then.
    public mutating func feed<Failure: Error>(
        _ chunk: UnsafeRawBufferPointer, _ take: (Int, Line) throws(Failure) -> Void
    ) throws(Failure) {
        guard let base = chunk.baseAddress else { return }
        var start = 0
        while start < chunk.count {
            guard let found = memchr(base + start, 0x0A, chunk.count - start) else {
                keep(UnsafeRawBufferPointer(rebasing: chunk[start...]))
                return
            }
            let end = UnsafeRawPointer(found) - base
            let line = UnsafeRawBufferPointer(rebasing: chunk[start..<end])
            try finish(line, padding: chunk.count - end, take)
            start = end + 1
        }
    }

    /// Hands on what follows the last line end, if anything does, and begins anew.
    public mutating func end<Failure: Error>(_ take: (Int, Line) throws(Failure) -> Void) throws(Failure) {
        if isWithinLine { try finish(UnsafeRawBufferPointer(start: nil, count: 0), padding: 0, take) }
        count = 0
    }

    private mutating func keep(_ rest: UnsafeRawBufferPointer) {
        if dropped > 0 || unfinished.count + rest.count > limit {
            dropped += unfinished.count + rest.count
            unfinished = []
        } else {
            unfinished.append(contentsOf: rest)
        }
    }

    private mutating func finish<Failure: Error>(
        _ rest: UnsafeRawBufferPointer, padding: Int, _ take: (Int, Line) throws(Failure) -> Void
    ) throws(Failure) {
        count += 1
        let length = dropped + unfinished.count + rest.count
        if dropped > 0 || length > limit {
            dropped = 0
            unfinished = []
            try take(count, .tooLong(length))
        } else if unfinished.isEmpty {
            try take(count, Self.line(rest, padding: padding))
        } else {
            unfinished.append(contentsOf: rest)
            defer { unfinished.removeAll(keepingCapacity: true) }
            let number = count
            try unfinished.withUnsafeBufferPointer { bytes throws(Failure) in
                try take(number, Self.line(UnsafeRawBufferPointer(bytes), padding: 0))
            }
        }
    }

    private static func line(_ bytes: UnsafeRawBufferPointer, padding: Int) -> Line {
        var end = bytes.count
        if end > 0, bytes[end - 1] == 0x0D { end -= 1 }
        if bytes[..<end].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
            return .blank(isKeepAlive: end == 0 && bytes.count == 1)
        }
        return .text(UnsafeRawBufferPointer(rebasing: bytes[..<end]), padding: padding + bytes.count - end)
    }
}
