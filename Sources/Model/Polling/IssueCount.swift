/// How often an issue occurred in a poll, and where it was first found.
public struct IssueCount: Sendable, Hashable {
    /// How often it occurred, 1 or more.
    public var items: Int
    /// The first one, as `FeedIssue.sample`; empty if a provider has deleted what it may quote.
    public var sample: String

    /// The most codes that are counted apart in a step of a poll; further ones count as `other`.
    static let mostCodes = 50

    /// Creates a count with these values, which are not checked.
    public init(items: Int, sample: String) {
        self.items = items
        self.sample = sample
    }
}

extension [String: IssueCount] {
    /// Counts an issue and returns its code.
    mutating func add(_ issue: FeedIssue) -> String {
        let code = self[issue.reason] != nil || count < IssueCount.mostCodes ? issue.reason : "other"
        self[code, default: IssueCount(items: 0, sample: issue.sample)].items += issue.times
        return code
    }

    /// The numbers by code.
    public var numbers: [String: Int] { mapValues(\.items) }
}

extension FeedIssue {
    /// What was found and where, on one line: `POSITION: found "FOUND"`, or the position alone. A URL has no query.
    public var sample: String { found.isEmpty ? position : "\(position): found \"\(foundWithoutQuery)\"" }

    /// `found`, a URL without its query, which may hold a key.
    public var foundWithoutQuery: String { found.contains("://") ? found.withoutQuery : found }
}

extension Sequence<FeedIssue> {
    /// The issues in their order, with those that differ by their position alone as one, at the first position.
    public var withoutRepetition: [FeedIssue] {
        var indices: [FeedIssue: Int] = [:]
        var issues: [FeedIssue] = []
        for issue in self {
            var words = issue
            (words.position, words.times) = ("", 1)
            if let index = indices[words] {
                issues[index].times += issue.times
            } else {
                indices[words] = issues.count
                issues.append(issue)
            }
        }
        return issues
    }
}
