public import Foundation
public import Model
import Reading

/// Reads Twitter's JSON lines piece by piece. Its memory does not grow with the file.
///
/// Blank lines are skipped. A faulty line, or one of more than 16 MiB, becomes an issue. For one thread at a time.
public struct TwitterStream {
    private let parser = JSONParser()
    private var lines = LineCutter(limit: TwitterBody.longestLine)
    private var hasUnderstood = false

    /// The size of the sample for `init` in bytes: 1 MiB; the first line should end within it.
    public static let sampleSize = TwitterBody.smallBody

    /// Begins a stream; nil when the beginning is not JSON lines, so the document must be read whole.
    /// - Parameter beginning: The first `sampleSize` bytes, or all if there are fewer. They are only examined: `feed`
    ///   needs them, too.
    public init?(beginning: Data) {
        let parser = parser
        guard beginning.withUnsafeBytes({ TwitterBody.beginsWithLines($0, parser) }) else { return nil }
    }

    /// Reads the next bytes, cut anywhere, and returns the events, withdrawals and issues of the lines they complete.
    public mutating func feed(_ piece: Data) -> FeedAnswer {
        piece.withUnsafeBytes { bytes in
            decode { lines, take in lines.feed(bytes, take) }
        }
    }

    /// Returns the events of an unterminated last line, an empty answer without one; to be called once, at the end.
    ///
    /// - Throws: `Failure` with fault `feed` and code `not_twitter` when no line contained a Twitter message.
    public mutating func finish() throws(Failure) -> FeedAnswer {
        let answer = decode { lines, take in lines.end(take) }
        guard hasUnderstood else { throw .feed("not_twitter", "no line holds a Twitter message") }
        return answer
    }

    private mutating func decode(_ body: (inout LineCutter, (Int, LineCutter.Line) -> Void) -> Void) -> FeedAnswer {
        var decoder = TwitterDecoder()
        body(&lines) { decoder.read($1, number: $0, limit: TwitterBody.longestLine, with: parser) }
        hasUnderstood = hasUnderstood || decoder.understood > 0
        return decoder.finish()
    }
}
