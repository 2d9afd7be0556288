public import Model

/// What an attempt at a message has come to.
public struct DeliveryOutcome: Sendable, Hashable {
    /// What that means; the raw value is the word for people.
    public enum Verdict: String, Sendable {
        /// The target has taken it.
        case sent
        /// It did not reach the target.
        case unsent = "not sent"
        /// It may have reached the target.
        case perhaps = "perhaps sent"
        /// The target does not take this message for now.
        case deferred = "put off"
        /// The target takes nothing until its operator, or the reader's, acts.
        case refused
        /// The target does not take this message.
        case rejected
        /// The target says that it is gone for good.
        case gone
    }

    public var verdict: Verdict
    /// The target's status, or the word of the failure.
    public var code: String
    /// Why it was not sent, or may not have been; nil: it was.
    public var failure: Failure?

    /// Whether the target works, and has something against this message.
    public var isOfMessage: Bool { [.deferred, .rejected].contains(verdict) }

    /// A message that was sent, with the target's status.
    public init(sent code: String) { (verdict, self.code) = (.sent, code) }

    /// Judges a failed attempt.
    ///
    /// | answer | verdict |
    /// |---|---|
    /// | no name, no connection, no TLS, a missing secret; 425, 429 | unsent |
    /// | time-out, lost connection; 408, 5xx; SMTP: 4xx to others than recipient and message | perhaps |
    /// | SMTP 4xx to recipient or message (fault `server`) | deferred |
    /// | 3xx, 401, 403, 404, 407; SMTP: login, sender or STARTTLS refused (fault `operator`) | refused |
    /// | other 4xx; SMTP 5xx to recipient or message | rejected |
    /// | 410 | gone |
    ///
    /// - Parameter failure: Its status is that of HTTP, for mail that of SMTP.
    public init(_ failure: Failure, of kind: Target.Kind) {
        (code, self.failure) = (failure.code, failure)
        verdict =
            switch (failure.status ?? 0, kind) {
            case _ where failure.isUnsent || failure.hasCode(.secret): .unsent
            case _ where failure.fault == .operator: .refused
            case (500..., .mail): .rejected
            case (400..., .mail) where failure.fault == .server: .deferred
            case (_, .mail): .perhaps
            case (425, _), (429, _): .unsent
            case (408, _): .perhaps
            case (410, _): .gone
            case (300..<400, _), (401, _), (403, _), (404, _), (407, _): .refused
            case (400..<500, _): .rejected
            default: .perhaps
            }
    }
}
