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
                """)
            find.bind(source)
            var items: [RefusedItem] = []
            while try find.step() {
                let provider = find.string(0)
                items.append(
                    RefusedItem(
                        provider: provider.isEmpty ? nil : provider, id: provider.isEmpty ? nil : find.string(1),
                        title: find.string(2), reason: find.string(3), at: Date(milliseconds: find.int64(4))))
            }
            return items
        }
    }
}
