package import Model
import SQLite

/// The link that an event names, nil: none, and the time of the event's first sight.
package typealias PictureNaming = (event: String, link: String?, time: Int64)

extension EventStore {
    /// What these events name now; those that are gone name nothing.
    package func pictureNamings(of events: [String]) throws(StoreError) -> [PictureNaming] {
        try read { connection in
            let find = try connection.prepare(
                "SELECT author_picture, first_seen_ms FROM event WHERE public_id = ? AND is_erased = 0")
            return try events.map { event in
                find.bind(event)
                return try find.first { (event, $0.text(0), $0.int64(1)) } ?? (event, nil, 0)
            }
        }
    }

    /// What the next events name, in the order of handles.
    /// - Returns: Those with a link, and the last event that was read; nil: there are no more.
    package func pictureNamings(
        after event: EventHandle, atMost limit: Int
    ) throws(StoreError) -> (namings: [PictureNaming], last: EventHandle?) {
        try read { connection in
            let find = try connection.prepare(
                """
                SELECT id, public_id, iif(is_erased, NULL, author_picture), first_seen_ms FROM event
                WHERE id > ? ORDER BY id LIMIT ?
                """, event.number, limit)
            var namings: [PictureNaming] = []
            var last: EventHandle?
            while try find.step() {
                last = EventHandle(find.int64(0))
                if let link = find.text(2) { namings.append((find.string(1), link, find.int64(3))) }
            }
            return (namings, last)
        }
    }

    /// The points of interest with a picture.
    package func picturePoints() throws(StoreError) -> [(key: String, link: String, time: Int64)] {
        try read { connection in
            let find = try connection.prepare(
                "SELECT key, picture, seeded_ms FROM point_of_interest WHERE picture IS NOT NULL ORDER BY key")
            return try find.map { ($0.string(0), $0.string(1), $0.int64(2)) }
        }
    }
}
