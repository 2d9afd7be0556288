import Foundation
import Model
import Store

extension ReadAPI {
    /// The changes that `/changes` reads from the log when no `limit` is given, and the most.
    private static let (usualChanges, mostChanges): (Int64, Int64) = (256, 1000)
    /// The size at which a page of `/changes` ends, in bytes.
    private static let pageBytes = 1 << 20

    /// Answers `/changes`: what happened after a cursor, each change with its event as it was then.
    ///
    /// `after` is the last change that the client knows; without it the page begins with the oldest one kept. `limit`
    /// counts changes of the log, 1 to 1000 (256); the filter may leave fewer, also none. The client goes on after
    /// `next` until it equals `newest`.
    /// - Throws: `Problem`, with status 410 for a cursor that is too old or ahead of the log; `StoreError`.
    func changesAnswer(_ request: APIRequest) throws -> Reply {
        var parameters = try Parameters(request)
        let after = try parameters.takeWhole("after", in: 0...Int64.max)
        let limit = Int(try parameters.takeWhole("limit", in: 1...Self.mostChanges) ?? Self.usualChanges)
        let query = try EventParameters.query(&parameters, in: nil)
        try parameters.end()
        return .read { store in
            try checkNames(of: query, in: store)
            return try Self.changes(after: after, limit: limit, query, from: store)
        }
    }

    /// The changes whose events are in memory at a time.
    private static let stepsAtOnce = 16

    private static func changes(
        after: Int64?, limit: Int, _ query: EventQuery, from store: EventStore
    ) throws -> APIAnswer {
        let feed = ChangeFeed(of: store)
        let log = try feed.next(after: after, limit: limit)
        guard !log.isTooOld else { throw gone(after ?? 0, log) }
        var body = Array("{\"changes\":[".utf8)
        var next = after ?? log.oldest - 1
        var isFirst = true
        let filter = EventMatcher(query)
        var rest = log.changes[...]
        // A page that would cost too much is shorter, and the client goes on behind it.
        while !rest.isEmpty, body.count < pageBytes, rest.count == log.changes.count || !store.isHalfSpent {
            for step in try feed.steps(rest.prefix(Self.stepsAtOnce)) {
                try store.checkBudget()
                next = step.change.sequence
                guard let text = step.json(ComparedStep(step).telling(to: filter)) else { continue }
                if !isFirst { body.append(UInt8(ascii: ",")) }
                isFirst = false
                body.append(contentsOf: text.utf8)
            }
            rest = rest.dropFirst(Self.stepsAtOnce)
        }
        body.append(contentsOf: "],\"next\":\(next),\"oldest\":\(log.oldest),\"newest\":\(log.newest)}".utf8)
        // Messages of people may be among the changes.
        return APIAnswer(
            headers: [(name: "content-type", value: MediaType.json), (name: "cache-control", value: "no-store")],
            body: .whole(body))
    }

    /// Answers `/stream`: changes as server-sent events, from `Last-Event-ID` or `after` on, else from now on.
    ///
    /// A browser that connects again repeats its address with the `after` of its first request, so the header counts.
    /// - Throws: `Problem`; a cursor that is too old is none, since a browser would not show it: the stream says `gap`.
    func streamAnswer(_ request: APIRequest, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        let after = try parameters.takeWhole("after", in: 0...Int64.max)
        let cursor = try Self.lastEventID(of: request) ?? after
        let query = try EventParameters.query(&parameters, in: nil)
        try parameters.end()
        let answer = APIAnswer(
            headers: [
                (name: "content-type", value: "text/event-stream"), (name: "cache-control", value: "no-store"),
                // nginx passes each message on at once.
                (name: "x-accel-buffering", value: "no"),
            ], body: .stream(StreamClient(program: program, query: query, after: cursor, now: now)))
        let names = query.sources + query.providers + query.categories.map(\.rawValue)
        guard !names.isEmpty else { return .answer(answer) }
        return .read { store in
            try checkNames(of: query, in: store)
            return answer
        }
    }

    // MARK: - Cursors

    /// The number in the field `Last-Event-ID`; nil if it is missing or empty.
    private static func lastEventID(of request: APIRequest) throws(Problem) -> Int64? {
        guard let text = request.headers["last-event-id"], !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else {
            throw .parameter("Last-Event-ID", found: text, accepted: "the number of a change")
        }
        return number
    }

    private static func gone(_ cursor: Int64, _ log: ChangePage) -> Problem {
        Problem(
            status: 410, type: "/problems/cursor", title: "The cursor is not in the log",
            detail: "read the events again, then go on with after=\(log.newest)", parameter: "after",
            found: "\(cursor)", accepted: "\(log.oldest - 1) to \(log.newest)")
    }
}
