import Foundation

/// Splits a stream of bytes, which arrives in chunks of any size, into lines that end in LF or CRLF.
///
/// Lines inside a chunk are passed on in place; only an unfinished line is copied. A line beyond the limit is never
/// stored: its length is reported once, at its end.
public struct LineCutter: Sendable {
    /// One line without its end (LF or CRLF).
    public enum Line {
        /// The bytes, valid within the call, and the number of readable bytes after them in memory (`JSONParser` can
        /// use them).
        case text(UnsafeRawBufferPointer, padding: Int)
        /// Only spaces, tabs and CRs, or nothing. `isKeepAlive`: it is CRLF alone, which streams send as keep-alive.
        case blank(isKeepAlive: Bool)
        /// A line beyond the limit, with its length in bytes without LF; its bytes are lost.
        case tooLong(Int)

        /// Whether the line is `blank`, keep-alive or not.
        public var isBlank: Bool { if case .blank = self { true } else { false } }
    }

    /// The most bytes of a line, including a CR but not the LF; a line of just this length is passed on.
    public let limit: Int
    /// The number of lines that have ended since the start or the last `end`, blank and overlong ones included; the
    /// number of the last line.
    public private(set) var count = 0
    /// Whether a line has begun and not ended; its bytes so far are kept, unless it is overlong.
    public var isWithinLine: Bool { !unfinished.isEmpty || dropped > 0 }
    private var unfinished: [UInt8] = []
    private var dropped = 0

    /// Creates a cutter before line 1. The limit in bytes is above 0 (a precondition) and 1 MiB by default.
    public init(limit: Int = 1 << 20) {
        precondition(limit > 0)
        self.limit = limit
    }

    /// Reads the next chunk and passes each line that it ends to `take`, in order, with the line's number from 1.
    /// - Throws: The errors of `take`; the rest of the chunk is then lost.
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

    /// Passes an unterminated last line to `take`, if there is one, and starts over with line 1.
    /// - Throws: The errors of `take`; the cutter then does not start over with line 1.
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
