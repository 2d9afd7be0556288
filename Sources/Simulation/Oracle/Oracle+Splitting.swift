import Engine
import Foundation

// Events that a snapshot lists under separate names are separate rows: promise 2.
extension Oracle {
    /// Separates events that an earlier document had made one and the snapshot lists as two. The store decides which of
    /// them keeps the row.
    /// - Returns: Keys of the first names of the events that must have new rows, with the sources that listed the row.
    func split(_ expectedEvents: [ExpectedEvent], at now: Moment) throws -> [String: Set<String>] {
        var claims: [String: [ExpectedEvent]] = [:]
        for expected in expectedEvents where expected.purpose == .event {
            let known = expected.names.compactMap { byName[Self.key(expected.provider, $0)]?.publicID }
            for id in Set(known) { claims[id, default: []].append(expected) }
        }
        var split: [String: Set<String>] = [:]
        for (id, claimants) in claims.sorted(by: { $0.key < $1.key }) where claimants.count > 1 {
            guard let entry = entries[id], let row = try row(of: id) else { continue }
            let known = entry.updated
            for expected in claimants {
                let others = claimants.filter { Set($0.names).isDisjoint(with: expected.names) }
                guard !row.names.isDisjoint(with: expected.names) else {
                    guard !others.isEmpty else {
                        throw broken(2, "\(expected.title) has left its row, but nothing else is listed there", at: now)
                    }
                    entry.names.subtract(expected.names)
                    for name in expected.names {
                        let key = Self.key(expected.provider, name)
                        if byName[key] === entry { byName[key] = nil }
                    }
                    for name in sources.keys { sources[name]?.showNoMore(Set(expected.names)) }
                    split[Self.key(expected.provider, expected.names[0])] = entry.sources
                    continue
                }
                // A snapshot older than the known state may precede the split.
                guard entry.withdrawn == nil, Self.isCurrent(expected, known) else { continue }
                entry.updated = expected.updated ?? known
                let twin = others.first { Self.isCurrent($0, known) && !row.names.isDisjoint(with: $0.names) }
                if let twin {
                    throw broken(2, "\(expected.title) and \(twin.title) are listed as two, and are one row", at: now)
                }
            }
        }
        faults.hit(.split, times: split.count)
        return split
    }

    private static func isCurrent(_ expected: ExpectedEvent, _ known: Date?) -> Bool {
        expected.updated ?? .distantFuture >= known ?? .distantPast
    }
}
