import Engine
import Foundation

// What a snapshot lists as two, each under names of its own, is two rows: promise 2.
extension Oracle {
    /// Parts what names in an earlier document had made one and the snapshot lists as two.
    ///
    /// Which of them keeps the row is up to the store.
    /// - Returns: Keys of the first names of those that must have become events of their own, with the sources that
    ///   have shown the row.
    func part(_ offers: [Offer], at now: Moment) throws -> [String: Set<String>] {
        var claims: [String: [Offer]] = [:]
        for offer in offers where offer.purpose == .event {
            let known = offer.names.compactMap { byName[Self.key(offer.provider, $0)]?.publicID }
            for id in Set(known) { claims[id, default: []].append(offer) }
        }
        var parted: [String: Set<String>] = [:]
        for (id, claimants) in claims.sorted(by: { $0.key < $1.key }) where claimants.count > 1 {
            guard let entry = entries[id], let row = try row(of: id) else { continue }
            let known = entry.updated
            for offer in claimants {
                let others = claimants.filter { Set($0.names).isDisjoint(with: offer.names) }
                guard !row.names.isDisjoint(with: offer.names) else {
                    guard !others.isEmpty else {
                        throw broken(2, "\(offer.title) has left its row, but nothing else is listed there", at: now)
                    }
                    entry.names.subtract(offer.names)
                    for name in offer.names {
                        let key = Self.key(offer.provider, name)
                        if byName[key] === entry { byName[key] = nil }
                    }
                    for name in sources.keys { sources[name]?.complete?.showNoMore(Set(offer.names)) }
                    parted[Self.key(offer.provider, offer.names[0])] = entry.sources
                    continue
                }
                // A snapshot that is older than what is known of them may be from before they parted.
                guard entry.withdrawn == nil, Self.isCurrent(offer, known) else { continue }
                entry.updated = offer.updated ?? known
                let twin = others.first { Self.isCurrent($0, known) && !row.names.isDisjoint(with: $0.names) }
                if let twin {
                    throw broken(2, "\(offer.title) and \(twin.title) are listed as two, and are one row", at: now)
                }
            }
        }
        faults.hit(.split, times: parted.count)
        return parted
    }

    private static func isCurrent(_ offer: Offer, _ known: Date?) -> Bool {
        offer.updated ?? .distantFuture >= known ?? .distantPast
    }
}
