import Model
import Reconciling
import Testing

/// What the history says of each column, as it is stored.
@Suite struct ColumnTests {
    /// A change of one column, with the old values that a revision keeps of `fullRow()`; nil: no revision.
    struct Change: Sendable, CustomTestStringConvertible {
        var column: String
        var previous: String?
        var apply: @Sendable (inout EventRow) -> Void
        var testDescription: String { column }

        init(_ column: String, _ previous: String?, _ apply: @escaping @Sendable (inout EventRow) -> Void) {
            (self.column, self.previous, self.apply) = (column, previous, apply)
        }
    }

    static let changes: [Change] = [
        Change("public_id", nil) { $0.publicID = "other" },
        Change("provider", #"{"provider":"gvp"}"#) { $0.provider = "other" },
        Change("upstream_id", #"{"upstream_id":"264020"}"#) { $0.upstreamID = "other" },
        Change("source_id", nil) { $0.source = 99 },
        Change("time_ms", #"{"time_ms":\#(start)}"#) { $0.time += 1 },
        Change("time_source", #"{"time_source":"feed"}"#) { $0.hasFeedTime = false },
        Change("updated_ms", nil) { $0.updated = nil },
        Change("expires_ms", #"{"expires_ms":\#(start + 2)}"#) { $0.expires = nil },
        Change("first_seen_ms", nil) { $0.firstSeen += 1 },
        Change("first_seen_is_provisional", nil) { $0.isFirstSeenProvisional = false },
        Change("age_base_ms", #"{"time_ms":\#(start)}"#) { ($0.time, $0.firstSeen) = (0, 0) },
        Change("last_changed_ms", nil) { $0.lastChanged += 1 },
        Change("revision", nil) { $0.revision += 1 },
        Change("change_seq", nil) { $0.changeSequence += 1 },
        Change("first_seq", nil) { $0.firstSequence += 1 },
        Change("category", #"{"category":"volcano"}"#) { $0.category = "other" },
        Change("weight", #"{"weight":0.5}"#) { $0.weight = 1 },
        Change("magnitude", #"{"magnitude":5.1}"#) { $0.magnitude = nil },
        Change("depth_km", #"{"depth_km":-2.25}"#) { $0.depth = 0 },
        Change("status", #"{"status":"actual"}"#) { $0.status = nil },
        Change("latitude", #"{"latitude":-8.343,"location_name":"Agung"}"#) { $0.location = fullPlace(latitude: 1) },
        Change("longitude", #"{"longitude":115.508}"#) { $0.location = fullPlace(longitude: 1) },
        Change("location_method", #"{"location_method":"gazetteer"}"#) { $0.location?.method = .nominatim },
        Change("location_precision", #"{"location_precision":"region"}"#) { $0.location?.precision = .country },
        Change("location_confidence", #"{"location_confidence":0.75}"#) { $0.location?.confidence = 1 },
        Change("location_matched_text", #"{"location_matched_text":"Gunung \"Agung\""}"#) {
            $0.location?.matchedText = nil
        },
        Change("location_name", nil) { $0.location?.name = nil },
        Change("location_name of the operator", #"{"location_method":"gazetteer","location_name":"Agung"}"#) {
            $0.location = fullPlace(name: nil, method: .operator)
        },
        Change("location_evidence", #"{"location_evidence":"title"}"#) { $0.location?.evidence = nil },
        Change("location_place_id", #"{"location_place_id":"region:ID-BA"}"#) { $0.location?.placeID = nil },
        Change("location_country", nil) { $0.location?.country = nil },
        Change("location_radius_km", #"{"location_radius_km":12.5}"#) { $0.location?.radius = nil },
        Change("withdrawn_reason", #"{"withdrawn_reason":"cancelled"}"#) { $0.withdrawnReason = nil },
        Change("withdrawn_ms", #"{"withdrawn_at_ms":\#(start + 5)}"#) { $0.withdrawnAt = nil },
        Change("withdrawn_evidence", #"{"withdrawn_evidence":"Cancelled by B"}"#) { $0.withdrawnEvidence = nil },
        Change("is_erased", nil) { $0.isErased = false },
        Change("language", #"{"language":"id"}"#) { $0.language = nil },
        Change("author_name", #"{"author_name":"Observer"}"#) { $0.author?.name = "other" },
        Change("author_link", #"{"author_link":"https://a.example"}"#) { $0.author?.link = nil },
        Change("author_picture", #"{"author_picture":"https://p.example"}"#) { $0.author?.picture = nil },
        Change("title", #"{"title":"Ash"}"#) { $0.title = "" },
        Change("place", #"{"place_text":"Bali"}"#) { $0.place = nil },
        Change("link", #"{"link":"https://l.example"}"#) { $0.link = nil },
        Change("summary", #"{"summary":"Line 1\nLine 2"}"#) { $0.summary = nil },
        Change("geometry", #"{"geometry_geojson":"{\"type\":\"Point\",\"coordinates\":[115.508,-8.343]}"}"#) {
            $0.geometry = nil
        },
        Change("details", #"{"details_json":"{\"vei\":2}"}"#) { $0.details = "{}" },
    ]

    @Test(arguments: changes) func aRevisionKeepsTheOldValueOfTheColumn(_ change: Change) {
        var new = fullRow()
        change.apply(&new)
        #expect(fullRow().previous(comparedTo: new) == change.previous)
        #expect(new.previous(comparedTo: new) == nil)
    }

    /// The members of `fullRow()`, and those of an empty row.
    private static let full = #"""
        "provider":"gvp","upstream_id":"264020","time_ms":\#(start),"time_source":"feed",\#
        "expires_ms":\#(start + 2),"category":"volcano","weight":0.5,"magnitude":5.1,"depth_km":-2.25,\#
        "status":"actual","latitude":-8.343,"longitude":115.508,"location_method":"gazetteer",\#
        "location_precision":"region","location_confidence":0.75,"location_matched_text":"Gunung \"Agung\"",\#
        "location_evidence":"title","location_place_id":"region:ID-BA","withdrawn_reason":"cancelled",\#
        "withdrawn_at_ms":\#(start + 5),"withdrawn_evidence":"Cancelled by B","language":"id",\#
        "author_name":"Observer","author_link":"https://a.example","author_picture":"https://p.example",\#
        "title":"Ash","place_text":"Bali","link":"https://l.example","summary":"Line 1\nLine 2",\#
        "geometry_geojson":"{\"type\":\"Point\",\"coordinates\":[115.508,-8.343]}",\#
        "details_json":"{\"vei\":2}","location_radius_km":12.5,"location_country":"ID",\#
        "updated_ms":\#(start + 1),"location_name":"Agung"
        """#
    private static let empty = #"""
        "provider":"","upstream_id":"","time_ms":0,"time_source":"first_seen","expires_ms":null,\#
        "category":"","weight":1.0,"magnitude":null,"depth_km":null,"status":null,"latitude":null,\#
        "longitude":null,"location_method":null,"location_precision":null,"location_confidence":null,\#
        "location_matched_text":null,"location_evidence":null,"location_place_id":null,\#
        "withdrawn_reason":null,"withdrawn_at_ms":null,"withdrawn_evidence":null,"language":null,\#
        "author_name":null,"author_link":null,"author_picture":null,"title":"","place_text":null,\#
        "link":null,"summary":null,"geometry_geojson":null,"details_json":"{}","location_radius_km":null,\#
        "location_country":null,"updated_ms":null,"location_name":null
        """#

    @Test func aRevisionOfAllColumnsKeepsTheirOrder() {
        #expect(fullRow().previous(comparedTo: EventRow()) == "{\(Self.full)}")
        #expect(EventRow().previous(comparedTo: fullRow()) == "{\(Self.empty)}")
    }

    @Test func theNameOfAPlaceByTheOperatorComesBeforeItsCountry() {
        var new = EventRow()
        new.location = fullPlace(method: .operator)
        let previous = #"""
            {"latitude":null,"longitude":null,"location_method":null,"location_precision":null,\#
            "location_confidence":null,"location_matched_text":null,"location_evidence":null,\#
            "location_place_id":null,"location_radius_km":null,"location_name":null,"location_country":null}
            """#
        #expect(EventRow().previous(comparedTo: new) == previous)
    }

    @Test func theLastStateHasAllColumnsInTheirOrder() {
        let full = #"""
            "id":7,"public_id":"public7","first_seen_ms":\#(start - 3),"first_seen_provisional":1,\#
            "last_changed_ms":\#(start + 4),"revision":5,"change_seq":60,"first_seq":40,
            """#
        let empty = #"""
            "id":0,"public_id":"","first_seen_ms":0,"first_seen_provisional":0,"last_changed_ms":0,"revision":1,\#
            "change_seq":0,"first_seq":0,
            """#
        #expect(fullRow().state == "{\(full)\(Self.full)}")
        #expect(EventRow().state == "{\(empty)\(Self.empty)}")
    }
}
