import Engine
import Foundation
import Model
import Store
import Telling

/// Reads the log of a desk, which must keep promise 16: what a watch accepts is told to each of its targets once, in
/// order, and corrected when it changes, or it is listed with the reason why not.
final class DeskOracle {
    private unowned let oracle: Oracle
    private let desk: Desk
    private let plan = Desk.settings([]).tellingPlan
    /// The first arrival of an id, and the first and last that were taken about an event, by target.
    private var letters: [String: Int] = [:]
    private var first: [String: Int] = [:]
    private var last: [String: Int] = [:]
    /// How each life of the daemon has ended, and when.
    private var deaths: [Int: (ending: Oracle.Ending, at: Duration)] = [:]
    /// Since when its tables know what was told, by the wall or in truth, whichever is later.
    private var since = Date.distantPast

    init(_ oracle: Oracle, _ desk: Desk) { (self.oracle, self.desk) = (oracle, desk) }

    private func broken(_ words: String, at now: Moment) -> Violation { oracle.broken(16, words, at: now) }

    /// Notes the end of a life.
    func died(_ ending: Oracle.Ending, at now: Moment) { deaths[desk.lives] = (ending, now.uptime) }

    /// Forgets what was told: the tables are gone, so the daemon does, too.
    func forget(at now: Moment) { (letters, first, last, since) = ([:], [:], [:], max(now.wall, oracle.truth(now))) }

    // MARK: - Each message

    /// Judges the newest arrival, which is the last one of the desk's log.
    func arrived(_ arrival: Desk.Arrival, at now: Moment) throws {
        let index = desk.arrivals.count - 1
        let name = "\(arrival.kind) \(arrival.id) to \(arrival.target)"
        oracle.trace.note(oracle.elapsed(now), "arrives \(name)")
        if let pause = desk.pauses[arrival.target], pause.life == arrival.life,
            now.uptime < pause.until - .seconds(1)
        {
            throw broken("\(name) leaves before the Retry-After is over", at: now)
        }
        try checkPace(arrival, name, at: now)
        try checkSleep(arrival, name, at: now)
        for subject in arrival.subjects { try checkWords(of: subject, in: arrival, name, at: now) }
        guard arrival.isTaken else { return }
        let key = "\(arrival.target) \(arrival.id)"
        if let known = letters[key], desk.arrivals[known].body != arrival.body {
            throw broken("\(name) comes again with other bytes", at: now)
        }
        let isRepeated = letters.updateValue(letters[key] ?? index, forKey: key) != nil
        for subject in arrival.subjects {
            let key = "\(arrival.target) \(subject.publicID)"
            if !isRepeated { try checkOrder(of: subject.publicID, in: arrival, name, at: now) }
            if arrival.isFirst { first[key] = index }
            last[key] = index
        }
    }

    /// One announcement of an event, unless nobody could know of the one before; numbers rise.
    private func checkOrder(of event: String, in arrival: Desk.Arrival, _ name: String, at now: Moment) throws {
        let key = "\(arrival.target) \(event)"
        // One that was split from another since is a new one.
        if arrival.isFirst, let index = first[key], isSurelyKnown(desk.arrivals[index]), !oracle.merges.contains(event)
        {
            throw broken("\(name) tells \(event) again", at: now)
        }
        guard let index = last[key], arrival.kind != "digest" else { return }
        let before = desk.arrivals[index]
        guard before.number < arrival.number else {
            throw broken("\(name) is message \(arrival.number) on \(event), after \(before.number)", at: now)
        }
    }

    /// Whether the daemon must know that a message was taken: it was told so, and has not died before it could store it.
    /// Its store may fail for two hours, and a loss of power may take what was stored in the last day.
    private func isSurelyKnown(_ arrival: Desk.Arrival) -> Bool {
        guard arrival.isAnswered else { return false }
        return (arrival.life..<max(desk.lives, arrival.life)).allSatisfy { life in
            guard let death = deaths[life] else { return true }
            let excuse = death.ending == .powerLoss ? Duration.seconds(86_400) : .seconds(3 * 3600)
            return death.at - arrival.at.uptime > excuse
        }
    }

    /// A target gets at most what its bucket holds and what flows into it, and one digest in that time.
    private func checkPace(_ arrival: Desk.Arrival, _ name: String, at now: Moment) throws {
        guard let target = plan.targets.first(where: { $0.id == arrival.target }) else {
            throw broken("\(name) is for nobody", at: now)
        }
        // Pace is kept by the wall clock.
        guard isSteady(for: target.period, now) else { return }
        let recent = desk.arrivals.dropLast().reversed().prefix {
            $0.life == arrival.life && $0.at.uptime > now.uptime - target.period
        }.filter { $0.target == arrival.target }
        guard recent.count < 2 * target.count else { throw broken("\(name) is one too many", at: now) }
        let isAnotherDigest = recent.contains { $0.kind == "digest" && $0.id != arrival.id && $0.isTaken }
        guard arrival.kind != "digest" || !isAnotherDigest else { throw broken("\(name) is one too many", at: now) }
    }

    /// Whether nobody has stepped the clock for this time.
    private func isSteady(for time: Duration, _ now: Moment) -> Bool {
        oracle.clockStepped.map { now.uptime - $0 > time } ?? true
    }

    /// Whether the daemon's clock is right, and has been for so long that it is trusted.
    private func isClockRight(_ now: Moment) -> Bool {
        isSteady(for: .seconds(7200), now) && abs(now.wall.timeIntervalSince(oracle.truth(now))) < 1
    }

    private func checkSleep(_ arrival: Desk.Arrival, _ name: String, at now: Moment) throws {
        guard arrival.target == "night", isClockRight(now), let sleep = Desk.sleep else { return }
        let magnitudes = [arrival.told].compactMap { $0 } + arrival.subjects.compactMap(\.magnitude)
        // Times are stored in whole milliseconds.
        guard sleep.end(at: now.wall + 0.001) != nil, sleep.end(at: now.wall - 60) != nil,
            magnitudes.allSatisfy({ $0 < sleep.magnitude ?? 99 })
        else { return }
        throw broken("\(name) leaves in quiet hours", at: now)
    }

    /// Nothing of what was there before the watch is news, and of erased events no word leaves.
    private func checkWords(
        of subject: Desk.Arrival.Subject, in arrival: Desk.Arrival, _ name: String, at now: Moment
    ) throws {
        var query = EventQuery()
        // The disk may refuse it.
        (query.publicIDs, query.withdrawn) = ([subject.publicID], .include)
        guard let event = (try? oracle.store.events(query))?.first else { return }
        // The first polls of earthquakes are over by then, and no second one has come.
        let isOld =
            event.event.category == .earthquake && !event.isFirstSeenProvisional
            && event.firstSeen < oracle.start.addingTimeInterval(300)
        if arrival.kind == "announced", arrival.reason == "new", isOld {
            throw broken("\(name) tells \(subject.publicID), which was there before", at: now)
        }
        if event.isErased, subject.hasWords, isClockRight(now), now.wall.timeIntervalSince(event.lastChanged) > 60 {
            throw broken("\(name) has words of \(subject.publicID), which is erased", at: now)
        }
    }

    // MARK: - The end

    /// Judges all events once everything was quiet for long: each is told or listed, and what was told last is so.
    func checkEnd(at now: Moment) throws {
        var query = EventQuery()
        (query.withdrawn, query.limit) = (.include, nil)
        let events = try oracle.store.events(query)
        for target in plan.targets where ["cms", "desk"].contains(target.id) {
            let listed = Set(
                try oracle.look("SELECT public_id FROM deliveries_v1 WHERE target = ?", target.id).compactMap(\.first))
            for event in events {
                let fit = Desk.strong.fit(event)
                let told = lastArrival(at: target.id, on: event.publicID)
                if told == nil, fit == .full, event.withdrawal == nil, event.firstSeen > since,
                    !listed.contains(event.publicID)
                {
                    throw broken("nobody knows why \(target.id) is not told of \(event.event.title)", at: now)
                }
                if let told, event.event.category == .earthquake {
                    try checkLast(told.arrival, of: told.magnitude, event, fit, at: now)
                }
            }
        }
    }

    /// What a target was told last of an event, perhaps under the id of one that was merged into it.
    private func lastArrival(at target: String, on event: String) -> (arrival: Desk.Arrival, magnitude: Double?)? {
        func arrival(_ id: String) -> (index: Int, magnitude: Double?)? {
            last["\(target) \(id)"].map { index in
                (index, desk.arrivals[index].subjects.first { $0.publicID == id }?.magnitude)
            }
        }
        if let found = arrival(event) { return (desk.arrivals[found.index], found.magnitude) }
        let merges = oracle.merges
        let gone = stride(from: 0, to: merges.count - 1, by: 2).filter { merges[$0 + 1] == event }.map { merges[$0] }
        return gone.compactMap(arrival).max { $0.index < $1.index }.map {
            (desk.arrivals[$0.index], $0.magnitude)
        }
    }

    private func checkLast(
        _ told: Desk.Arrival, of magnitude: Double?, _ event: StoredEvent, _ fit: WatchFilter.Fit, at now: Moment
    ) throws {
        let isEnded = told.kind == "ended"
        let name = "\(told.kind) \(told.id) is the last that \(told.target) is told of \(event.event.title)"
        if event.withdrawal != nil || fit == .none {
            guard isEnded else { throw broken("\(name), which is \(event.withdrawal?.reason ?? "too small")", at: now) }
            return
        }
        guard fit == .full || !isEnded else { return }
        guard !isEnded else { throw broken("\(name), which is there", at: now) }
        let said = magnitude ?? -99
        let difference = abs(said - (event.event.magnitude ?? -99))
        guard difference < Significance().magnitude - 1e-9 else {
            throw broken("\(name), as of magnitude \(said)", at: now)
        }
    }
}
