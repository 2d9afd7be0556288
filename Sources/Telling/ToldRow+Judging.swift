import Foundation
public import Model

/// An event as a change has left it.
public struct Sight: Sendable {
    /// The event, with the number of the change.
    public var event: StoredEvent
    /// The kind of the change.
    public var kind: EventChange.Kind
    /// Why the change is no news; nil: it may be.
    public var silence: Passed?
    /// The last change before each watch of the target began, by name.
    public var since: [String: Int64]
    /// How the event fits watches, by name; the others are asked.
    public var fits: [String: WatchFilter.Fit]

    public init(
        _ event: StoredEvent, _ kind: EventChange.Kind, silence: Passed? = nil, since: [String: Int64] = [:],
        fits: [String: WatchFilter.Fit] = [:]
    ) {
        (self.event, self.kind, self.silence, self.since, self.fits) = (event, kind, silence, since, fits)
    }

    /// How the event fits a watch.
    func fit(_ watch: Watch) -> WatchFilter.Fit { fits[watch.name] ?? watch.filter.fit(event) }

    /// Whether a watch began after a change.
    package func began(_ watch: String, after sequence: Int64) -> Bool { since[watch].map { $0 >= sequence } ?? false }
}

/// The times of telling.
package enum TellingPace {
    /// The least time between two messages about an event, so that the first solutions settle.
    static let gap = 120.0
    /// The gap once a target had `manyMessages` about the event. But for quiet hours nothing waits longer.
    package static let longGap = 6 * 3600.0
    static let manyMessages = 12
    /// How long an event must be missing before that is told.
    static let absence = 900.0
    /// A time further ahead is no news.
    static let ahead = 600.0
    /// What could not be sent within this time is passed over.
    package static let day = 86_400.0
    /// When what is due and cannot go is looked at again.
    package static let recheck = 60.0
}

extension ToldRow {
    /// The row after a change; nil: there is nothing to know about.
    ///
    /// It compares the present state with what the target was told last, not with the state before. So revisions,
    /// outages and messages that were not delivered coalesce by themselves, and slow drift adds up until it is told.
    /// - Parameters:
    ///   - row: The row before; nil: the target knows nothing of the event.
    ///   - watches: The watches of events that tell the target, in their order.
    public static func judge(_ row: ToldRow?, _ sight: Sight, watches: [Watch], at now: TellingTime) -> ToldRow? {
        guard var row else { return first(sight, watches, at: now) }
        let fits = watches.map { (watch: $0, fit: sight.fit($0)) }
        let best = (fits.first { $0.fit == .full } ?? fits.first { $0.fit == .almost })?.watch
        if let passed = row.passed {
            if sight.event.withdrawal != nil { return row }
            let isOther = best?.significance?.isSignificant(from: row.now, to: Said(sight.event.event)) ?? false
            if passed.isPassing || passed == .rejected && isOther { return first(sight, watches, at: now) ?? row }
            // A match that begins anew is news.
            return fits.contains { $0.fit != .none } ? row : nil
        }
        let isOrphan = !watches.contains { $0.name == row.watch } || sight.began(row.watch, after: row.sequence)
        row.now = Said(sight.event.event)
        (row.sequence, row.changed) = (sight.event.changeSequence, sight.event.lastChanged)
        if let best { row.watch = best.name }
        guard (row.sent ?? row.told) != nil else {
            // Not told yet, and what ends before that is never mentioned. Quiet hours may not hold for what it is now.
            row.wish?.due = now.wall
            if sight.event.withdrawal != nil { row.pass(.withdrawn) } else if best == nil { row.pass(.noLongerMatches) }
            return row
        }
        // Of what other conditions have told nothing more is said.
        if best == nil, isOrphan { return nil }
        if sight.silence == .correction || sight.silence == .seeding {
            // As if its place had been said; what waits for another reason goes on waiting.
            row.told?.coordinate = row.now.coordinate
            if row.wish == nil {
                row.isEnded = row.isEnded || best == nil
                return row
            }
        }
        let base = row.sent ?? row.told ?? row.now
        if let reason = sight.end(isMatch: best != nil) {
            if row.hasEnded { row.wish = nil } else { row.want(.ended, reason, at: now) }
        } else if row.hasEnded {
            let isFull = fits.contains { $0.fit == .full }
            if isFull { row.want(.restored, .again, at: now) } else { row.wish = nil }
        } else if let bounds = best?.significance, bounds.isSignificant(from: base, to: row.now) {
            row.want(.updated, .revised, at: now)
        } else {
            row.wish = nil
        }
        return row
    }

    /// The row of trouble of the program; nil: there is nothing to know about.
    public static func judge(
        _ row: ToldRow?, isPresent: Bool, watch: String, at now: TellingTime
    ) -> ToldRow? {
        let isTold = row?.told != nil || row?.sent != nil
        guard isPresent || isTold else { return nil }
        var row = row ?? ToldRow(watch: watch, changed: now.wall)
        if row.passed == .expired || row.passed == .rejected { return row }
        let kind = isPresent ? MessageKind.announced : .ended
        if isPresent == (isTold && !row.hasEnded) {
            row.wish = nil
        } else if row.wish?.kind != kind {
            row.want(kind, isPresent ? .health : .mended, at: now)
            (row.watch, row.passed, row.changed) = (watch, nil, now.wall)
        }
        return row
    }

    /// The row of an event that the target knows nothing of.
    private static func first(_ sight: Sight, _ watches: [Watch], at now: TellingTime) -> ToldRow? {
        guard sight.event.withdrawal == nil else { return nil }
        let fits = watches.lazy.filter { !sight.began($0.name, after: sight.event.changeSequence) }
            .map { (watch: $0, fit: sight.fit($0)) }
        let leader = fits.first { $0.fit == .full }
        // What is no news now is none either when its place is found.
        let known = leader ?? (sight.silence == nil ? nil : fits.first { $0.fit == .unplaced })
        guard let watch = known?.watch else { return nil }
        var row = ToldRow(sight.event, watch: watch.name)
        if let passed = sight.silence ?? watch.lateness(of: sight.event, at: now) {
            row.pass(passed)
        } else {
            row.want(.announced, sight.beginning, at: now)
        }
        return row
    }

    /// Takes back what waits, for good.
    mutating func pass(_ reason: Passed) { (passed, wish) = (reason, nil) }

    private mutating func want(_ kind: MessageKind, _ reason: Reason, at now: TellingTime) {
        let same = wish.flatMap { $0.kind == kind ? $0 : nil }
        var due = now.wall
        switch reason {
        case .absent: due = same?.reason == .absent ? same?.due ?? due : due + TellingPace.absence
        case .revised, .noLongerMatches, .again, .health, .mended:
            let gap = messages < TellingPace.manyMessages ? TellingPace.gap : TellingPace.longGap
            // A message of a clock that was ahead holds up nothing.
            due = max(due, last.map { min($0, now.wall) + gap } ?? due)
        default: break
        }
        wish = Wish(kind, reason, since: same?.since ?? now.wall, due: due)
    }
}

extension Watch {
    /// Why an event is no news by its time; nil: it is.
    func lateness(of stored: StoredEvent, at now: TellingTime) -> Passed? {
        guard now.isTrusted else { return nil }
        let age = now.wall.timeIntervalSince(stored.event.time ?? stored.firstSeen)
        if age > maximumAge.seconds { return .tooOld }
        // Alerts tell of what is to come.
        return age < -TellingPace.ahead && stored.event.category != .alert ? .ahead : nil
    }
}

extension Sight {
    /// Why an event is announced.
    fileprivate var beginning: Reason {
        switch kind {
        case .new: .new
        case .located: .located
        case .restored: .again
        default: .threshold
        }
    }

    /// Why a told event has ended; nil: it has not.
    fileprivate func end(isMatch: Bool) -> Reason? {
        if event.isErased { return .erased }
        if let withdrawal = event.withdrawal { return Reason(rawValue: withdrawal.reason) ?? .deleted }
        return isMatch ? nil : .noLongerMatches
    }
}
