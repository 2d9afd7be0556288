import Foundation
public import Model
public import Reading

extension Feed {
    /// As `decode(_:for:)`, within a limit of CPU time.
    /// - Throws: `Failure` with fault `feed` and code `too_slow` if the document takes more; else as `decode(_:for:)`.
    public func decode(
        _ response: FeedResponse, for poll: PollContext, within limit: WorkLimit
    ) throws(Failure) -> FeedAnswer {
        let answer = WorkLimit.$current.withValue(limit) {
            Result { () throws(Failure) in try decode(response, for: poll) }
        }
        guard !limit.isExceeded else {
            throw .feed(
                Failure.Code.tooSlow.rawValue, "The document takes more than \(limit.limit.compact) of CPU time.",
                body: response.body)
        }
        return try answer.get()
    }
}
