import Foundation
import Model
import Presenting
import Testing

@Suite struct EventCSVTests {
    /// 2026-03-01T00:00:00Z.
    private static let start = Date(timeIntervalSince1970: 1_772_323_200)

    private static func text(_ cells: [String?]) -> String {
        var bytes: [UInt8] = []
        bytes.append(cells: cells)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func record(_ stored: StoredEvent) -> String {
        var bytes: [UInt8] = []
        EventCSV.append(stored, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("plain Étna ’24", "plain Étna ’24"), ("a,b", #""a,b""#), (#"a "b""#, #""a ""b""""#),
        // A combining mark forms one character with the comma or the quotation mark, but they still separate.
        ("a,\u{301}b", "\"a,\u{301}b\""), ("\"\u{301}", "\"\"\"\u{301}\""),
        ("=1+2", "'=1+2"), ("\u{FF1D}1", "'\u{FF1D}1"), ("\u{FF0B}1", "'\u{FF0B}1"), ("\u{FF0D}1", "'\u{FF0D}1"),
        ("\u{FF20}a", "'\u{FF20}a"), ("\u{FE66}1", "'\u{FE66}1"), ("\u{FE62}1", "'\u{FE62}1"), ("\t=1", "\u{FFFD}=1"),
        ("+1", "'+1"), ("@a", "'@a"), ("=1,2", #""'=1,2""#), ("-a", "'-a"), ("-1.5", "-1.5"),
        ("a\nb\r\nc", "a b c"), ("\u{202E}a\u{1B}[31m", "\u{FFFD}a\u{FFFD}[31m"), ("", ""),
    ]) func aCellIsQuotedWhereItMustBe(cell: String, written: String) {
        #expect(Self.text([cell]) == written)
        #expect(Self.text(["a", cell, nil, "b"]) == "a,\(written),,b")
    }

    @Test func anEventIsARecordOfAllColumns() throws {
        let quake = Event(
            provider: "usgs", id: "us1", time: Self.start, updated: Self.start + 61.5, category: .earthquake,
            title: "M 4.5 - \"Town\"", magnitude: 4.5, depth: -1, status: "reviewed", place: "10 km N of Town, Land",
            location: Location(try #require(Coordinate(latitude: -20, longitude: -70.5))))
        let stored = StoredEvent(
            publicID: "fedcba9876543210", event: quake, firstSeen: Self.start, lastChanged: Self.start,
            changeSequence: 1, sources: ["quakes", "significant"])
        let expected = [
            "fedcba9876543210", "usgs", "us1", "2026-03-01T00:00:00.000Z", "earthquake", #""M 4.5 - ""Town""""#, "4.5",
            "-1", "-20", "-70.5", "coordinates", "point", #""10 km N of Town, Land""#, "", "", "reviewed", "1", "",
            "", "2026-03-01T00:01:01.500Z", "1", "", "quakes;significant", "feed", "1",
            "", "", "", "", "", "", "2026-03-01T00:00:00.000Z",
        ]
        #expect(Self.record(stored) == expected.joined(separator: ","))
        #expect(EventCSV.head.split(separator: ",").count == expected.count)
    }

    @Test func thePlaceOfAnEventHasItsCountryItsWordsAndItsName() throws {
        let place = try #require(Coordinate(latitude: 37.5, longitude: 15))
        let ash = Event(
            provider: "reuters", id: "a", category: .news, title: "Ash",
            location: Location(
                place, method: .gazetteer, matchedText: "Mt. Etna", name: "Catania, Italy", country: "IT", radius: 310.5
            ))
        let stored = StoredEvent(
            publicID: "0123456789abcdef", event: ash, firstSeen: Self.start, lastChanged: Self.start,
            changeSequence: 7)
        #expect(Self.record(stored).hasSuffix(",7,IT,310.5,Mt. Etna,\"Catania, Italy\",,,2026-03-01T00:00:00.000Z"))
    }

    @Test func whatAnEventLacksIsEmpty() {
        let note = Event(provider: "reuters", id: "a", category: .news, title: "Ash", summary: "It rises.")
        let stored = StoredEvent(
            publicID: "0123456789abcdef", event: note, firstSeen: Self.start, lastChanged: Self.start,
            changeSequence: 1,
            withdrawal: StoredEvent.Withdrawal(reason: "deleted", at: Self.start, evidence: "by its author"))
        let record = "0123456789abcdef,reuters,a,,news,Ash,,,,,,,,,,,1,deleted,It rises.,,,,,feed,1"
        #expect(Self.record(stored) == record + ",,,,,,,2026-03-01T00:00:00.000Z")
        var update: [UInt8] = []
        let change = EventChange(sequence: 9, kind: .truncated, publicID: "0123456789abcdef", at: Self.start)
        EventCSV.append(.gone(change, into: nil), to: &update)
        let cells = String(decoding: update, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        let filled = zip((EventCSV.head + ",change").split(separator: ","), cells).filter { !$0.1.isEmpty }
        #expect(filled.map { "\($0.0) \($0.1)" } == ["public_id 0123456789abcdef", "change_seq 9", "change truncated"])
        #expect(cells.count == (EventCSV.head + ",change").split(separator: ",").count)
        #expect(EventCSV.head.hasSuffix(",magnitude_type,magnitude_error,first_seen"))
    }

    /// A name that no property has would be an empty column.
    @Test func eachColumnIsAProperty() {
        for column in EventCSV.columns {
            let property = EventProperty.named(column.name)
            #expect(property === column, "\(column.name)")
        }
    }

    @Test(arguments: [
        (#"{"magType":"mww","magError":0.05}"#, "mww,0.05"), (#"{"nst":12,"magType":"ml"}"#, "ml,"),
        (#"{"magType":"","magError":"0.1"}"#, ","), (#"{"text":"magType","inner":{"magType":"mb"}}"#, ","),
        ("{}", ","), ("broken magType", ","),
    ]) func aMagnitudeHasTypeAndError(details: String, cells: String) {
        let quake = Event(
            provider: "usgs", id: "us1", category: .earthquake, title: "Quake", magnitude: 5, details: details)
        var stored = StoredEvent(
            publicID: "0123456789abcdef", event: quake, firstSeen: Self.start, lastChanged: Self.start,
            changeSequence: 1)
        #expect(Self.record(stored).hasSuffix(",\(cells),2026-03-01T00:00:00.000Z"))
        // Without a magnitude nothing has a type.
        stored.event.magnitude = nil
        #expect(Self.record(stored).hasSuffix(",,,2026-03-01T00:00:00.000Z"))
    }

    @Test func columnsCanBeChosen() throws {
        let centre = try #require(Coordinate(latitude: 0, longitude: 0))
        let named = ["title", "magnitude"].compactMap { EventProperty.named($0) }
        let columns = named + [EventProperty.distance(from: centre)]
        #expect(EventCSV.names(of: columns) == "title,magnitude,distance_km")
        var quake = Event(provider: "usgs", id: "us1", category: .earthquake, title: "Quake", magnitude: 5)
        quake.location = Coordinate(latitude: 0, longitude: 1).map { Location($0) }
        let stored = StoredEvent(
            publicID: "0123456789abcdef", event: quake, firstSeen: Self.start, lastChanged: Self.start,
            changeSequence: 1)
        var record: [UInt8] = []
        EventCSV.append(stored, columns, to: &record)
        #expect(String(decoding: record, as: UTF8.self) == "Quake,5,111.195")
        let change = EventChange(sequence: 9, kind: .truncated, publicID: "0123456789abcdef", at: Self.start)
        record = []
        EventCSV.append(.gone(change, into: nil), columns, to: &record)
        #expect(String(decoding: record, as: UTF8.self) == ",,,truncated")
        #expect(EventUpdate.changed(stored, .new).json(columns).hasSuffix(#""magnitude":5,"distance_km":111.195}"#))
    }

    @Test func theColumnsOfBeforeComeFirst() {
        let before = """
            public_id,provider,upstream_id,time,category,title,magnitude,depth_km,latitude,longitude,location_method,\
            location_precision,place_text,author_name,link,status,revision,withdrawn,summary,updated,\
            location_confidence,location_evidence,sources,time_source,change_seq,location_country,location_radius_km,
            """
        #expect(EventCSV.head.hasPrefix(before))
    }
}
