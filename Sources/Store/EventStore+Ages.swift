public import Foundation
public import Model
import SQLite

extension EventStore {
    /// Compares settings with the stored ages; changes nothing. Takes some seconds for a million events if an age is
    /// shorter. Throws `StoreError`.
    /// - Parameters:
    ///   - sources: The settings; those of sources that are not stored yet are left out.
    ///   - now: A trusted wall time.
    public func ageChanges(under sources: [SourceSettings], asOf now: Date) throws(StoreError) -> AgeChanges {
        var changes = AgeChanges()
        var shorter: [String: Int64] = [:]
        try read { connection -> Void in
            let find = try connection.prepare(
                """
                SELECT max_age_ms, horizon_ms, EXISTS (SELECT 1 FROM spend WHERE source_id = source.id)
                FROM source WHERE name = ?1 AND max_age_ms <> ?2
                """)
            for source in sources {
                let age = source.maxAge.milliseconds
                find.bind(source.name)
                find.bind(age)
                while try find.step() {
                    let old = find.int64(0)
                    if age < old { shorter[source.name] = age }
                    changes.sources.append(
                        AgeChanges.Source(
                            name: source.name, old: .milliseconds(old), new: source.maxAge,
                            horizon: find.date(1).flatMap { $0.milliseconds > now.milliseconds - age ? $0 : nil },
                            isPaid: find.int64(2) != 0))
                }
            }
        }
        guard !shorter.isEmpty else { return changes }
        // Each takes long, and a read keeps the WAL from restarting.
        func total(_ ages: [String: Int64]) throws(StoreError) -> Int {
            try read { try Expired(at: now.milliseconds, on: $0).counts(keeping: ages).values.reduce(0, +) }
        }
        changes.removed = max(0, try total(shorter) - total([:]))
        return changes
    }
}
