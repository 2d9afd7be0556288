import Foundation

/// What the oracle knows of one stored event.
final class LedgerEntry {
    let publicID: String
    let provider: String
    /// All upstream ids.
    var names: Set<String>
    /// The earliest and the latest time that feeds have given for it; nil: none has given any.
    private(set) var times: ClosedRange<Date>?
    var updated: Date?
    var title: String
    /// Wall time of first sight.
    var firstSeen: Date
    /// Whether the clock was in doubt then.
    var isProvisional: Bool
    /// Why it is withdrawn; nil: it is not.
    var withdrawn: String?
    /// Names of the sources that have shown it.
    var sources: Set<String> = []
    /// Whether it has ever been listed as two, by one document or by several.
    var wasTwice = false
    /// Its names as it was listed last.
    private(set) var listed: Set<String>
    /// Sources that have not listed it since it was merged: what they have said of one half is news to the other.
    var unheard: Set<String> = []
    /// Number of the commit that brought it.
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

    /// A document lists it under these names; where none of them is among the last ones, it is listed as two.
    func list(under names: [String]) {
        if listed.isDisjoint(with: names) { wasTwice = true }
        listed = Set(names)
    }

    /// Takes over how it was listed before a restart; nil: that is not known.
    func resume(_ old: LedgerEntry?) {
        wasTwice = old?.wasTwice ?? true
        listed = old?.listed ?? listed
        unheard = old?.unheard ?? []
    }

    /// A feed gives a time for it.
    func see(_ time: Date?) {
        guard let time else { return }
        times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
    }

    /// From when its age counts at the earliest and at the latest.
    var ageBase: ClosedRange<Date> {
        min(times?.lowerBound ?? firstSeen, firstSeen)...min(times?.upperBound ?? firstSeen, firstSeen)
    }

    /// Whether it has happened within a window, as far as its times tell.
    func isInside(_ window: ClosedRange<Date>) -> Bool { window.overlaps(times ?? firstSeen...firstSeen) }

    /// The names as the ledger looks them up.
    var keys: [String] { names.map { Oracle.key(provider, $0) } }
}

/// What the oracle remembers of a truncated event under each of its names.
struct Truncated {
    /// The sources that had shown it.
    let sources: Set<String>
    /// The latest time that feeds had given for it.
    private let latest: Date?

    init(_ entry: LedgerEntry, sources: Set<String>? = nil) {
        self.sources = sources ?? entry.sources
        latest = entry.times?.upperBound
    }

    /// Whether its feed has given it a later time since, as with a report that is corrected and sent anew: news again.
    func isRenewed(by expected: ExpectedEvent) -> Bool {
        guard let latest, let time = expected.time else { return false }
        return time > latest
    }
}
