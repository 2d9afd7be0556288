import Foundation
import Settings
import TestSupport
import Testing

@testable import Serving

/// A service whose addresses begin with a path, as behind a proxy.
@Suite struct BasePathTests {
    private static let site = "https://api.example"
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private let test: TestAPI

    init() throws { test = try TestAPI.filled() }

    /// Asks for a path, with a query behind `?`; by default the service of `test`.
    private func ask(
        _ target: String, base: String = "/quakes", _ headers: [String: String] = [:], of other: TestAPI? = nil,
        by api: ReadAPI? = nil
    ) -> APIAnswer {
        let parts = target.split(separator: "?", maxSplits: 1).map { String($0) }
        let own = ["host": "api.example", "x-forwarded-proto": "https"]
        let request = APIRequest(
            path: parts[0], query: parts.count > 1 ? parts[1] : nil, headers: own.merging(headers) { $1 },
            basePath: base)
        let scene = other ?? test
        return (api ?? scene.api).answer(request, from: scene.store, now: start)
    }

    /// Fields and text of an answer, without its ETag.
    private func whole(_ answer: APIAnswer) throws -> String {
        let fields = answer.headers.filter { $0.name != "etag" }.map { "\($0.name): \($0.value)\n" }
        return try "\(answer.status)\n" + fields.joined() + test.text(answer)
    }

    private func detail(_ answer: APIAnswer) throws -> String? {
        let object = try JSONSerialization.jsonObject(with: Data(try test.text(answer).utf8))
        return (object as? [String: Any])?["detail"] as? String
    }

    // MARK: - Links

    private static let linked = [
        "/?f=json", "/?f=html", "/api?f=json", "/api?f=html", "/collections?f=json", "/collections?f=html",
        "/collections/earthquakes?f=json", "/collections/earthquakes?f=html", "/collections/news/schema",
        "/collections/news/queryables", "/collections/events/items?limit=1", "/collections/events/items?limit=1&f=html",
        "/collections/events/items?limit=1&f=csv", "/collections/events/items?limit=1&f=ndjson",
        "/collections/events/items?limit=1&f=columns", "/collections/volcanoes/items", "/feed.atom?limit=2",
        "/network-link.kml", "/earthquakes/feed/v1.0/summary/all_day.geojson", "/fdsnws/event/1/",
        "/fdsnws/event/1/application.wadl", "/fdsnws/event/1/query?format=geojson&limit=1",
    ]

    /// The answers differ in the addresses of links alone, and in all of them.
    @Test(arguments: linked, ["/quakes", "/a/b-1.0_x"]) func everyLinkHasThePath(target: String, base: String) throws {
        let plain = try whole(ask(target, base: ""))
        let below = try whole(ask(base + target, base: base))
        #expect(plain.hasPrefix("200\n"))
        #expect(below.replacingOccurrences(of: Self.site + base, with: Self.site) == plain)
        let links = below.components(separatedBy: Self.site).dropFirst()
        #expect(!links.isEmpty)
        for rest in links {
            #expect(rest.hasPrefix("\(base)/") || rest.hasPrefix("\(base)\""), "\(rest.prefix(80))")
        }
        for mark in ["href=\"/", "\"href\":\"/", "src=\"/"] { #expect(!below.contains(mark), "\(mark)") }
    }

    @Test func anItemAndItsPartsHaveThePath() throws {
        let path = "/quakes/collections/events/items/\(try test.publicID("chile"))"
        #expect(try test.text(ask(path)).contains("\"\(Self.site)\(path)/history\""))
        for part in ["/history", "/sources"] { #expect(ask(path + part).status == 200) }
    }

    @Test func aMergedEventLeadsBelowThePath() throws {
        let merged = try TestAPI()
        try merged.poll([quake("us1")])
        try merged.poll([quake("ci1")], at: start + 30)
        let ids = [try merged.publicID("us1"), try merged.publicID("ci1")]
        try merged.poll([quake("us1", aliases: ["ci1"], updated: 1)], at: start + 60)
        let answers = ids.map { ask("/quakes/collections/events/items/\($0)", of: merged) }
        let location = try #require(answers.first { $0.status == 301 }?.header("location"))
        #expect(ids.contains { location == "\(Self.site)/quakes/collections/events/items/\($0)" }, "\(location)")
    }

    // MARK: - One form of each address

    @Test(arguments: ["/?f=json", "/collections/events/items?limit=1", "/conformance", "/feed.atom?limit=1"])
    func aProxyThatTakesThePathAwayGetsTheSame(target: String) throws {
        let passed = try whole(ask("/quakes" + target))
        #expect(passed.hasPrefix("200\n"))
        #expect(try whole(ask(target, ["x-forwarded-prefix": "/quakes"])) == passed)
    }

    /// An address of two forms would escape a proxy's rule for one of them.
    @Test(arguments: [
        ("/metrics", ""), ("/metrics", "/other"), ("/metrics", "/quakes/"), ("/", ""), ("/quakes/quakes/metrics", ""),
        ("/quakes/metrics", "/quakes"), ("/quakesmetrics", ""), ("/QUAKES/metrics", ""), ("/%71uakes/metrics", ""),
        ("//quakes/metrics", ""), ("/x/../quakes/metrics", ""),
    ])
    func anotherFormIsNoAddress(path: String, prefix: String) {
        #expect(ask(path, prefix.isEmpty ? [:] : ["x-forwarded-prefix": prefix]).status == 404)
    }

    @Test func withoutABasePathNothingIsTakenAway() {
        #expect(ask("/conformance", base: "", ["x-forwarded-prefix": "/quakes"]).status == 200)
        #expect(ask("/conformance", base: "", ["x-forwarded-prefix": ""]).status == 200)
        #expect(ask("/quakes/conformance", base: "", ["x-forwarded-prefix": "/quakes"]).status == 404)
    }

    // MARK: - Redirects

    @Test func thePathWithoutItsSlashLeadsToTheStart() {
        for (target, base, location) in [
            ("/quakes", "/quakes", "/quakes/"), ("/quakes?f=html", "/quakes", "/quakes/?f=html"),
            ("/a/b", "/a/b", "/a/b/"),
        ] {
            let answer = ask(target, base: base)
            #expect(answer.status == 301)
            #expect(answer.header("location") == location)
        }
    }

    /// No path of a request leads to another host.
    @Test(arguments: [
        "//evil.example", "//evil.example/quakes/", "/quakes//evil.example", "/quakes//evil.example/", "/quakes//",
        "/quakes/%2F%2Fevil.example", "/quakes/..//evil.example", "/quakes/\\evil.example",
        "/quakes/https:evil.example",
    ])
    func otherPathsLeadNowhere(path: String) {
        let answer = ask(path)
        #expect(answer.status == 404)
        #expect(answer.header("location") == nil)
    }

    // MARK: - Words

    @Test func wordsNameWholePaths() throws {
        let nothing = "there is nothing at /quakes/nothing; the start is at /quakes/"
        #expect(try detail(ask("/quakes/nothing")) == nothing)
        let outside = try #require(try detail(ask("/collections")))
        #expect(outside.hasPrefix("the start is at /quakes/ "))
        #expect(outside.hasSuffix(" X-Forwarded-Prefix: /quakes"))
        let known = try detail(ask("/quakes/collections/events/items/chile"))
        #expect(known?.hasSuffix(" /quakes/collections/events/items/\(try test.publicID("chile"))") == true)
        let refusal = try test.text(ask("/quakes/fdsnws/event/1/query?limit=x"))
        #expect(refusal.contains("\nUsage details are available from \(Self.site)/quakes/fdsnws/event/1/\n"))
        #expect(refusal.contains("\n/quakes/fdsnws/event/1/query?limit=x\n"))
    }

    // MARK: - The page

    @Test func thePageNamesItsFilesBelowItself() throws {
        let folder = TemporaryDirectory()
        try Data("<script src=\"@PAGE@/main.js\"></script>".utf8).write(
            to: folder.url.appendingPathComponent("index.html"))
        try Data("plain".utf8).write(to: folder.url.appendingPathComponent("main.js"))
        let files = try #require(PageFiles(folder: folder.path))
        let settings = Settings(database: test.directory.path + "/events.sqlite", sources: [])
        let api = ReadAPI(program: "1.0", map: MapPage(settings, files: files))
        let page = try test.text(ask("/quakes/", ["accept": "text/html"], by: api))
        #expect(page == "<script src=\"page/\(files.hash)/main.js\"></script>")
        #expect(try test.text(ask("/quakes/page/\(files.hash)/main.js", by: api)) == "plain")
    }

    @Test func theShippedPageHasNoAddressFromTheRoot() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("page/index.html"), encoding: .utf8)
        for mark in ["href=\"/", "src=\"/", "://"] { #expect(!page.contains(mark), "\(mark)") }
    }
}
