public import Foundation

/// Gathers the lines of a stream, which arrives in chunks of any size, into batches of whole lines.
///
/// It holds no more than one unfinished line and one begun batch.
public struct LineBatches: Sendable {
    /// Lines to be read together.
    public struct Batch: Sendable {
        /// The lines, each with an LF at its end; blank ones and those that were too long are left out.
        public var data = Data()
        /// How many they are.
        public var lines = 0
        /// How many keep-alives came between them: lines of CRLF alone.
        public var keepAlives = 0
        /// Lengths in bytes of the lines that were too long.
        public var tooLong: [Int] = []

        /// Whether it has nothing to be read.
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

    /// Begins with nothing.
    /// - Parameters:
    ///   - longestLine: The most bytes of a line; a longer one is passed over.
    ///   - maximumLines: How many lines make a batch full; above zero.
    ///   - maximumBytes: How many bytes do, however few lines they are.
    public init(longestLine: Int, maximumLines: Int, maximumBytes: Int = 1 << 20) {
        cutter = LineCutter(limit: longestLine)
        self.maximumLines = maximumLines
        self.maximumBytes = maximumBytes
    }

    /// Whether the begun batch has anything to be read.
    public var isEmpty: Bool { begun.isEmpty }

    /// Whether keep-alives, and nothing behind them yet, are all that has come since the last batch.
    public var isKeptAlive: Bool { begun.isEmpty && begun.keepAlives > 0 && !cutter.isWithinLine }

    /// Takes the next chunk and returns the batches that it makes full.
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

    /// Gives the begun batch away and begins another.
    public mutating func release() -> Batch {
        defer { begun = Batch() }
        return begun
    }

    /// Gives the begun batch away with what follows the last line end.
    public mutating func end() -> Batch {
        var last = release()
        cutter.end { _, line in last.add(line) }
        return last
    }
}
