import Foundation

/// The schedule of a simulation's faults, drawn from its seed, and the number of those that have occurred.
final class Faults {
    /// A span of time in which a host or the geocoding service shows one fault.
    struct Spell {
        var host: String
        var kind: FaultKind
        var span: ClosedRange<Date>
        /// The Retry-After of the server, in seconds; nil: none.
        var retryAfter: Int?
    }

    /// A fault of the machine, its clock or its disk, or an action of the operator.
    struct Incident {
        var at: Date
        var kind: FaultKind
        /// A duration in seconds, or a number of effects, writes or steps; the kind decides.
        var size: Double
    }

    /// Hosts with the longest interval of their sources, in seconds.
    private static let hosts = [
        "quakes.test": 600.0, "mirror.test": 900, "volcano.test": 10_080, "alerts.test": 1800, "news.test": 3600,
        "messages.test": 3600,
    ]
    private static let service = "geocoder"

    private var spells: [Spell] = []
    private(set) var incidents: [Incident] = []
    /// The end of all faults; nil: there are none.
    let end: Date?
    /// How often each kind has occurred.
    private(set) var counts: [FaultKind: Int] = [:]

    /// Draws a schedule.
    /// - Parameters:
    ///   - days: Days with faults.
    ///   - hasDisk: Whether a `FaultyDisk` is there to fail.
    ///   - isEmpty: Whether there are no faults at all.
    init(seed: UInt64, from start: Date, days: Double, hasDisk: Bool, isEmpty: Bool = false) {
        end = isEmpty ? nil : start.addingTimeInterval(days * 86_400)
        guard !isEmpty else { return }
        var chance = Chance(seed: seed, purpose: "faults")
        let names = Self.hosts.keys.sorted()
        func moment() -> Date { start.addingTimeInterval(chance.within(0.02...0.97) * days * 86_400) }
        func strike(_ kind: FaultKind, on hosts: [String], times: Int = 3, hours: ClosedRange<Double> = 0.5...5) {
            for _ in 0..<times {
                let host = chance.pick(hosts)
                let least = 2.2 * (Self.hosts[host] ?? 0)
                let length = min(max(least, chance.within(hours) * 3600), days * 86_400 / 4)
                let begin = moment()
                let end = min(begin.addingTimeInterval(length), start.addingTimeInterval(days * 86_400))
                var spell = Spell(host: host, kind: kind, span: begin...end)
                if kind == .tooManyRequests || (kind == .unavailable && chance.happens(0.5)) {
                    spell.retryAfter = Int(clamping: chance.within(30...20_000))
                }
                spells.append(spell)
            }
        }
        // The first of several spells rules, so those that only some hosts can have come first.
        for kind in [FaultKind.badItem, .olderBody, .hollow, .miscounted] {
            strike(kind, on: ["quakes.test", "mirror.test"], times: 4, hours: 0.5...2)
        }
        strike(.badItem, on: ["news.test"], times: 2)
        strike(.notFound, on: ["alerts.test"])
        strike(.rateLimit, on: ["messages.test"], times: 2)
        strike(.gone, on: ["alerts.test", "news.test", "messages.test", "mirror.test"], times: 2, hours: 0.5...1)
        for kind in [
            FaultKind.timeout, .nameNotFound, .reset, .serverError, .unavailable, .tooManyRequests, .cutShort,
            .truncated, .wrongType, .garbage, .moved, .found, .lostConnection,
        ] { strike(kind, on: names) }
        // An outage after which feed windows are too short and ids too old.
        strike(.timeout, on: ["quakes.test"], times: 1, hours: 26...60)
        strike(.serverError, on: ["messages.test"], times: 1, hours: 125...150)
        for kind in [FaultKind.timeout, .reset, .serverError, .unavailable, .tooManyRequests] {
            strike(kind, on: ["live.test"], times: 1, hours: 0.1...1)
        }
        strike(.noDate, on: names, times: 4, hours: 2...10)
        strike(.wrongDate, on: names, times: 4, hours: 2...10)
        strike(.serviceOutage, on: [Self.service], times: 3, hours: 1...6)
        strike(.serviceLimit, on: [Self.service], times: 3, hours: 1...6)

        func meet(_ kind: FaultKind, times: Int, size: ClosedRange<Double> = 0...1) {
            for _ in 0..<times { incidents.append(Incident(at: moment(), kind: kind, size: chance.within(size))) }
        }
        meet(.clockForward, times: 2, size: 60...500)
        meet(.clockForward, times: 2, size: 1800...4_000_000)
        meet(.clockBack, times: 2, size: 60...500)
        meet(.clockBack, times: 2, size: 1800...4_000_000)
        meet(.suspend, times: 3, size: 1800...40_000)
        meet(.suspend, times: 1, size: 100_000...140_000)
        meet(.gracefulRestart, times: 2)
        meet(.restartInPoll, times: 3, size: 0...30)
        meet(.kill, times: 8, size: 0...40)
        for kind in [
            FaultKind.filterChange, .maxAgeChange, .intervalChange, .topicsChange, .sourceRemoved, .sourceRenamed,
        ] { meet(kind, times: 2) }
        meet(.commandPoll, times: 12)
        meet(.stateReset, times: 3)
        meet(.eventsReset, times: 2)
        meet(.commandRefused, times: 2)
        meet(.statusRead, times: 4)
        meet(.backup, times: 5)
        meet(.migration, times: 2)
        meet(.streamEdit, times: 2)
        meet(.streamDeath, times: 4)
        if hasDisk {
            meet(.streamDisk, times: 3)
            meet(.powerLoss, times: 8, size: 0...40)
            meet(.ioError, times: 3, size: 60...7200)
            meet(.diskFull, times: 3, size: 60...7200)
            meet(.locked, times: 3, size: 60...7200)
        }
        meet(.cursorTooOld, times: 3)
        meet(.reloadRefused, times: 2, size: 60...20_000)
        meet(.fileGone, times: 2, size: 60...20_000)
        meet(.secretUnread, times: 2, size: 1...50)
        meet(.secretUnread, times: 2, size: 100...5000)
        meet(.reloadDeath, times: 3, size: 0...4)
        incidents.sort { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }
    }

    /// The first spell of a host at a time, among these kinds; nil: none.
    func spell(on host: String, at time: Date, among kinds: (FaultKind) -> Bool) -> Spell? {
        spells.first { $0.host == host && $0.span.contains(time) && kinds($0.kind) }
    }

    /// The first spell of the geocoding service at a time; nil: none.
    func serviceSpell(at time: Date) -> Spell? { spell(on: Self.service, at: time) { _ in true } }

    /// Counts faults that have occurred.
    func hit(_ kind: FaultKind, times: Int = 1) { counts[kind, default: 0] += times }
}
