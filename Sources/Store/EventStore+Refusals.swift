import Foundation
import Model
import SQLite

extension EventStore {
    /// The refused items of a source that are kept, at most a hundred, the last ones first and those of an answer in
    /// its order; none of an unknown source. Throws `StoreError`.
    ///
    /// Kept are those refused last, of a poll the first hundred. They go when they become events, after the source's
    /// `max_age`, with a reset, with their source, and when their provider deletes them.
    public func refusedItems(of source: String) throws(StoreError) -> [RefusedItem] {
        try read { connection in
            let find = try connection.prepare(
                """
                SELECT provider, upstream_id, title, reason, at_ms FROM refused_item
                WHERE source_id = (SELECT id FROM source WHERE name = ?) ORDER BY at_ms DESC, id
                """, source)
            return try find.map {
                let provider = $0.string(0)
                return RefusedItem(
                    provider: provider.isEmpty ? nil : provider, id: provider.isEmpty ? nil : $0.string(1),
                    title: $0.string(2), reason: $0.string(3), at: Date(milliseconds: $0.int64(4)))
            }
        }
    }
}
