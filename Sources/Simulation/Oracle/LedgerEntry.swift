import Foundation

/// The oracle's knowledge of one stored event.
final class LedgerEntry {
    let publicID: String
    let provider: String
    /// All upstream ids.
    var names: Set<String>
    /// The earliest and the latest time given by feeds; nil: none.
    private(set) var times: ClosedRange<Date>?
    var updated: Date?
    var title: String
    /// Wall time of first sight.
    var firstSeen: Date
    /// Whether the clock was in doubt at first sight.
    var isProvisional: Bool
    /// Why it is withdrawn; nil: it is not.
    var withdrawn: String?
    /// Names of the sources that have listed it.
    var sources: Set<String> = []
    /// Whether it was ever listed as two, by one document or by several.
    var wasTwice = false
    /// Its names in the last listing.
    private(set) var listed: Set<String>
    /// Sources that have not listed it since it was merged; what they said of one half is news to the other.
    var unheard: Set<String> = []
    /// Number of the commit that stored it.
    var admitted: Int

    init(
        _ publicID: String, _ provider: String, _ names: Set<String>, time: Date?, updated: Date?, title: String,
        firstSeen: Date, isProvisional: Bool, admitted: Int
    ) {
        self.publicID = publicID
        self.provider = provider
        self.names = names
        times = time.map { $0...$0 }
        self.updated = updated
        self.title = title
        self.firstSeen = firstSeen
        self.isProvisional = isProvisional
        self.admitted = admitted
        listed = names
    }

    /// A document lists it under these names. If none is among the last ones, it is listed as two.
    func list(under names: [String]) {
        if listed.isDisjoint(with: names) { wasTwice = true }
        listed = Set(names)
    }

    /// Takes over how it was listed before a restart; nil: unknown.
    func resume(_ old: LedgerEntry?) {
        wasTwice = old?.wasTwice ?? true
        listed = old?.listed ?? listed
        unheard = old?.unheard ?? []
    }

    /// Takes a time given by a feed.
    func see(_ time: Date?) {
        guard let time else { return }
        times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
    }

    /// The earliest and the latest time from which its age may count.
    var ageBase: ClosedRange<Date> {
        min(times?.lowerBound ?? firstSeen, firstSeen)...min(times?.upperBound ?? firstSeen, firstSeen)
    }

    /// Whether its times reach into a window.
    func isInside(_ window: ClosedRange<Date>) -> Bool { window.overlaps(times ?? firstSeen...firstSeen) }

    /// The names as keys of the ledger.
    var keys: [String] { names.map { Oracle.key(provider, $0) } }
}

/// The oracle's knowledge of a truncated event, kept under each of its names.
struct Truncated {
    /// The sources that had listed it.
    let sources: Set<String>
    /// The latest time given by feeds; nil: none.
    private let latest: Date?

    init(_ entry: LedgerEntry, sources: Set<String>? = nil) {
        self.sources = sources ?? entry.sources
        latest = entry.times?.upperBound
    }

    /// Whether a feed now gives it a later time, as with a corrected report sent anew: it is news again.
    func isRenewed(by expected: ExpectedEvent) -> Bool {
        guard let latest, let time = expected.time else { return false }
        return time > latest
    }
}
