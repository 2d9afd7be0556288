public import Foundation
public import Model
import Reading

/// Reads JSON lines of Twitter's piece by piece, in memory that does not grow with the file.
public struct TwitterStream {
    private let parser = JSONParser()
    private var lines = LineCutter(limit: TwitterBody.longestLine)
    private var hasUnderstood = false

    /// How many bytes of the beginning are looked at; in these a first line should end.
    public static let sampleSize = TwitterBody.smallBody

    /// Begins a stream, or returns nil when a document with this beginning is not JSON lines and must be read whole.
    public init?(beginning: Data) {
        let parser = parser
        guard beginning.withUnsafeBytes({ TwitterBody.beginsWithLines($0, parser) }) else { return nil }
    }

    /// Takes the next bytes, cut anywhere, and returns what the lines that they end have brought.
    public mutating func feed(_ piece: Data) -> FeedAnswer {
        piece.withUnsafeBytes { bytes in
            decode { lines, take in lines.feed(bytes, take) }
        }
    }

    /// Returns what the last line has brought, if it lacks its end.
    ///
    /// - Throws: `Failure` (fault `feed`) when no line held anything from Twitter.
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
