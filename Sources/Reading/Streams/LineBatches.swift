public import Foundation

/// Collects the lines of a stream, which arrives in chunks of any size, into batches of whole lines.
///
/// It holds at most one unfinished line and one batch.
public struct LineBatches: Sendable {
    /// Lines that are read together, and counts of what came with them.
    public struct Batch: Sendable {
        /// The lines in their order, each followed by LF (a CR before it is removed), without blank and overlong ones.
        public var data = Data()
        /// The number of lines in `data`, from 0.
        public var lines = 0
        /// The number of keep-alives among the lines, which are lines of only CRLF.
        public var keepAlives = 0
        /// The lengths of overlong lines in bytes, in their order; the lines themselves are lost.
        public var tooLong: [Int] = []

        /// Whether the batch has neither lines nor overlong ones; it may have keep-alives.
        public var isEmpty: Bool { lines == 0 && tooLong.isEmpty }

        fileprivate mutating func add(_ line: LineCutter.Line) {
            switch line {
            case .blank(let isKeepAlive): if isKeepAlive { keepAlives += 1 }
            case .tooLong(let length): tooLong.append(length)
            case .text(let text, _):
                lines += 1
                data.append(contentsOf: text)
                data.append(0x0A)
            }
        }
    }

    private let maximumLines: Int
    private let maximumBytes: Int
    private var cutter: LineCutter
    private var begun = Batch()

    /// Begins empty.
    /// - Parameters:
    ///   - longestLine: The most bytes of a line, above 0; a longer one is skipped and reported in `tooLong`.
    ///   - maximumLines: The number of lines, overlong ones included, that completes a batch; above 0.
    ///   - maximumBytes: The number of bytes that completes a batch, which the last line may exceed; 1 MiB by default.
    public init(longestLine: Int, maximumLines: Int, maximumBytes: Int = 1 << 20) {
        cutter = LineCutter(limit: longestLine)
        self.maximumLines = maximumLines
        self.maximumBytes = maximumBytes
    }

    /// Whether the current batch has neither lines nor overlong ones; a line may have begun.
    public var isEmpty: Bool { begun.isEmpty }

    /// Whether only keep-alives have arrived since the last batch, with no line begun after them.
    public var isKeptAlive: Bool { begun.isEmpty && begun.keepAlives > 0 && !cutter.isWithinLine }

    /// Reads the next chunk, of any size, and returns the batches that it completes, in order; often none.
    public mutating func feed(_ chunk: Data) -> [Batch] {
        var full: [Batch] = []
        var begun = release()
        let (maximumLines, maximumBytes) = (self.maximumLines, self.maximumBytes)
        chunk.withUnsafeBytes { bytes in
            cutter.feed(bytes) { _, line in
                begun.add(line)
                if begun.lines + begun.tooLong.count >= maximumLines || begun.data.count >= maximumBytes {
                    full.append(begun)
                    begun = Batch()
                }
            }
        }
        self.begun = begun
        return full
    }

    /// Returns the current batch, full, partial or empty, and begins another. An unfinished line stays for the next
    /// one.
    public mutating func release() -> Batch {
        defer { begun = Batch() }
        return begun
    }

    /// Returns the current batch with the unterminated last line, if there is one; may be empty. The next chunk begins
    /// a new stream.
    public mutating func end() -> Batch {
        var last = release()
        cutter.end { _, line in last.add(line) }
        return last
    }
}
