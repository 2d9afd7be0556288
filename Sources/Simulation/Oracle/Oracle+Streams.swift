import Engine
import Foundation
import Model

// The messages of a stream, and when it may be opened again: promises 1, 5 and 6.
extension Oracle {
    /// The oracle's knowledge of a source's stream.
    struct Streaming {
        /// When it was opened, as uptime; nil: it is not open.
        var opened: Duration?
        /// By when it must be recorded again as open, as uptime.
        var noted: Duration?
        /// Why its last request failed; nil: it did not.
        var failure: Failure?
        /// Number of attempts in a row to open it again after failures of one sort.
        var attempts: (sort: Sort, count: Int) = (.broken, 0)
        /// Whether its lines are no longer stored.
        var isGivenUp = false

        /// A stream that was open for a minute begins anew with the shortest wait.
        mutating func settle(at now: Moment) {
            if let opened, now.uptime - opened >= .seconds(60) { attempts = (.broken, 0) }
        }

        /// A sort of failure with its own rules for opening again.
        enum Sort { case broken, error, limited }
    }

    /// X's least wait before opening a stream again: 250 ms more each time up to 16 s; doubled from 5 s up to 320 s; or
    /// doubled from 60 s up to 900 s.
    private static func wait(_ attempts: (sort: Streaming.Sort, count: Int)) -> Duration {
        switch attempts.sort {
        case .broken: min(.seconds(16), .milliseconds(250) * attempts.count)
        case .error: min(.seconds(320), .seconds(5) * (1 << min(attempts.count - 1, 10)))
        case .limited: min(.seconds(900), .seconds(60) * (1 << min(attempts.count - 1, 10)))
        }
    }

    /// How long a restart waits after the last attempt to open a stream that was open.
    private static let distance = Duration.seconds(60)

    // MARK: - Messages

    /// Lines reach the engine. They must be stored unless the stream is given up.
    func heard(_ id: FetchID, _ lines: Data, at now: Moment) throws {
        guard let order = streamRequests[id], let source = sources[order.source] else { return }
        let (document, isFarewell) = meaning(lines)
        trace.note(elapsed(now), "heard \(document.expectedEvents.count) messages, \(document.badItems) bad lines")
        delivered += document.expectedEvents.count
        if isFarewell { faults.hit(.streamEnd) }
        if document.badItems > 0 { faults.hit(.streamBadLine) }
        let said = source.said[order.request.url]?.expectedEvents ?? [:]
        if document.expectedEvents.contains(where: { said[Self.key($0.provider, $0.names[0])] != nil }) {
            faults.hit(.streamRepeat)
        }
        guard source.pollBegan != nil, !source.stream.isGivenUp else { return remember(document.expectedEvents) }
        var reply = WorldReply(.body(lines))
        reply.expectedEvents = document.expectedEvents
        reply.badItems = document.badItems
        batches[id, default: []].append(Pending(reply: reply, order: order))
    }

    /// Removes and returns the answer, or the batch of a stream, that a write stores.
    func taken(_ id: FetchID) -> Pending? {
        guard let batch = batches[id]?.first else { return pending.removeValue(forKey: id) }
        batches[id]?.removeFirst()
        return batch
    }

    /// A poll is given up: lines of its stream that are not stored yet may be lost.
    func abandoned(_ name: String, at now: Moment) {
        sources[name]?.stream.isGivenUp = true
        sources[name]?.stream.settle(at: now)
        sources[name]?.stream.opened = nil
        for (id, order) in streamRequests where order.source == name {
            for batch in batches.removeValue(forKey: id) ?? [] { remember(batch.reply.expectedEvents) }
        }
    }

    /// Whether the engine holds messages that are not stored yet.
    var holdsBatches: Bool { batches.values.contains { batch in batch.contains { !$0.reply.expectedEvents.isEmpty } } }

    /// Checks that all lines that reached the engine are stored.
    func checkBatches(at now: Moment) throws {
        guard let batch = batches.values.first(where: { !$0.isEmpty })?.first else { return }
        let names = batch.reply.expectedEvents.map(\.title)
        throw broken(1, "a batch of \(batch.order.source) is never stored: \(names)", at: now)
    }

    // MARK: - Opening

    /// Follows what the network reports of the stream or of the requests before it.
    func followStream(_ id: FetchID, _ input: Input, at now: Moment) {
        guard let name = streamRequests[id]?.source else { return }
        switch input {
        case .opened: sources[name]?.stream.opened = now.uptime
        case .failed(_, let failure, _):
            if sources[name]?.stream.opened != nil {
                if failure.hasCode(.reset) { faults.hit(.streamBreak) }
                if failure.hasCode(.stalled) { faults.hit(.streamSilence) }
            }
            sources[name]?.stream.failure = failure
        default: break
        }
    }

    /// An open stream is recorded, which is a success of its source.
    func noted(_ name: String, _ end: PollEnd, at now: Moment) throws {
        guard let source = sources[name], source.stream.opened != nil, end.failure == nil else {
            throw broken(5, "\(name) is noted as an open stream, and is none", at: now)
        }
        sources[name]?.lastSuccess = now.uptime
        sources[name]?.stream.noted = now.uptime + source.settings.refreshInterval
    }

    /// A poll begins; its stream is not open yet.
    func streamBegins(_ source: inout Source) {
        source.stream.opened = nil
        source.stream.noted = nil
        source.stream.failure = nil
        source.stream.isGivenUp = false
    }

    /// Checks that a stream whose poll has ended is opened again by the provider's rules.
    func checkReopening(_ source: inout Source, _ end: PollEnd, at now: Moment) throws {
        var stream = source.stream
        defer { source.stream = stream }
        guard end.dueReason != .stream else { return }
        stream.settle(at: now)
        // A failure with Retry-After counts as an attempt, too.
        guard end.dueReason == .reconnect || end.dueReason == .retryAfter else { return }
        // An orderly stop.
        if end.failure == nil, end.partialFailures.isEmpty { return }
        let status = stream.failure?.status ?? 0
        let sort: Streaming.Sort = status == 429 ? .limited : status >= 400 ? .error : .broken
        stream.attempts = (sort, sort == stream.attempts.sort ? stream.attempts.count + 1 : 1)
        guard end.dueReason == .reconnect else { return }
        let (least, wait) = (Self.wait(stream.attempts), source.due - now.uptime)
        guard wait >= least - .milliseconds(3), wait <= least * 1.2 + .milliseconds(3) else {
            let words = "after \(stream.failure?.code ?? "nothing"), attempt \(stream.attempts.count)"
            let name = source.settings.name
            let waits = "in \(wait.seconds) s, not in \(least.seconds) s"
            throw broken(6, "\(name) is opened again \(waits), \(words)", at: now)
        }
    }

    /// When a stream that was open at the end of a life is opened again, as uptime; nil: it was not open.
    func reopening(_ settings: SourceSettings, _ record: SourceRecord, at now: Moment) -> Duration? {
        let wasOpen = record.dueReason == .stream || (record.dueReason == .reconnect && record.nextDue == nil)
        guard wasOpen else { return nil }
        let again = record.lastAttempt.map { now.uptime(at: $0) + Self.distance } ?? .zero
        return max(now.uptime + settings.offset, min(again, now.uptime + Self.distance))
    }
}

extension SourceSettings {
    /// Whether the source holds a connection open.
    var isStream: Bool { options["mode"] == .text("stream") }
}
