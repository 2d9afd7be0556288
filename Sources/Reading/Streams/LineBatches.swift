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
        /// How many blank ones came between them.
        public var blanks = 0
        /// Lengths in bytes of the lines that were too long.
        public var tooLong: [Int] = []

        /// Whether it has nothing to be read.
        public var isEmpty: Bool { lines == 0 && tooLong.isEmpty }
    }

    private let mostLines: Int
    private let mostBytes: Int
    private var cutter: LineCutter
    private var begun = Batch()

    /// Begins with nothing.
    /// - Parameters:
    ///   - longestLine: The most bytes of a line; a longer one is passed over.
    ///   - mostLines: How many lines make a batch full; above zero.
    ///   - mostBytes: How many bytes do, however few lines they are.
    public init(longestLine: Int, mostLines: Int, mostBytes: Int = 1 << 20) {
        cutter = LineCutter(limit: longestLine)
        self.mostLines = mostLines
        self.mostBytes = mostBytes
    }

    /// Whether the begun batch has anything to be read.
    public var isEmpty: Bool { begun.isEmpty }

    /// Whether a line of any sort has come since the last batch, a blank one included.
    public var hasLine: Bool { !begun.isEmpty || begun.blanks > 0 }

    /// Takes the next chunk and returns the batches that it makes full.
    public mutating func feed(_ chunk: Data) -> [Batch] {
        var full: [Batch] = []
        var begun = release()
        let (mostLines, mostBytes) = (self.mostLines, self.mostBytes)
        chunk.withUnsafeBytes { bytes in
            cutter.feed(bytes) { _, line in
                switch line {
                case .blank: begun.blanks += 1
                case .tooLong(let length): begun.tooLong.append(length)
                case .text(let text, _):
                    begun.lines += 1
                    begun.data.append(contentsOf: text)
                    begun.data.append(0x0A)
                }
                if begun.lines + begun.tooLong.count >= mostLines || begun.data.count >= mostBytes {
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
}
