/// The keys of values in log lines; docs/logs.md lists the lines. Counts of 0 of a poll or a truncation
/// appear in JSON only.
package enum LogKey {
    /// The source's name.
    package static let source = "source"
    /// The geocoding service: `mapquest`, `nominatim`.
    package static let provider = "provider"
    /// When a poll was due; RFC 3339 in UTC. Of a poll's end in JSON only.
    package static let due = "due"
    /// When the source is due again; RFC 3339 in UTC.
    package static let next = "next"
    /// Why it is due then: `DueReason.rawValue`.
    package static let nextReason = "next_reason"
    /// How long it took: in text the two largest units (`388ms`, `26m21s`), in JSON seconds to the millisecond.
    package static let duration = "duration"
    /// Events of the poll that were stored for the first time.
    package static let new = "new"
    /// Events of the poll with a new revision.
    package static let changed = "changed"
    /// Events of the poll that were seen again without a difference.
    package static let unchanged = "unchanged"
    /// Events that the poll withdrew.
    package static let withdrawn = "withdrawn"
    /// Rows that the poll merged because they turned out to be one event.
    package static let merged = "merged"
    /// Items refused for a fault of their own, by a filter or by age, and documents given up.
    package static let refused = "refused"
    /// The issues of a poll's documents by their words (`FeedIssue.reason`): `bad_date 7, unknown_zone 1`.
    package static let issues = "issues"
    /// Bytes: of a poll those received on the wire, after compression; else the size of a copy or of the WAL.
    package static let bytes = "bytes"
    /// Requests that the poll made.
    package static let requests = "requests"
    /// How many of the requests were answered 304.
    package static let notModified = "not_modified"
    /// A failure's code, such as `timeout` or `http_503`; the messages of failed topics and documents where the poll as
    /// a whole succeeded; where no `Failure` is behind it, the error in words.
    package static let error = "error"
    /// Whose fault a failure is: `Failure.Fault.rawValue`.
    package static let fault = "fault"
    /// A sentence for people.
    package static let detail = "detail"
    /// Failed polls in a row.
    package static let failures = "failures"
    /// Failures of a source or service that began since the last line about one, and were not told.
    package static let leftOut = "left_out"
    /// How long a failure lasted that has ended, in the form of `duration`.
    package static let downFor = "down_for"
    /// How often an issue occurred in the documents of a poll, from 1 on.
    package static let times = "times"
    /// The host, with its port unless that is the scheme's own.
    package static let host = "host"
    /// A URL without its query.
    package static let url = "url"
    /// Until when polls pause, a poll is postponed or a service is left alone; RFC 3339 in UTC.
    package static let until = "until"
    /// Why: a sentence for people, the cause of a reload (`ReloadCause`) or the word of an issue (`FeedIssue.reason`).
    package static let reason = "reason"
    /// A part of a source (`Shortfall.part`).
    package static let part = "part"
    /// Since when; RFC 3339 in UTC.
    package static let since = "since"
    /// The position of an issue in a document (`FeedIssue.position`).
    package static let position = "position"
    /// Free disk space: in text whole MiB, in JSON bytes.
    package static let free = "free"
    /// The configured least disk space, in the form of `free`.
    package static let floor = "floor"

    /// The name of a watch.
    package static let watch = "watch"
    /// The target of messages, of mail with its recipient.
    package static let target = "target"
    /// The id of a message.
    package static let delivery = "delivery"
    /// The kind of a message (`MessageKind.rawValue`).
    package static let kind = "kind"
    /// Events that match a watch and are not told, because they were there before it.
    package static let passedOver = "passed_over"

    /// The order of keys in a line: the subject, the outcome, the next step. Keys that are not listed follow by name.
    static let order = [
        source, provider, watch, target, kind, delivery, passedOver, part, error, fault, failures, leftOut, detail,
        reason, new, changed, unchanged, withdrawn, merged, refused, bytes, requests, notModified, duration, downFor,
        url, position, since, due, until, next, nextReason,
    ]
}
