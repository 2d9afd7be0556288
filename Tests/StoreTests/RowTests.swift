import Model
import Reconciling
import Testing

@testable import Store

/// The columns of a row in the database, and a state of then from the values of the history.
@Suite struct RowTests {
    /// A row with a value in each column, other than the one that an empty row has.
    private static let full: EventRow = {
        var row = EventRow()
        (row.id, row.publicID, row.provider, row.upstreamID, row.source) = (1, "public7", "gvp", "264020", 3)
        (row.time, row.hasFeedTime, row.updated, row.expires) = (10, true, 11, 12)
        (row.firstSeen, row.isFirstSeenProvisional, row.lastChanged) = (9, true, 14)
        (row.revision, row.changeSequence, row.firstSequence) = (5, 60, 40)
        (row.category, row.weight, row.magnitude, row.depth, row.status) = ("volcano", 0.5, 5.1, -2.25, "actual")
        row.location = Coordinate(latitude: -8.343, longitude: 115.508).map {
            Location(
                $0, method: .gazetteer, precision: .region, confidence: 0.75, matchedText: "Gunung Agung",
                name: "Agung", evidence: .title, placeID: "region:ID-BA", country: "ID", radius: 12.5)
        }
        (row.withdrawnReason, row.withdrawnAt, row.withdrawnEvidence) = ("cancelled", 15, "Cancelled by B")
        row.isErased = true
        row.language = "id"
        row.author = Author(name: "Observer", link: "https://a.example", picture: "https://p.example")
        (row.title, row.place, row.link, row.summary) = ("Ash", "Bali", "https://l.example", "Line 1\nLine 2")
        (row.geometry, row.details) = (#"{"type":"Point","coordinates":[115.508,-8.343]}"#, #"{"vei":2}"#)
        return row
    }()

    /// The columns that are set, with the texts of their values.
    private static let values = [
        "id": "1", "public_id": "public7", "provider": "gvp", "upstream_id": "264020", "source_id": "3",
        "time_ms": "10", "time_source": "feed", "updated_ms": "11", "expires_ms": "12", "first_seen_ms": "9",
        "first_seen_is_provisional": "1", "age_base_ms": "9", "last_changed_ms": "14", "revision": "5",
        "change_seq": "60", "first_seq": "40", "category": "volcano", "weight": "0.5", "magnitude": "5.1",
        "depth_km": "-2.25", "status": "actual", "latitude": "-8.343", "longitude": "115.508",
        "location_method": "gazetteer", "location_precision": "region", "location_confidence": "0.75",
        "location_matched_text": "Gunung Agung", "location_name": "Agung", "location_evidence": "title",
        "location_place_id": "region:ID-BA", "location_country": "ID", "location_radius_km": "12.5",
        "withdrawn_reason": "cancelled", "withdrawn_ms": "15", "withdrawn_evidence": "Cancelled by B",
        "is_erased": "1", "language": "id", "author_name": "Observer", "author_link": "https://a.example",
        "author_picture": "https://p.example", "title": "Ash", "place": "Bali", "link": "https://l.example",
        "summary": "Line 1\nLine 2", "geometry": #"{"type":"Point","coordinates":[115.508,-8.343]}"#,
        "details": #"{"vei":2}"#,
    ]

    /// Writes a row in place of the only one, and reads it.
    private func written(_ row: EventRow, in test: TestStore) throws -> EventRow? {
        try test.store.transaction { writer in
            row.bind(to: writer.statements.updateEvent)
            writer.statements.updateEvent.bind(row.id)
            try writer.statements.updateEvent.run()
            return try Correcting(writer: writer, now: 0).load(row.id)
        }
    }

    @Test func aRowIsReadAsItWasWritten() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let names = try test.rows("SELECT name FROM pragma_table_info('event')").flatMap { $0 }
        var empty = EventRow()
        empty.id = 1
        for row in [Self.full, empty, Self.full] {
            let read = try #require(try written(row, in: test))
            #expect(read.state == row.state && read.source == row.source && read.isErased == row.isErased)
            #expect(try test.value("SELECT \(StoredBytes.ofEvent) FROM event") == "\(row.storedBytes)")
        }
        let values = try test.rows("SELECT \(names.joined(separator: ", ")) FROM event")
        #expect(values.count == 1 && Dictionary(uniqueKeysWithValues: zip(names, values[0])) == Self.values)
        #expect(Self.full.storedBytes == 400 + 185)
        try test.store.transaction { try $0.connection.run("DELETE FROM event") }
        try test.store.transaction { writer in
            Self.full.bind(to: writer.statements.insertEvent)
            try writer.statements.insertEvent.run()
        }
        #expect(try test.rows("SELECT \(names.joined(separator: ", ")) FROM event") == values)
    }

    @Test func allOldValuesAreSetBack() {
        var empty = EventRow()
        empty.isErased = true
        for (old, new) in [(Self.full, empty), (empty, Self.full)] {
            var expected = StoredEvent(old)
            expected.event.aliases = [new.upstreamID]
            #expect(StoredEvent(new).rolledBack(old.state) == expected)
            #expect(StoredEvent(new).rolledBack("{}") == StoredEvent(new))
            #expect(StoredEvent(new).rolledBack("[]") == StoredEvent(new))
        }
    }
}
