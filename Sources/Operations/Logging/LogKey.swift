/// The keys of values in log lines; docs/logs.md lists the lines.
package enum LogKey {
    package static let source = "source"
    package static let provider = "provider"
    package static let due = "due"
    package static let next = "next"
    package static let nextReason = "next_reason"
    package static let duration = "duration"
    package static let new = "new"
    package static let changed = "changed"
    package static let unchanged = "unchanged"
    package static let withdrawn = "withdrawn"
    package static let merged = "merged"
    package static let refused = "refused"
    package static let bytes = "bytes"
    package static let requests = "requests"
    package static let notModified = "not_modified"
    package static let error = "error"
    package static let fault = "fault"
    package static let detail = "detail"
    package static let failures = "failures"
    package static let downFor = "down_for"
    package static let url = "url"
    package static let until = "until"
    package static let reason = "reason"
    package static let position = "position"
    package static let free = "free"
    package static let floor = "floor"

    /// The order of keys in a line: the subject, the outcome, the next step. Keys that are not listed follow by name.
    static let order = [
        source, provider, error, fault, failures, detail, reason, new, changed, unchanged, withdrawn, merged, refused,
        bytes, requests, notModified, duration, downFor, url, position, due, until, next, nextReason,
    ]
}
