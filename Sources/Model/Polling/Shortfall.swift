public import Foundation

/// A part of a source of which nothing is recorded, although the source's polls succeed.
public struct Shortfall: Sendable, Hashable, Codable {
    /// The part in words, one of a kind within its source: `topic NAME`, `the list` of a source without topics (its
    /// index, or the pages of a search), `documents` or `documents of NAME`, or `items`.
    public var part: String
    /// Wall time of the first poll in a row that brought nothing of the part.
    public var since: Date
    /// Why not, by the last poll that asked for it, in words for people. No URL in it has a query.
    public var words: String
    /// Whether it has lasted beyond its tolerance, so that the log has told of it; default false.
    public var isTold = false

    /// The part of lists without a topic.
    public static let list = "the list"
    /// The part of documents without a topic.
    public static let documents = "documents"
    /// The part of all items of the documents read.
    public static let items = "items"

    /// Creates a shortfall that is not told yet; the values are not checked.
    public init(part: String, since: Date, words: String) {
        self.part = part
        self.since = since
        self.words = words
    }

    /// From when on it is late: a tolerance after its first poll.
    /// - Parameter interval: From one poll of the source to the next.
    public func lateFrom(every interval: Duration) -> Date { since.addingTimeInterval(interval.tolerance.seconds) }
}

extension Duration {
    /// The shortest tolerance of a periodic action: 15 min.
    public static let leastTolerance = Duration.seconds(15 * 60)
    /// The longest tolerance of a periodic action: a day.
    public static let mostTolerance = Duration.seconds(24 * 3600)

    /// How late an action of this interval may be: one more interval, 15 min at least and a day at most.
    ///
    /// Within this time a failing source is tried at least four times.
    public var tolerance: Duration { min(max(self, .leastTolerance), .mostTolerance) }
}
