import Foundation

/// Lines of a stream, one after the other, in one buffer; for tables with millions of them.
public final class LineReader {
    /// A line, without its end (LF or CRLF).
    public struct Line {
        /// Its bytes, valid until the next line is read; none when it is too long.
        public let bytes: UnsafeBufferPointer<UInt8>
        /// Whether it was longer than `longestLine`, and has been passed over.
        public let isTooLong: Bool
    }

    /// Bytes of the longest line that is given.
    public static let longestLine = 1 << 20

    /// Number of the last line, counted from 1.
    public private(set) var number = 0

    private let stream: ByteStream
    private let buffer: UnsafeMutablePointer<UInt8>
    private var start = 0
    private var end = 0
    private var isAtEnd = false

    private static let capacity = longestLine + 1 << 18

    /// Reads the lines of a stream.
    public init(_ stream: ByteStream) {
        self.stream = stream
        buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.capacity)
    }

    deinit { buffer.deallocate() }

    /// The first bytes that have not been read as lines yet: `count` (at most `longestLine`), or all if they are fewer.
    /// - Throws: What the stream throws.
    public func sample(_ count: Int) throws(ReadingError) -> [UInt8] {
        while end - start < min(count, Self.longestLine), !isAtEnd { try fill() }
        return Array(UnsafeBufferPointer(start: buffer + start, count: min(count, end - start)))
    }

    /// The next line; nil at the end.
    /// - Throws: What the stream throws.
    public func next() throws(ReadingError) -> Line? {
        var searched = start
        while true {
            if searched < end, let found = memchr(buffer + searched, 0x0A, end - searched) {
                let stop = found - UnsafeMutableRawPointer(buffer)
                return line(to: stop, next: stop + 1)
            }
            if isAtEnd { return start < end ? line(to: end, next: end) : nil }
            if end - start > Self.longestLine { return try passOver() }
            searched = end - start
            try fill()
            // `fill` has moved the beginning of the line to the front.
            searched += start
        }
    }

    private func line(to stop: Int, next: Int) -> Line {
        let first = start
        let isTooLong = stop - first > Self.longestLine
        let last = stop > first && buffer[stop - 1] == 0x0D ? stop - 1 : stop
        start = next
        number += 1
        let count = isTooLong ? 0 : last - first
        return Line(bytes: UnsafeBufferPointer(start: buffer + first, count: count), isTooLong: isTooLong)
    }

    /// Reads on to the end of a line that is too long.
    private func passOver() throws(ReadingError) -> Line {
        while true {
            start = end
            guard !isAtEnd else { break }
            try fill()
            if start < end, let found = memchr(buffer + start, 0x0A, end - start) {
                start = found - UnsafeMutableRawPointer(buffer) + 1
                break
            }
        }
        number += 1
        return Line(bytes: UnsafeBufferPointer(start: buffer, count: 0), isTooLong: true)
    }

    /// Moves what is left to the front and reads more behind it.
    private func fill() throws(ReadingError) {
        if start > 0 {
            memmove(buffer, buffer + start, end - start)
            end -= start
            start = 0
        }
        let count = try stream.read(
            into: UnsafeMutableRawBufferPointer(start: buffer + end, count: Self.capacity - end))
        isAtEnd = count == 0
        end += count
    }
}
