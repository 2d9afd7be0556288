/// The keys of facts in log lines; docs/logs.md lists the lines.
enum LogKey {
    static let source = "source"
    static let provider = "provider"
    static let due = "due"
    static let next = "next"
    static let nextReason = "next_reason"
    static let duration = "duration"
    static let new = "new"
    static let changed = "changed"
    static let unchanged = "unchanged"
    static let withdrawn = "withdrawn"
    static let merged = "merged"
    static let refused = "refused"
    static let bytes = "bytes"
    static let requests = "requests"
    static let notModified = "not_modified"
    static let error = "error"
    static let fault = "fault"
    static let detail = "detail"
    static let failures = "failures"
    static let downFor = "down_for"
    static let url = "url"
    static let until = "until"
    static let reason = "reason"
    static let position = "position"
    static let free = "free"
    static let floor = "floor"

    /// The order of facts in a line: what it is about, what came of it, what comes next. Keys that are not listed
    /// follow by name.
    static let order = [
        source, provider, error, fault, failures, detail, reason, new, changed, unchanged, withdrawn, merged, refused,
        bytes, requests, notModified, duration, downFor, url, position, due, until, next, nextReason,
    ]
}
