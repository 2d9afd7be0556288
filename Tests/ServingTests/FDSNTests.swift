import Foundation
import Model
import Store
import Testing

@testable import Serving

@Suite struct FDSNTests {
    private static let query = "/fdsnws/event/1/query"

    /// The upstream ids, which are the ninth column.
    private func ids(_ test: TestAPI, _ query: String) throws -> [String] {
        let answer = test.get(Self.query, query + "&format=text")
        guard answer.status != 204 else { return [] }
        #expect(answer.status == 200, "\(query)")
        let lines = try test.text(answer).split(separator: "\n").dropFirst()
        return lines.compactMap { line in
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            return columns.count == 13 ? String(columns[8]) : nil
        }
    }

    // MARK: - Conditions

    @Test(
        arguments: [
            ("", ["chile", "fiji-west", "fiji-east", "pole"]),
            ("starttime=2026-02-28T22:00:00", ["chile", "fiji-west"]),
            ("start=2026-02-28T22:00:00.000000&end=2026-02-28T22:00:00Z", ["fiji-west"]),
            ("endtime=2026-02-28T21:00:00", ["fiji-east", "pole"]), ("endtime=2026-02-28", []),
            ("minlatitude=-18&maxlatitude=0", ["fiji-west", "fiji-east"]),
            ("minlon=170&maxlon=-170", ["fiji-west", "fiji-east"]),
            ("minlon=170&maxlon=190", ["fiji-west", "fiji-east"]), ("maxlongitude=0", ["chile", "fiji-east"]),
            ("minlongitude=-180&maxlongitude=180", ["chile", "fiji-west", "fiji-east", "pole"]),
            ("latitude=-20&longitude=-70&maxradius=1", ["chile"]), ("lat=-17&lon=180&minradius=1", ["chile", "pole"]),
            ("lat=-17&lon=180&minradius=0.6&maxradius=1", ["fiji-east"]),
            ("lat=-17&lon=180&maxradius=180", ["chile", "fiji-west", "fiji-east", "pole"]),
            ("minmag=5.5", ["fiji-west"]), ("maxmagnitude=5.5", ["chile", "pole"]), ("mindepth=10.5", []),
            ("maxdepth=10", ["chile", "fiji-west", "fiji-east", "pole"]),
            ("eventtype=explosion,Earthquake", ["chile", "fiji-west", "fiji-east", "pole"]),
            ("eventtype=explosion", []), ("catalog=quakes", ["chile", "fiji-west", "fiji-east", "pole"]),
            ("catalog=news", []), ("catalog=nothing", []),
            ("contributor=usgs", ["chile", "fiji-west", "fiji-east", "pole"]),
            ("contributor=emsc", []), ("updatedafter=2026-03-01T00:00:00", []),
            ("updatedafter=2026-02-28T23:59:59", ["chile", "fiji-west", "fiji-east", "pole"]),
            ("includeallorigins=true&includeallmagnitudes=TRUE&includearrivals=false&limit=1", ["chile"]),
            ("orderby=time-asc", ["pole", "fiji-east", "fiji-west", "chile"]),
            ("orderby=magnitude", ["fiji-west", "chile", "pole"]),
            ("orderby=magnitude-asc", ["pole", "chile", "fiji-west"]), ("eventid=0000000000000000", []),
            ("eventid=us7000abcd", []), ("eventid=chile", ["chile"]), ("eventid=chile&contributor=emsc", []),
            ("eventid=storm", []), ("limit=2&offset=2", ["fiji-west", "fiji-east"]), ("offset=5", []),
            ("offset=100001", []),
        ] as [(String, [String])])
    func eachConditionNarrows(query: String, expected: [String]) throws {
        let test = try TestAPI.filled()
        #expect(try ids(test, query) == expected)
    }

    @Test(arguments: ["time", "time-asc", "magnitude", "magnitude-asc"])
    func offsetsAddUpToTheWhole(order: String) throws {
        let test = try TestAPI.filled()
        let whole = try ids(test, "orderby=\(order)")
        var walked: [String] = []
        for offset in 1...4 { walked += try ids(test, "orderby=\(order)&limit=1&offset=\(offset)") }
        #expect(walked == whole)
    }

    @Test func onlyLocatedEarthquakesCome() throws {
        let test = try TestAPI.filled()
        var (blast, lost) = (quake("blast", hours: -0.5), quake("lost", hours: -0.25))
        blast.category = Model.Category(rawValue: "quarry blast")
        lost.location = nil
        try test.poll([blast, lost], at: start + 60)
        #expect(try ids(test, "") == ["chile", "fiji-west", "fiji-east", "pole"])
    }

    @Test func withdrawnEventsComeWhereTheyAreAskedFor() throws {
        let test = try TestAPI.filled()
        let withdrawal = Withdrawal(provider: "usgs", id: "chile", reason: .deleted, evidence: "status deleted")
        try test.poll([], at: start + 60, withdrawals: [withdrawal])
        #expect(try ids(test, "") == ["fiji-west", "fiji-east", "pole"])
        #expect(try ids(test, "includedeleted=true").count == 4)
        #expect(try ids(test, "includedeleted=only&updatedafter=2026-03-01") == ["chile"])
        let xml = try test.text(test.get(Self.query, "includedeleted=only"))
        #expect(xml.contains("<evaluationStatus>rejected</evaluationStatus>"))
        #expect(xml.contains("<comment><text>Withdrawn (deleted): status deleted</text></comment>"))
        let geojson = try test.json(Self.query, "includedeleted=only&format=geojson")
        let properties = test.features(geojson).first?["properties"] as? [String: Any]
        #expect(properties?["status"] as? String == "deleted")
    }

    @Test func theFormerIdOfAMergedEventFindsIt() throws {
        let test = try TestAPI()
        try test.poll([quake("q1"), quake("q2")])
        let former = try test.publicID("q2")
        try test.poll([quake("q1", aliases: ["q2"], updated: 1)], at: start + 60)
        #expect(try ids(test, "eventid=\(former)") == ["q1"])
        #expect(try ids(test, "eventid=q2") == ["q1"])
        #expect(try ids(test, "eventid=smi:local/event/\(former)") == ["q1"])
    }

    @Test func anIdOfTwoProvidersFindsBothEvents() throws {
        let test = try TestAPI()
        var other = quake("2026abcd", hours: -3)
        other.provider = "emsc"
        try test.poll([quake("2026abcd"), other])
        #expect(try ids(test, "eventid=2026abcd").count == 2)
        let text = try test.text(test.get(Self.query, "eventid=2026abcd&contributor=emsc&format=text"))
        #expect(text.contains("|emsc|2026abcd|") && !text.contains("|usgs|"), "\(text)")
    }

    // MARK: - Counts

    @Test(arguments: [
        ("", 4), ("starttime=2026-02-28T22:00:00", 2), ("minmag=5.5", 1), ("minlon=170&maxlon=-170", 2),
        ("lat=-20&lon=-70&maxradius=1", 1), ("eventtype=explosion", 0), ("eventid=chile", 1), ("eventid=nothing", 0),
        ("limit=1&offset=2", 4), ("orderby=magnitude", 3), ("contributor=emsc", 0), ("endtime=2026-01-01", 0),
    ]) func eventsAreCounted(query: String, count: Int) throws {
        let test = try TestAPI.filled()
        let plain = test.get("/fdsnws/event/1/count", query)
        #expect(plain.header("content-type") == "text/plain; charset=utf-8")
        #expect(try test.text(plain) == "\(count)\n")
        let json = try test.json("/fdsnws/event/1/count", query + "&format=geojson")
        #expect(json["count"] as? Int == count)
        #expect(json["maxAllowed"] as? Int == FDSNRequest.mostEvents)
        if !query.contains("limit") { #expect(try ids(test, query).count == count) }
    }

    @Test func withdrawnEventsCountWhereTheyAreAskedFor() throws {
        let test = try TestAPI.filled()
        let withdrawal = Withdrawal(provider: "usgs", id: "chile", reason: .deleted, evidence: "status deleted")
        try test.poll([], at: start + 60, withdrawals: [withdrawal])
        for (query, count) in [(nil, 3), ("includedeleted=true", 4), ("includedeleted=only", 1)] as [(String?, Int)] {
            #expect(try test.text(test.get("/fdsnws/event/1/count", query)) == "\(count)\n")
        }
    }

    @Test func aCountHasTheFormsOfOneNumber() throws {
        let test = try TestAPI.filled()
        let refusal = try test.text(test.get("/fdsnws/event/1/count", "format=xml"))
        #expect(refusal.contains("Accepted: text, geojson\n"), "\(refusal)")
        #expect(test.get("/fdsnws/event/1/count", "unknown=1").status == 400)
        let tag = try #require(test.get("/fdsnws/event/1/count").header("etag"))
        #expect(test.get("/fdsnws/event/1/count", headers: ["if-none-match": tag]).status == 304)
        #expect(test.get("/fdsnws/event/1/count", "format=geojson", headers: ["if-none-match": tag]).status == 200)
    }

    /// Where there is nothing, no parameter is wrong.
    @Test(arguments: ["queries", "counts", "query/1", "Query"])
    func anUnknownAddressIsMissingWhateverItsParameters(name: String) throws {
        let test = try TestAPI.filled()
        for query in [nil, "starttime=2026-03-01", "unknown=1"] {
            let answer = test.get("/fdsnws/event/1/\(name)", query)
            #expect(answer.status == 404, "\(query ?? "")")
            #expect(try test.text(answer).hasPrefix("Error 404: Not Found\n"))
        }
    }

    // MARK: - One event

    @Test func theDetailOfAFeatureIsOneFeature() throws {
        let test = try TestAPI.filled()
        let all = try test.json(Self.query, "format=geojson")
        #expect(test.features(all).count == 4)
        for feature in test.features(all) {
            let properties = try #require(feature["properties"] as? [String: Any])
            let (path, query) = test.parts(try #require(properties["detail"] as? String))
            let detail = try test.json(path, query)
            #expect(detail["type"] as? String == "Feature")
            #expect(detail["id"] as? String == feature["id"] as? String)
        }
        // Its other names lead there, too; two events of one name are a collection.
        #expect(try test.json(Self.query, "eventid=chile&format=geojson")["type"] as? String == "Feature")
        var other = quake("chile", hours: -3)
        other.provider = "emsc"
        try test.poll([other], at: start + 60)
        for query in ["eventid=chile&format=geojson", "eventid=chile&limit=1&format=geojson"] {
            #expect(try test.json(Self.query, query)["type"] as? String == "FeatureCollection")
        }
        let one = try test.json(Self.query, "eventid=chile&contributor=emsc&format=geojson")
        #expect(one["type"] as? String == "Feature")
        // Without an id one event is a collection of one.
        #expect(test.features(try test.json(Self.query, "limit=1&format=geojson")).count == 1)
    }

    // MARK: - Refusals

    @Test(arguments: [
        ("minmagnitude=x", "minmagnitude"), ("minmag=6&maxmag=5", "minmag"), ("minlat=5&minlatitude=5", "minlat"),
        ("minlatitude=91", "minlatitude"), ("minlatitude=5&maxlatitude=4", "minlatitude"),
        ("maxlongitude=541", "maxlongitude"), ("latitude=5", "longitude"), ("maxradius=5", "latitude"),
        ("lat=0&lon=0&maxradius=181", "maxradius"), ("lat=0&lon=0&minradius=2&maxradius=1", "minradius"),
        ("starttime=yesterday", "starttime"), ("start=2026-03-02&end=2026-03-01", "start"), ("limit=0", "limit"),
        ("offset=0", "offset"), ("orderby=depth", "orderby"), ("format=kmz", "format"), ("nodata=200", "nodata"),
        ("includedeleted=maybe", "includedeleted"), ("includearrivals=2", "includearrivals"),
        ("magnitudetype=mww", "magnitudetype"), ("unknown=1", "unknown"), ("eventid=", "eventid"),
    ]) func aBadParameterIsNamedInPlainText(query: String, parameter: String) throws {
        let test = try TestAPI.filled()
        let answer = test.get(Self.query, query)
        #expect(answer.status == 400)
        #expect(answer.header("content-type") == "text/plain; charset=utf-8")
        #expect(answer.header("cache-control") == "no-store")
        let lines = try test.text(answer).split(separator: "\n")
        #expect(lines.first == "Error 400: Bad Request")
        #expect(lines.contains("Parameter: \(parameter)"))
        #expect(lines.contains { $0.hasPrefix("Accepted: ") })
        #expect(lines.contains("\(Self.query)?\(query)"))
        #expect(lines.last == "1.2.0")
    }

    @Test func nothingIs204Or404() throws {
        let test = try TestAPI.filled()
        let none = test.get(Self.query, "minmagnitude=9")
        #expect(none.status == 204)
        #expect(try test.text(none).isEmpty)
        let missing = test.get(Self.query, "minmagnitude=9&nodata=404")
        #expect(missing.status == 404)
        #expect(try test.text(missing).hasPrefix("Error 404: Not Found\n"))
        for path in ["/fdsnws", "/fdsnws/station/1/application.wadl", "/fdsnws/event/1/queryauth"] {
            #expect(test.get(path).status == 404, "\(path)")
        }
    }

    @Test func whatIsTooMuchIsRefused() throws {
        let test = try TestAPI.filled()
        #expect(test.get(Self.query, "offset=100002").status == 413)
        try test.poll((0..<1_100).map { quake("q\($0)", hours: -10 - Double($0) / 60) })
        func status(_ query: String) throws -> Int {
            var parameters = try Parameters(APIRequest(path: Self.query, query: query))
            let asked = try FDSNRequest(&parameters)
            do {
                let writer = try FDSNWriter(asked, base: "", generated: start, from: test.store, atMost: 1_050)
                return writer == nil ? 204 : 200
            } catch {
                return Problem(error).status
            }
        }
        #expect(try status("") == 413)
        #expect(try status("limit=1051") == 413)
        #expect(try status("limit=1050") == 200)
        #expect(try status("offset=55") == 200)
        #expect(try status("offset=54") == 413)
        #expect(try status("maxmagnitude=4") == 204)
        let costly = Problem(StoreError(.tooCostly, "")).fdsnAnswer(to: APIRequest(path: "/"), now: start)
        #expect(costly.status == 413)
        let busy = Problem(StoreError(.busy, "")).fdsnAnswer(to: APIRequest(path: "/"), now: start)
        #expect(busy.header("retry-after") == "5")
    }

    // MARK: - Forms

    @Test func aLongAnswerIsReadInPieces() throws {
        let test = try TestAPI()
        let events = (0..<3_500).map { quake("q\($0)", hours: -Double($0) / 60) }
        try test.poll(events)
        guard case .pieces = test.get(Self.query, "format=text").body else {
            Issue.record("the body is whole")
            return
        }
        #expect(try ids(test, "") == events.map(\.id))
        let json = try test.json(Self.query, "format=geojson")
        #expect(test.features(json).count == 3_500)
        #expect((json["metadata"] as? [String: Any])?["count"] as? Int == 3_500)
    }

    @Test func theFormsHaveTheirTypes() throws {
        let test = try TestAPI.filled()
        let types = [
            "xml": "application/xml", "text": "text/plain; charset=utf-8", "geojson": "application/geo+json",
            "csv": "text/csv; charset=utf-8", "kml": "application/vnd.google-earth.kml+xml",
        ]
        #expect(Set(types.keys) == Set(FDSNFormat.allCases.map(\.rawValue)))
        for (format, type) in types {
            let answer = test.get(Self.query, "format=\(format)")
            #expect(answer.header("content-type") == type)
            let tag = try #require(answer.header("etag"))
            #expect(test.get(Self.query, "format=\(format)", headers: ["if-none-match": tag]).status == 304)
        }
        #expect(test.get(Self.query).header("content-type") == "application/xml")
        let csv = try test.text(test.get(Self.query, "format=csv")).components(separatedBy: "\r\n")
        #expect(csv.count == 6)
        let kml = try test.text(test.get(Self.query, "format=kml"))
        #expect(kml.components(separatedBy: "<Placemark ").count == 5)
        #expect(kml.hasSuffix("</kml>\n"))
        let geojson = try test.json(Self.query, "format=geojson&limit=1")
        let metadata = try #require(geojson["metadata"] as? [String: Any])
        #expect(metadata["count"] as? Int == 1)
        #expect(
            metadata["url"] as? String == "http://api.example:8423/fdsnws/event/1/query?format=geojson&limit=1")
    }

    @Test func anEventIsALineOf13Columns() throws {
        let test = try TestAPI.filled()
        let id = try test.publicID("chile")
        let text = try test.text(test.get(Self.query, "format=text&limit=1"))
        #expect(
            text == """
                #EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|\
                MagAuthor|EventLocationName
                \(id)|2026-02-28T23:00:00.000|-20|-70|10|usgs|quakes|usgs|chile||5|usgs|M chile

                """)
        var odd = quake("odd", magnitude: nil)
        odd.place = "a|b\nc"
        let stored = StoredEvent(
            publicID: id, event: odd, firstSeen: start, lastChanged: start, changeSequence: 1)
        #expect(FDSNText.line(USGSFeature(stored)).hasSuffix("|usgs|odd||||a b c"))
    }

    @Test func anEventIsWrittenInQuakeML() {
        var event = quake("us7000abcd", updated: 1)
        event.details = #"{"magType":"mww","net":"us","nst":87,"gap":31.5,"rms":0.62,"dmin":0.4}"#
        event.place = "S of \"X\" & <Y>"
        event.depth = 8.1
        event.status = "reviewed"
        let stored = StoredEvent(
            publicID: "0123456789abcdef", event: event, firstSeen: start, lastChanged: start, revision: 3,
            changeSequence: 1)
        let information = """
            <creationInfo><agencyID>us</agencyID><creationTime>2026-03-01T00:01:00.000Z</creationTime>\
            <version>3</version></creationInfo>
            """
        let evaluation =
            "<evaluationMode>manual</evaluationMode><evaluationStatus>reviewed</evaluationStatus>"
        #expect(
            QuakeML.event(USGSFeature(stored)) == """
                <event publicID="smi:local/event/0123456789abcdef">\
                <preferredOriginID>smi:local/origin/0123456789abcdef/3</preferredOriginID>\
                <preferredMagnitudeID>smi:local/magnitude/0123456789abcdef/3</preferredMagnitudeID>\
                <type>earthquake</type><description><text>S of &quot;X&quot; &amp; &lt;Y&gt;</text>\
                <type>earthquake name</type></description>\(information)\
                <origin publicID="smi:local/origin/0123456789abcdef/3">\
                <time><value>2026-02-28T22:00:00.000Z</value></time><longitude><value>-70</value></longitude>\
                <latitude><value>-20</value></latitude><depth><value>8100</value></depth>\
                <quality><usedStationCount>87</usedStationCount><standardError>0.62</standardError>\
                <azimuthalGap>31.5</azimuthalGap><minimumDistance>0.4</minimumDistance></quality>\
                \(evaluation)\(information)</origin>\
                <magnitude publicID="smi:local/magnitude/0123456789abcdef/3"><mag><value>5</value></mag>\
                <type>mww</type><originID>smi:local/origin/0123456789abcdef/3</originID>\
                \(evaluation)\(information)</magnitude></event>
                """)
    }

    // MARK: - Documents

    @Test func theDescriptionNamesEachParameterThatIsTaken() throws {
        let test = try TestAPI.filled()
        let answer = test.get("/fdsnws/event/1/application.wadl")
        #expect(answer.header("content-type") == "application/xml")
        let document = try test.text(answer)
        #expect(document.contains("<resources base=\"http://api.example:8423/fdsnws/event/1/\">"))
        let named = document.components(separatedBy: "<param name=\"").dropFirst()
            .compactMap { $0.components(separatedBy: "\"").first }
        let refusal = try test.text(test.get(Self.query, "unknown=1"))
        let line = try #require(refusal.split(separator: "\n").first { $0.hasPrefix("Accepted: ") })
        #expect(Set(named) == Set(line.dropFirst("Accepted: ".count).components(separatedBy: ", ")))
        #expect(named == FDSNParameter.all.map(\.name))
    }

    @Test func catalogsAndContributorsAreThoseOfEarthquakes() throws {
        let test = try TestAPI.filled()
        #expect(
            try test.text(test.get("/fdsnws/event/1/catalogs")).hasSuffix(
                "<Catalogs><Catalog>quakes</Catalog></Catalogs>\n"))
        #expect(
            try test.text(test.get("/fdsnws/event/1/contributors")).hasSuffix(
                "<Contributors><Contributor>usgs</Contributor></Contributors>\n"))
        #expect(try test.text(test.get("/fdsnws/event/1/version")) == "1.2.0")
        for path in ["/fdsnws/event/1", "/fdsnws/event/1/"] {
            #expect(test.get(path).header("content-type") == "text/html; charset=utf-8")
        }
        #expect(test.get("/fdsnws/event/1/version", "format=xml").status == 400)
    }

    @Test func aSourceWithFewEarthquakesAmongManyEventsIsACatalog() throws {
        let test = try TestAPI()
        // The earthquake is older than the newest hundred events of its source, and the other one is withdrawn.
        try test.poll([quake("old", hours: -30)], from: "news")
        try test.poll((0..<120).map { article("a\($0)", title: "Rain \($0)", hours: -1) }, from: "news")
        var other = quake("other")
        other.provider = "emsc"
        let deletion = Withdrawal(provider: "emsc", id: "other", reason: .deleted, time: start, evidence: "deleted")
        try test.poll([other], from: "tweets")
        try test.poll([], from: "tweets", withdrawals: [deletion])
        let catalogs = try test.text(test.get("/fdsnws/event/1/catalogs"))
        #expect(
            catalogs.hasSuffix("<Catalogs><Catalog>news</Catalog><Catalog>tweets</Catalog></Catalogs>\n"), "\(catalogs)"
        )
        let contributors = try test.text(test.get("/fdsnws/event/1/contributors"))
        #expect(
            contributors.hasSuffix(
                "<Contributors><Contributor>emsc</Contributor><Contributor>usgs</Contributor></Contributors>\n"),
            "\(contributors)")
    }

    @Test func theReferenceHoldsTheTable() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/api.md"), encoding: .utf8)
        let part = try #require(text.components(separatedBy: "\n## FDSN event web service\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        let names = part.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(names == FDSNParameter.all.map(\.name))
        for parameter in FDSNParameter.all {
            #expect(part.contains("| \(parameter.words) |"), "\(parameter.name)")
        }
    }
}
