import Foundation
import Model
import Presenting
import Testing

/// One event with its history, in its output format.
@Suite struct EventDetailsTests {
    /// 2026-03-01T00:00:00Z.
    private static let start = Date(timeIntervalSince1970: 1_772_323_200)

    private static func stored(revision: Int, _ change: (inout Event) -> Void = { _ in }) -> StoredEvent {
        var event = Event(
            provider: "usgs", id: "us1", time: start, category: .earthquake, title: "A quake", weight: 0.45,
            magnitude: 4.5, status: "reviewed", details: #"{"nst":12}"#)
        change(&event)
        return StoredEvent(
            publicID: "fedcba9876543210", event: event, firstSeen: start, lastChanged: start, revision: revision,
            changeSequence: 1)
    }

    private static func revision(_ number: Int, _ previous: String) -> EventDetails.Revision {
        EventDetails.Revision(revision: number, at: start + Double(number), source: "quakes", previous: previous)
    }

    private typealias Change = RevisionChanges.Change

    @Test func aNewValueIsTheOldOneOfTheNextChangeElseThePresentOne() {
        let details = EventDetails(
            stored: Self.stored(revision: 4),
            history: [
                Self.revision(2, #"{"magnitude":5.0,"title":"Quake"}"#),
                Self.revision(3, #"{"magnitude":5.4,"status":null}"#),
                Self.revision(4, #"{"depth_km":10.0}"#),
            ])
        let changes = details.changes
        #expect(changes.map(\.revision) == [2, 3, 4])
        #expect(
            changes.map(\.changes) == [
                [
                    Change("magnitude", .json("5"), .json("5.4")),
                    Change("title", .text("Quake"), .text("A quake")),
                ],
                [Change("magnitude", .json("5.4"), .json("4.5")), Change("status", .missing, .text("reviewed"))],
                [Change("depth_km", .json("10"), .missing)],
            ])
    }

    @Test func columnsHaveTheirNamesAndFormsOfNDJSON() {
        let stored = Self.stored(revision: 2) { $0.geometry = #"{"type":"Point","coordinates":[1,2]}"# }
        let previous =
            #"{"time_ms":\#(Self.start.milliseconds - 1500),"withdrawn_reason":"absent","geometry_geojson":null,"#
            + #""details_json":"{}"}"#
        let changes = EventDetails(stored: stored, history: [Self.revision(2, previous)]).changes
        let expected = [
            Change("time", .text((Self.start - 1.5).timestamp), .text(Self.start.timestamp)),
            Change("withdrawn", .text("absent"), .missing),
            Change("geometry", .missing, .json(#"{"type":"Point","coordinates":[1,2]}"#)),
            Change("details", .missing, .json(#"{"nst":12}"#)),
        ]
        #expect(changes.first?.changes == expected)
    }

    @Test func membersThatStandInTheDetailsChangeByTheirOwnNames() {
        let stored = Self.stored(revision: 3) { $0.details = #"{"magType":"mww","magError":0.05}"# }
        let details = EventDetails(
            stored: stored,
            history: [
                Self.revision(2, #"{"details_json":"{\"magType\":\"ml\"}"}"#),
                Self.revision(3, #"{"details_json":"{\"nst\":1,\"magType\":\"mww\"}"}"#),
            ])
        #expect(
            details.changes.map { $0.changes.filter { $0.name != "details" } } == [
                [Change("magnitude_type", .text("ml"), .text("mww"))],
                [Change("magnitude_error", .missing, .json("0.05"))],
            ])
    }

    @Test func aFormerWeightIsPrintedInDecimalsToo() {
        let previous = #"{"weight":0.33999999999999997,"magnitude":3.4}"#
        let changes = EventDetails(stored: Self.stored(revision: 2), history: [Self.revision(2, previous)]).changes
        let expected = [
            Change("weight", .json("0.34"), .json("0.45")), Change("magnitude", .json("3.4"), .json("4.5")),
        ]
        #expect(changes.first?.changes == expected)
    }

    @Test func aFormerConfidenceIsPrintedInDecimalsToo() {
        let previous = #"{"location_confidence":0.30000000000000004}"#
        let changes = EventDetails(stored: Self.stored(revision: 2), history: [Self.revision(2, previous)]).changes
        #expect(changes.first?.changes.first?.before == .json("0.3"))
    }

    /// The stored weights differ, and are written alike; milliseconds are written.
    @Test func whatIsWrittenAlikeIsNoChange() {
        let stored = Self.stored(revision: 3)
        let earlier = Self.start.milliseconds - 440
        let details = EventDetails(
            stored: stored,
            history: [
                Self.revision(2, #"{"weight":0.4500000000000001,"time_ms":\#(earlier)}"#),
                Self.revision(3, #"{"details_json":"{\"nst\":12}","title":"Quake"}"#),
            ])
        #expect(
            details.changes.map(\.changes) == [
                [Change("time", .text((Self.start - 0.44).timestamp), .text(Self.start.timestamp))],
                [Change("title", .text("Quake"), .text("A quake"))],
            ])
    }

    @Test func aRevisionIsAnObjectOrARecordForEachField() throws {
        let details = EventDetails(
            stored: Self.stored(revision: 4),
            history: [
                Self.revision(2, #"{"magnitude":2.9,"place_text":null}"#),
                Self.revision(3, #"{"merged_public_id":"0123456789abcdef"}"#),
                Self.revision(4, #"{"magnitude":3.2}"#),
            ])
        let (at, last) = ((Self.start + 2).timestamp, (Self.start + 4).timestamp)
        let head = #"{"public_id":"fedcba9876543210","category":"earthquake","title":"A quake","#
        #expect(
            details.changes[2].json(of: details.stored) == head
                + #""revision":4,"at":"\#(last)","source":"quakes","changes":{"magnitude":{"from":3.2,"to":4.5}}}"#)
        let beginning: [String?] = ["fedcba9876543210", "earthquake", "A quake"]
        #expect(
            details.changes[0].cells(of: details.stored) == [
                beginning + ["2", at, "quakes", "magnitude", "2.9", nil],
                beginning + ["2", at, "quakes", "place_text", nil, nil],
            ])
        #expect(
            details.changes[1].cells(of: details.stored).map { $0.suffix(3) } == [
                ["merged_public_id", nil, "0123456789abcdef"]
            ])
        #expect(RevisionChanges.columns.split(separator: ",").count == 9)
    }

    /// Of many revisions, the middle ones are not kept.
    @Test func beforeRevisionsThatAreNotKeptNoNewValueIsClaimed() {
        let details = EventDetails(
            stored: Self.stored(revision: 30),
            history: [Self.revision(2, #"{"magnitude":5.0}"#), Self.revision(30, #"{"magnitude":5.4}"#)])
        #expect(
            details.changes.map(\.changes) == [
                [Change("magnitude", .json("5"), nil)], [Change("magnitude", .json("5.4"), .json("4.5"))],
            ])
    }

    /// The history includes the revisions of the merged event.
    @Test func beforeAMergeNoNewValueIsClaimed() {
        let details = EventDetails(
            stored: Self.stored(revision: 4),
            history: [
                Self.revision(2, #"{"magnitude":5.0}"#),
                Self.revision(3, #"{"merged_public_id":"0123456789abcdef"}"#),
                Self.revision(4, #"{"magnitude":5.4}"#),
            ])
        let changes = details.changes
        #expect(changes.map(\.mergedID) == [nil, "0123456789abcdef", nil])
        #expect(changes[0].changes == [Change("magnitude", .json("5"), nil)])
        #expect(changes[1].changes.isEmpty)
        #expect(changes[2].changes == [Change("magnitude", .json("5.4"), .json("4.5"))])
    }

    @Test func allThatIsKeptIsOneObject() throws {
        let (start, at) = (Self.start.timestamp, (Self.start + 2).timestamp)
        var stored = Self.stored(revision: 2) { $0.aliases = ["ci1"] }
        stored.isErased = true
        var details = EventDetails(
            stored: stored, history: [Self.revision(2, #"{"magnitude":5.0,"place_text":"Town"}"#)])
        details.upstreamIDs = ["ci1", "us1"]
        details.mergedIDs = ["0123456789abcdef"]
        details.sources = [
            EventDetails.Sighting(source: "quakes", firstSeen: Self.start),
            EventDetails.Sighting(source: "more", firstSeen: Self.start, missingSince: Self.start + 2),
        ]
        details.search = EventDetails.Search(
            state: "asked", since: Self.start, placeText: "Town",
            misses: [
                EventDetails.Search.Miss(
                    provider: "nominatim", reason: "no result", at: Self.start, until: Self.start + 2)
            ])
        let members = [
            #""erased":true,"merged_public_ids":["0123456789abcdef"]"#,
            #""unlocated":{"state":"asked","since":"\#(start)","place_text":"Town","asked":[{"provider":"nominatim""#,
            #""reason":"no result","at":"\#(start)","until":"\#(at)"}]}"#,
            #""sightings":[{"source":"quakes","first_seen":"\#(start)"},{"source":"more","first_seen":"\#(start)""#,
            #""missing_since":"\#(at)"}]"#,
            #""history":[{"revision":2,"at":"\#(at)","source":"quakes","changes":{"magnitude":{"from":5,"to":4.5}"#,
            #""place_text":{"from":"Town","to":null}}}]}"#,
        ].joined(separator: ",")
        #expect(details.json == String(stored.json.dropLast()) + "," + members)
    }

    @Test func aCorrectionHasItsUserAndTime() {
        let stored = Self.stored(revision: 1)
        var details = EventDetails(stored: stored)
        details.correction = EventDetails.Correction(user: "anna", at: Self.start)
        let member = #","correction":{"by":"anna","at":"\#(Self.start.timestamp)"},"sightings":[],"history":[]}"#
        #expect(details.json == String(stored.json.dropLast()) + member)
    }

    @Test func anEventThatNeverChangedHasAnEmptyHistory() {
        let stored = Self.stored(revision: 1)
        let json = EventDetails(stored: stored).json
        #expect(json == String(stored.json.dropLast()) + #","sightings":[],"history":[]}"#)
    }
}

/// Summaries of shapes.
@Suite struct ShapeSummaryTests {
    private static let square = "[[0,0],[1,0],[1,1],[0,1],[0,0]]"

    private static func summary(_ geoJSON: String) -> ShapeSummary? {
        GeoJSONShape(geoJSON, droppingHeights: true).flatMap { ShapeSummary($0) }
    }

    static let shapes: [(String, String)] = [
        (#"{"type":"Polygon","coordinates":[\#(square)]}"#, "polygon with 4 points"),
        (
            #"{"type":"Polygon","coordinates":[\#(square),[[0.2,0.2],[0.4,0.2],[0.4,0.4],[0.2,0.2]]]}"#,
            "polygon with 7 points, 1 hole"
        ),
        (#"{"type":"MultiPolygon","coordinates":[[\#(square)],[\#(square)]]}"#, "2 polygons with 8 points"),
        (#"{"type":"LineString","coordinates":[[0,0],[1,0],[1,1,5]]}"#, "line with 3 points"),
        (#"{"type":"MultiPoint","coordinates":[[0,0],[1,0]]}"#, "2 points"),
        (
            #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[3,3]},"#
                + #"{"type":"Polygon","coordinates":[\#(square)]}]}"#,
            "polygon and point with 5 points"
        ),
    ]

    @Test(arguments: ShapeSummaryTests.shapes)
    func aShapeSaysWhatItIsMadeOf(geoJSON: String, words: String) {
        #expect(Self.summary(geoJSON)?.words == words)
    }

    @Test(arguments: ["", "[]", "{}", #"{"type":"Polygon","coordinates":[]}"#, #"{"type":"Circle","coordinates":[1]}"#])
    func whatIsNoShapeHasNoSummary(geoJSON: String) {
        #expect(Self.summary(geoJSON) == nil)
    }

    @Test func theBoxIsTheSmallestAlsoAcross180Degrees() throws {
        let parts =
            "[[[175,-20],[180,-20],[180,-15],[175,-15],[175,-20]]],"
            + "[[[-180,-20],[-175,-20],[-175,-15],[-180,-15],[-180,-20]]]"
        let cut = #"{"type":"MultiPolygon","coordinates":[\#(parts)]}"#
        let whole = #"{"type":"Polygon","coordinates":[[[175,-20],[-175,-20],[-175,-15],[175,-15],[175,-20]]]}"#
        let box = try #require(BoundingBox(west: 175, south: -20, east: -175, north: -15))
        for shape in [cut, whole] { #expect(Self.summary(shape)?.box == box) }
        let two = #"{"type":"MultiPoint","coordinates":[[10,5],[-20,-5]]}"#
        #expect(Self.summary(two)?.box == BoundingBox(west: -20, south: -5, east: 10, north: 5))
    }

    @Test func theAreaIsThatOnTheSphereWithoutHoles() throws {
        let square = try #require(Self.summary(#"{"type":"Polygon","coordinates":[\#(Self.square)]}"#)?.area)
        // 6371.0088² · π/180 · sin 1°
        #expect(abs(square - 12_363.7) < 1)
        let hole = "[[0,0],[0.5,0],[0.5,1],[0,1],[0,0]]"
        let holed = Self.summary(#"{"type":"Polygon","coordinates":[\#(Self.square),\#(hole)]}"#)?.area
        #expect(abs((holed ?? 0) - square / 2) < 0.001)
        #expect(Self.summary(#"{"type":"LineString","coordinates":[[0,0],[1,0]]}"#)?.area == nil)
    }
}
