import Engine
import Foundation
import Model
import Serving
import Store

// Clients of the read API are told of each change once and in order, or that they must read anew: promise 15.
extension Oracle {
    /// Some clients read on, each until nothing more comes or its connection breaks.
    func serve(at now: Moment) throws {
        guard hasClients, !follower.isAsleep else { return }
        for index in readers.indices where asking.happens(0.05) { _ = try read(index, at: now) }
    }

    /// All clients read to the end. Then they must know the events that the store has for their filters.
    func catchUpClients(at now: Moment) throws {
        guard hasClients, !follower.isAsleep else { return }
        do {
            try compareClients(at: now)
        } catch let error as StoreError where error.isTemporary {
            // The next day's look compares them.
        }
    }

    private func compareClients(at now: Moment) throws {
        let erased = try erasedIDs()
        for index in readers.indices {
            var tries = 0
            while let isAtEnd = try read(index, at: now), !isAtEnd {
                tries += 1
                guard tries < 1000 else { throw broken(15, "a client of the API comes to no end", at: now) }
            }
            let reader = readers[index]
            // The disk has refused.
            guard reader.cursor == memory.newest, canRead else { return }
            let events = try events(for: reader).subtracting(erased)
            if let id = events.symmetricDifference(reader.held).min() {
                let words = events.contains(id) ? "does not know" : "still knows"
                throw broken(15, "the client of \(reader.filter) \(words) \(title(of: id))", at: now)
            }
        }
    }

    /// All clients begin anew, and the process that serves them, too, as after a loss of power.
    func beginServing() throws {
        guard hasClients else { return }
        hub = ChangeHub()
        for index in readers.indices { try beginAnew(&readers[index]) }
    }

    /// Whether the memory knows all changes, and the disk can be read.
    private var canRead: Bool { !hasMachineDied() && memory.newest == Int64(lastChange) }

    /// - Returns: Whether the client has read to the end; nil: the disk has refused.
    private func read(_ index: Int, at now: Moment) throws -> Bool? {
        guard canRead else { return nil }
        var reader = readers[index]
        defer { readers[index] = reader }
        do {
            return try reader.isStream ? readStream(&reader, at: now) : readPages(&reader, at: now)
        } catch let error as StoreError {
            guard error.isTemporary else { throw broken(15, "the changes cannot be served: \(error)", at: now) }
            return nil
        }
    }

    /// Public ids of the events that a client's filter selects.
    private func events(for reader: APIReader) throws -> Set<String> {
        var query = reader.query
        query.limit = nil
        return Set(try store.events(query).map(\.publicID))
    }

    private func beginAnew(_ reader: inout APIReader) throws {
        reader.begin(at: Int64(lastChange), with: try events(for: reader).subtracting(erasedIDs()))
    }

    // MARK: - Pages and streams

    private func readPages(_ reader: inout APIReader, at now: Moment) throws -> Bool? {
        while reader.cursor < memory.newest || asking.happens(0.1) {
            let query = "after=\(reader.cursor)&limit=\(1 + asking.below(40))&\(reader.filter)"
            let answer = api.answer(
                APIRequest(path: "/changes", query: query, headers: [:]), from: store, now: truth(now))
            guard case .whole(let body) = answer.body else { throw broken(15, "/changes has no body", at: now) }
            switch answer.status {
            case 200:
                let page = try APIReader.page(body)
                for change in page.changes { try take(change, &reader, at: now) }
                try pass(to: page.next, &reader, at: now)
                guard asking.happens(0.9) else { return false }
            case 410: try mustReadAnew(&reader, at: now)
            // The disk refuses.
            case 500...: return nil
            default: throw broken(15, "/changes?\(query) is answered \(answer.status)", at: now)
            }
        }
        return true
    }

    private func readStream(_ reader: inout APIReader, at now: Moment) throws -> Bool? {
        let time = truth(now)
        hub.commitNoticed(newest: Int64(lastChange))
        while true {
            guard var client = reader.client ?? connected(reader, at: now) else { return nil }
            let step = try client.next(from: store, hub: hub, now: time)
            reader.client = client
            switch step {
            case .wait:
                try pass(to: memory.newest, &reader, at: now)
                return true
            case .bytes(let bytes):
                // The connection breaks, perhaps within a message, or the socket takes nothing for a while.
                let isBroken = asking.happens(0.05)
                for message in try APIReader.messages(isBroken ? bytes.prefix(asking.below(bytes.count)) : bytes[...]) {
                    try take(message, &reader, at: now)
                }
                if isBroken { reader.client = nil }
                if isBroken || asking.happens(0.01) { return false }
            case .close(let bytes):
                guard let last = try APIReader.messages(bytes).last, case .gap = last else {
                    throw broken(15, "a stream ends without a gap", at: now)
                }
                try mustReadAnew(&reader, at: now)
            }
        }
    }

    private func connected(_ reader: APIReader, at now: Moment) -> StreamClient? {
        let answer = api.answer(
            APIRequest(
                path: "/stream", query: reader.filter, headers: ["last-event-id": "\(reader.cursor)"]),
            from: store, now: truth(now))
        guard case .stream(let client) = answer.body else { return nil }
        return client
    }

    /// A client is told that its cursor is too old; that must be so.
    private func mustReadAnew(_ reader: inout APIReader, at now: Moment) throws {
        let oldest = try look("SELECT min(seq) FROM change").first.flatMap { Int64($0[0]) } ?? Int64(lastChange) + 1
        guard reader.cursor < oldest - 1 || reader.cursor > Int64(lastChange) else {
            throw broken(15, "a client at change \(reader.cursor) must read anew, \(oldest) is kept", at: now)
        }
        try beginAnew(&reader)
    }

    // MARK: - Resets

    /// The record of then of a source that was reset with its events must begin with the reset.
    /// - Parameter change: The last change before the reset.
    func checkRecord(of name: String, resetAfter change: Int, at now: Moment) throws {
        guard hasClients, !hasMachineDied() else { return }
        do {
            let early = try look(
                """
                SELECT c.seq FROM change c JOIN change p ON p.seq = c.seq - 1
                WHERE c.seq > ? AND c.kind = 'truncated' AND c.at_ms < p.at_ms LIMIT 1
                """, "\(change)")
            guard early.isEmpty else {
                throw broken(15, "the reset of \(name) is logged with a time before the last change", at: now)
            }
            let record = try store.completeness().first { $0.name == name }
            guard let from = record?.completeFrom.milliseconds, from >= now.wall.milliseconds else {
                throw broken(15, "the record of \(name) begins before its reset", at: now)
            }
            for (moment, isWhole) in [(from - 1, false), (from, true)] {
                let query = "as_of=\(Date(milliseconds: moment).timestamp)&source=\(name)&limit=1"
                let answer = api.answer(
                    APIRequest(path: "/collections/events/items", query: query, headers: [:]), from: store,
                    now: Date(milliseconds: from))
                // The disk refuses.
                guard answer.status < 500 else { return }
                guard case .whole(let body) = answer.body,
                    String(decoding: body, as: UTF8.self).contains("\"complete\":\(isWhole)")
                else { throw broken(15, "the answer to \(query) is not complete: \(isWhole)", at: now) }
            }
        } catch let error as StoreError where error.isTemporary {
            // The disk has refused.
        }
    }

    // MARK: - Changes

    private func take(_ message: APIReader.Message, _ reader: inout APIReader, at now: Moment) throws {
        switch message {
        case .change(let change): try take(change, &reader, at: now)
        case .mark(let number): try pass(to: number, &reader, at: now)
        case .gap: throw broken(15, "a gap is told in a stream that goes on", at: now)
        }
    }

    private func take(_ told: APIReader.Told, _ reader: inout APIReader, at now: Moment) throws {
        guard told.number > reader.cursor else {
            throw broken(15, "change \(told.number) is told after \(reader.cursor)", at: now)
        }
        try pass(to: told.number - 1, &reader, at: now)
        reader.cursor = told.number
        if told.words == nil { reader.held.remove(told.id) } else { reader.held.insert(told.id) }
        guard let change = memory[told.number] else { return }
        guard change.id == told.id else {
            throw broken(15, "change \(told.number) is told of \(told.id), and is of \(change.id)", at: now)
        }
        guard !change.isEnd || told.words == nil && told.kind == change.kind.rawValue else {
            throw broken(15, "the end of \(told.id) is told as \(told.kind)", at: now)
        }
        // Nineteen later revisions may have left a gap, in which the state is not exact.
        guard let words = told.words, case .known(_, words: let known) = change.state, words != known,
            memory.changes(of: told.id, after: told.number).count < 19
        else { return }
        throw broken(15, "change \(told.number) is told with another state of \(title(of: told.id))", at: now)
    }

    /// Nothing is told of the changes up to a number, which only a filter or the event's end explains.
    private func pass(to number: Int64, _ reader: inout APIReader, at now: Moment) throws {
        guard number > reader.cursor else { return }
        var erased: Set<String>?
        for silent in (reader.cursor + 1)...number {
            guard let change = memory[silent] else { continue }
            guard !change.isEnd else { throw broken(15, "the end of \(change.id) is not told", at: now) }
            guard reader.hearsAll else { continue }
            let gone = try erased ?? erasedIDs()
            erased = gone
            guard !hasEnded(change.id, since: silent, gone) else { continue }
            throw broken(15, "change \(silent) of \(title(of: change.id)) is not told", at: now)
        }
        reader.cursor = number
    }
}
