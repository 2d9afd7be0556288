import Foundation
import GRDBSQLite
import Model
import Reading
import Store
import TestSupport
import Testing

@testable import Serving
@testable import Settings

@Suite struct PageTests {
    private let directory = TemporaryDirectory()
    private let test: TestAPI
    private var folder: String { directory.path + "/page" }
    private let browser = ["accept": "text/html,application/xhtml+xml,*/*;q=0.8"]

    init() throws { test = try TestAPI() }

    /// Writes a file of the page.
    private func write(_ text: String, to name: String) throws {
        let url = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func files() throws -> PageFiles {
        try write("<script src=\"@PAGE@/app/main.js\"></script>", to: "index.html")
        try write("plain", to: "app/main.js")
        try write("packed", to: "app/main.js.gz")
        try write("{}", to: "basemap/places.geojson")
        try write("a key", to: "app/key.pem")
        return try #require(PageFiles(folder: folder))
    }

    private func interface(_ serve: ServeSettings = ServeSettings(), files: PageFiles? = nil) -> ReadAPI {
        let feeds = [
            SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/{period}.geojson"),
            SourceSettings(name: "more", kind: "usgs", url: "https://example.org/more"),
            SourceSettings(name: "here", kind: "rss", url: "http://127.0.0.1:8080/feed"),
        ]
        var settings = Settings(database: directory.path + "/events.sqlite", sources: feeds)
        settings.serve = serve
        return ReadAPI(program: "1.0", feeds: feeds, map: MapPage(settings, files: files))
    }

    private func text(_ answer: APIAnswer) -> String {
        if case .whole(let bytes) = answer.body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    /// Asks for a path, with a query behind `?`.
    private func ask(_ api: ReadAPI, _ target: String, _ headers: [String: String] = [:]) -> APIAnswer {
        let parts = target.split(separator: "?", maxSplits: 1).map { String($0) }
        let request = APIRequest(
            path: parts[0], query: parts.count > 1 ? parts[1] : nil,
            headers: headers.merging(["host": "api.example:8423"]) { own, _ in own })
        return api.answer(request, from: test.store, now: start)
    }

    // MARK: - The page and its files

    @Test func theStartIsThePageForBrowsersAlone() throws {
        let files = try files()
        let api = interface(files: files)
        let page = ask(api, "/", browser)
        #expect(text(page) == "<script src=\"page/\(files.hash)/app/main.js\"></script>")
        #expect(page.header("content-type") == "text/html; charset=utf-8")
        #expect(page.header("cache-control") == "no-cache")
        let policy = try #require(page.header("content-security-policy"))
        #expect(policy.contains("script-src 'self';"))
        // A 304 without the policy would take it from the page that the browser has.
        let tag = try #require(page.header("etag"))
        let kept = ask(api, "/", browser.merging(["if-none-match": tag]) { own, _ in own })
        #expect(kept.status == 304)
        #expect(kept.header("content-security-policy") == policy)
        #expect(kept.header("referrer-policy") == "no-referrer")
        #expect(ask(api, "/").header("content-type") == "application/json")
        let alone = ask(api, "/?embed=1", browser)
        #expect(text(alone) == text(page))
        #expect(alone.header("content-security-policy") == policy)
        #expect(ask(api, "/?embed=yes", browser).status == 400)
        #expect(ask(api, "/?embed=1").status == 400, "without the page it means nothing")
        // It would show all events.
        #expect(ask(api, "/?located=true", browser).status == 400)
        #expect(ask(api, "/?located=true").status == 200)
        let links = ask(api, "/?f=html", browser)
        #expect(text(links).contains("/collections/earthquakes/items?f=html"))
        #expect(!text(links).contains("make page"))
        #expect(links.header("content-security-policy") == nil)
    }

    @Test func withoutItsFilesTheStartSaysHowToGetThem() throws {
        let page = ask(interface(), "/", browser)
        #expect(page.status == 200)
        #expect(text(page).contains("make page"))
        #expect(text(page).contains("/collections/earthquakes/items?f=html"))
        #expect(PageFiles(folder: folder) == nil)
        try write("{}", to: "app/main.js")
        #expect(PageFiles(folder: folder) == nil, "without index.html")
    }

    @Test func aFileIsKeptForEverUnderItsHash() throws {
        let files = try files()
        let api = interface(files: files)
        let address = "/page/\(files.hash)/app/main.js"
        let plain = ask(api, address)
        #expect(plain.status == 200)
        #expect(text(plain) == "plain")
        #expect(plain.header("content-type") == "text/javascript; charset=utf-8")
        #expect(plain.header("cache-control") == "public, max-age=31536000, immutable")
        #expect(plain.header("vary") == "accept-encoding")
        #expect(plain.header("content-encoding") == nil)
        for field in ["gzip", "br, GZIP;q=0.5"] {
            let packed = ask(api, address, ["accept-encoding": field])
            #expect(text(packed) == "packed", "\(field)")
            #expect(packed.header("content-encoding") == "gzip")
            #expect(packed.header("vary") == "accept-encoding")
        }
        for field in ["", "identity", "gzip;q=0", "gzip; q=0.000"] {
            #expect(text(ask(api, address, ["accept-encoding": field])) == "plain", "\(field)")
        }
        let places = ask(api, "/page/\(files.hash)/basemap/places.geojson", ["accept-encoding": "gzip"])
        #expect(text(places) == "{}")
        #expect(places.header("vary") == nil)
    }

    @Test func nothingBesideTheFilesIsServed() throws {
        let files = try files()
        let api = interface(files: files)
        try Data("out".utf8).write(to: URL(fileURLWithPath: directory.path + "/outside.js"))
        let hash = files.hash
        for path in [
            "/page", "/page/\(hash)", "/page/\(hash)/", "/page/\(hash)/app", "/page/\(hash)/app/key.pem",
            "/page/\(hash)/app/main.js.gz", "/page/\(hash)/index.html", "/page/\(hash)/../outside.js",
            "/page/\(hash)/app/../../outside.js", "/page/\(hash)/%2e%2e/outside.js", "/page/\(hash)/..%2Foutside.js",
            "/page/\(hash)//app/main.js", "/page/0000000000000000/app/main.js", "/page/app/main.js",
        ] {
            #expect(ask(api, path).status == 404, "\(path)")
        }
        #expect(ask(api, "/page/\(hash)/app/main.js?x=1").status == 400)
        #expect(ask(interface(), "/page/\(hash)/app/main.js").status == 404)
    }

    @Test func otherContentHasAnotherAddress() throws {
        let first = try files().hash
        #expect(try files().hash == first)
        try write("plaim", to: "app/main.js")
        let changed = try #require(PageFiles(folder: folder)).hash
        #expect(changed != first)
        try write("plain", to: "app/main.js")
        try write("", to: "app/more.js")
        #expect(try #require(PageFiles(folder: folder)).hash != first)
    }

    @Test func aFileStaysAsItWasAtTheStartAndAPipeIsNone() throws {
        _ = try files()
        try #require(mkfifo("\(folder)/app/pipe.js", 0o600) == 0)
        let page = try #require(PageFiles(folder: folder))
        let api = interface(files: page)
        try #require(truncate("\(folder)/app/main.js", 0) == 0)
        #expect(text(ask(api, "/page/\(page.hash)/app/main.js")) == "plain")
        #expect(ask(api, "/page/\(page.hash)/app/pipe.js").status == 404)
    }

    // MARK: - Frames and compression

    @Test func thePolicyNamesWhoMayFrameThePage() throws {
        let files = try files()
        let serve = ServeSettings(frameAncestors: ["https://news.example.org", "http://localhost:8080"])
        let page = ask(interface(serve, files: files), "/", browser)
        let policy = try #require(page.header("content-security-policy"))
        #expect(policy.hasSuffix("; frame-ancestors https://news.example.org http://localhost:8080"))
        let bare = ask(interface(files: files), "/", browser)
        #expect(bare.header("content-security-policy")?.hasSuffix("; frame-ancestors 'none'") == true)
        // A browser that has the page of before asks for it anew.
        #expect(page.header("etag") != bare.header("etag"))
    }

    private func inflated(_ answer: APIAnswer) throws -> String {
        #expect(answer.header("content-encoding") == "gzip")
        guard case .whole(let packed) = answer.body else { return "" }
        let inflater = try #require(GzipInflater())
        var output = [UInt8](repeating: 0, count: 1 << 22)
        let step = packed.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { inflater.step(input, into: $0) }
        }
        return String(decoding: output.prefix(try #require(step).written), as: UTF8.self)
    }

    @Test func whatThePageAsksForIsCompressed() throws {
        try test.poll((0..<200).map { quake("q\($0)", hours: -Double($0) / 10) })
        try Data(String(repeating: "[1.5,2.5],", count: 500).utf8)
            .write(to: URL(fileURLWithPath: directory.path + "/plates.geojson"))
        let api = interface(settings())
        let packing = ["accept-encoding": "gzip, deflate, br"]
        for target in [
            "/collections/events/items?f=columns&versions=true&properties=depth_km&limit=1000",
            "/collections/events/items?limit=50", "/summary/histogram?bin=60&by=category", "/status",
            "/page/overlays/plates", "/collections/events/items?f=html",
        ] {
            let plain = ask(api, target)
            #expect(plain.status == 200 && plain.header("content-encoding") == nil, "\(target)")
            let packed = ask(api, target, packing)
            #expect(packed.headers.contains { $0.name == "vary" && $0.value == "accept-encoding" }, "\(target)")
            #expect(try inflated(packed) == text(plain), "\(target)")
            guard case .whole(let bytes) = packed.body else { continue }
            #expect(bytes.count < text(plain).utf8.count / 2, "\(target): \(bytes.count)")
            guard let tag = plain.header("etag") else { continue }
            #expect(packed.header("etag") == tag)
            let kept = ask(api, target, packing.merging(["if-none-match": tag]) { own, _ in own })
            #expect(kept.status == 304 && kept.header("content-encoding") == nil)
            #expect(kept.headers.contains { $0.name == "vary" && $0.value == "accept-encoding" })
        }
    }

    @Test func whatIsShortOrNoTextStaysAsItIs() throws {
        let picture = "89504E470D0A1A0A" + String(repeating: "00", count: 4000)
        try makeTiles("INSERT INTO tiles VALUES (0, 0, 0, x'\(picture)')")
        let api = interface(settings())
        let packing = ["accept-encoding": "gzip"]
        for target in ["/page/start", "/page/tiles/relief/0/0/0", "/collections/events/items?f=csv", "/page/nothing"] {
            #expect(ask(api, target, packing).header("content-encoding") == nil, "\(target)")
        }
        try test.poll((0..<50).map { quake("q\($0)", hours: -Double($0) / 10) })
        for field in ["identity", "br", "gzip;q=0"] {
            let answer = ask(api, "/collections/events/items", ["accept-encoding": field])
            #expect(answer.header("content-encoding") == nil, "\(field)")
        }
    }

    // MARK: - Base maps and overlays

    private let streets = BasemapSettings(
        name: "streets", tiles: .web("https://tile.example.org:8443/{z}/{x}/{y}.png?key=abc"), attribution: "© S",
        maximumZoom: 17, sendsReferer: true)

    private func settings() -> ServeSettings {
        let relief = BasemapSettings(
            name: "relief", tiles: .file(directory.path + "/relief.mbtiles"), attribution: "R")
        let plates = OverlaySettings(name: "plates", file: directory.path + "/plates.geojson", attribution: "P. Bird")
        return ServeSettings(basemaps: [streets, relief], overlays: [plates])
    }

    @Test func thePageMayAskTheHostsOfItsBaseMapsAndNoOther() throws {
        let files = try files()
        let bare = ask(interface(files: files), "/", browser)
        let page = ask(interface(settings(), files: files), "/", browser)
        let policy = try #require(page.header("content-security-policy"))
        #expect(policy.contains("img-src 'self' data: blob: https://tile.example.org:8443;"))
        #expect(policy.contains("connect-src 'self' https://tile.example.org:8443;"))
        #expect(policy.components(separatedBy: "https://").count == 3)
        #expect(bare.header("content-security-policy")?.contains("https:") == false)
        #expect(page.header("referrer-policy") == "strict-origin")
        #expect(bare.header("referrer-policy") == "no-referrer")
        #expect(page.header("etag") != bare.header("etag"))
    }

    @Test func thePageLearnsWhatIsConfigured() throws {
        try makeTiles("INSERT INTO metadata VALUES ('maxzoom', '7')")
        let answer = ask(interface(settings()), "/page/start")
        #expect(answer.header("content-type") == "application/json")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(text(answer).utf8)) as? [String: Any])
        #expect(object["version"] as? String == "1.0")
        #expect(object["gazetteer"] is NSNull)
        #expect(object["attributions"] as? [String] == ["example.org", "here"])
        let maps = try #require(object["basemaps"] as? [[String: Any]])
        #expect(maps.map { $0["name"] as? String } == ["streets", "relief"])
        #expect(maps.map { $0["type"] as? String } == ["raster", "raster"])
        #expect(maps.map { $0["maxzoom"] as? Int } == [17, 7])
        #expect(maps.map { $0["attribution"] as? String } == ["© S", "R"])
        #expect(maps[0]["tiles"] as? [String] == ["https://tile.example.org:8443/{z}/{x}/{y}.png?key=abc"])
        #expect(maps[1]["tiles"] as? [String] == ["page/tiles/relief/{z}/{x}/{y}"])
        let overlays = try #require(object["overlays"] as? [[String: String]])
        #expect(overlays == [["name": "plates", "url": "page/overlays/plates", "attribution": "P. Bird"]])
        let tag = try #require(answer.header("etag"))
        #expect(ask(interface(settings()), "/page/start", ["if-none-match": tag]).status == 304)
        let bare = ask(ReadAPI(program: "1.0"), "/page/start")
        #expect(
            text(bare)
                == #"{"version":"1.0","basemaps":[],"overlays":[],"attributions":[],"pictures":false,"gazetteer":null}"#
                + "\n")
    }

    /// Makes the file of the base map `relief`, with further SQL.
    private func makeTiles(_ sql: String) throws {
        var opened: OpaquePointer?
        try #require(sqlite3_open(directory.path + "/relief.mbtiles", &opened) == SQLITE_OK)
        let database = try #require(opened)
        defer { sqlite3_close_v2(database) }
        let tables = """
            CREATE TABLE metadata (name TEXT, value TEXT);
            CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
            """
        try #require(sqlite3_exec(database, tables + sql, nil, nil, nil) == SQLITE_OK)
    }

    @Test func tilesComeFromTheFile() throws {
        // The first row of the file is the southern one.
        try makeTiles(
            """
            INSERT INTO tiles VALUES (1, 0, 1, x'89504E470D0A1A0A'), (1, 1, 1, x'FFD8FFE0'),
              (1, 0, 0, x'524946460000000057454250'), (1, 1, 0, x'1F8B0800');
            """)
        let api = interface(settings())
        let tiles = "/page/tiles/relief"
        for (place, type) in [("1/0/0", "image/png"), ("1/1/0", "image/jpeg"), ("1/0/1", "image/webp")] {
            let tile = ask(api, "\(tiles)/\(place)")
            #expect(tile.status == 200, "\(place)")
            #expect(tile.header("content-type") == type, "\(place)")
        }
        #expect(ask(api, "\(tiles)/1/1/1").status == 404, "compressed vectors are no picture")
        for place in ["2/0/0", "1/2/0", "1/-1/0", "99/0/0", "-1/0/0"] {
            #expect(ask(api, "\(tiles)/\(place)").status == 204, "\(place)")
        }
        for path in [
            "\(tiles)/1/0/0.png", "\(tiles)/1/0", "\(tiles)/1/0/0/0", "/page/tiles/streets/1/0/0",
            "/page/tiles/other/1/0/0",
        ] {
            #expect(ask(api, path).status == 404, "\(path)")
        }
        try FileManager.default.removeItem(atPath: directory.path + "/relief.mbtiles")
        let missing = ask(api, "\(tiles)/1/0/0")
        #expect(missing.status == 404)
        #expect(missing.fault == nil, "it is no fault of the database")
        #expect(!text(missing).contains(directory.path))
    }

    @Test func anOverlayIsTheFileAsItIs() throws {
        let api = interface(settings())
        #expect(ask(api, "/page/overlays/plates").status == 404)
        let content = #"{"type":"FeatureCollection","features":[]}"#
        try Data(content.utf8).write(to: URL(fileURLWithPath: directory.path + "/plates.geojson"))
        let answer = ask(api, "/page/overlays/plates")
        #expect(text(answer) == content)
        #expect(answer.header("content-type") == "application/geo+json")
        let tag = try #require(answer.header("etag"))
        #expect(ask(api, "/page/overlays/plates", ["if-none-match": tag]).status == 304)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: directory.path + "/plates.geojson"))
        #expect(text(ask(api, "/page/overlays/plates", ["if-none-match": tag])) == "{}")
        #expect(ask(api, "/page/overlays/other").status == 404)
    }

    @Test func theDescriptionLeavesThePageOut() {
        #expect(!OpenAPI.document(program: "1.0", base: "http://a.example").contains("\"/page"))
    }
}
