import Foundation
import ProcessSupport
import ScriptedUpstream
import TestSupport
import Testing

/// `visiventd poll` without a daemon.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct PollCommandTests {
    private let directory = TemporaryDirectory()

    private func poll(_ names: String..., sources: String) async throws -> MeasuredRun {
        let file = directory.path + "/v.yaml"
        try Data("database: v.sqlite\nsources:\n\(sources)\n".utf8).write(to: URL(fileURLWithPath: file))
        let program = try #require(DaemonProcess.executable?.path)
        return try await MeasuredRun.of([program, "poll", "--config", file] + names)
    }

    /// The lines of both outputs.
    private func lines(_ run: MeasuredRun) -> [Substring] {
        run.output.split(separator: "\n") + run.errors.split(separator: "\n")
    }

    @Test func aSecretThatIsMissingIsNamedOnce() async throws {
        let run = try await poll(
            "news", sources: "  - {name: news, kind: rss, url: \"http://127.0.0.1:9/x\", authorization_file: /none/key}"
        )
        #expect(run.status == 75)
        #expect(lines(run).count == 1, "\(run.output)\(run.errors)")
        #expect(
            run.output.hasPrefix("news: failed: /none/key cannot be read: No such file or directory (operator: secret)")
        )
    }

    @Test func whatHasNothingToAskNamesTheCredentialsThatAreMissing() async throws {
        let live = "  - {name: live, kind: twitter, enabled: true, bearer_token_file: /none/token, keywords: [quake]}"
        // A source that is not polled is not named, though its credentials are missing.
        let other = "  - {name: other, kind: twitter, enabled: true, bearer_token_file: /none/other, keywords: [quake]}"
        let run = try await poll("live", sources: "\(live)\n\(other)")
        #expect(run.status == 75)
        #expect(run.output.hasPrefix("live: failed: the source has nothing to ask: ") && lines(run).count == 2)
        #expect(run.errors == "live: /none/token cannot be read: No such file or directory\n")
    }

    @Test func credentialsThatAServerRefusesAreToldOnce() async throws {
        let server = ScriptedUpstream()
        server.play("/feed.xml", [.status(401)])
        try await server.start()
        let run = try await poll(
            "news", sources: "  - {name: news, kind: rss, url: \"\(server.baseURL)/feed.xml\"}")
        await server.stop()
        #expect(run.status == 75)
        #expect(run.output.contains("http_401") && lines(run).count == 1, "\(run.output)\(run.errors)")
    }

    /// A source whose feed exists and is empty.
    private func emptySource() throws -> String {
        let feed = directory.path + "/feed.xml"
        try Data("<rss version=\"2.0\"><channel><title>t</title></channel></rss>".utf8)
            .write(to: URL(fileURLWithPath: feed))
        return "  - {name: news, kind: rss, url: \"file://\(feed)\"}"
    }

    @Test func ofGeocodingServicesOnlyThatCommandSpeaksWhichAsksThem() async throws {
        let run = try await poll(
            "news", sources: try emptySource() + "\ngeocoding: {mapquest: {key_file: /none/mapquest}}")
        #expect(run.status == 0)
        #expect(run.errors.isEmpty, "\(run.errors)")
        let program = try #require(DaemonProcess.executable?.path)
        let options = ["--config", directory.path + "/v.yaml"]
        let cities = Fixtures.url("demo-places/cities.txt").path
        #expect(try await MeasuredRun.of([program, "seed", "cities", cities] + options).status == 0)
        let geocode = try await MeasuredRun.of([program, "geocode", "Xyzzyville"] + options)
        #expect(geocode.errors.contains("/none/mapquest cannot be read"), "\(geocode.errors)")
    }

    @Test func aSourceThatIsNamedTwiceIsPolledOnce() async throws {
        let run = try await poll("news", "news", sources: try emptySource())
        #expect(run.status == 0)
        #expect(run.output == "news: 0 new, 0 changed, 0 unchanged\n")
    }

    @Test func aSourceThatBringsNothingSaysWhatItHolds() async throws {
        let feed = directory.path + "/links.kml"
        let link = "<NetworkLink><Link><href>https://example.org/x.kml?key=1</href></Link></NetworkLink>"
        try Data("<kml xmlns=\"http://www.opengis.net/kml/2.2\">\(link)</kml>".utf8)
            .write(to: URL(fileURLWithPath: feed))
        let run = try await poll("links", sources: "  - {name: links, kind: kml, url: \"file://\(feed)\"}")
        let words = "no event, but network_link 1 (https://example.org/x.kml)"
        #expect(run.status == 0)
        #expect(run.output == "links: 0 new, 0 changed, 0 unchanged; \(words)\n")
        let program = try #require(DaemonProcess.executable?.path)
        let status = try await MeasuredRun.of([program, "status", "--config", directory.path + "/v.yaml"])
        #expect(status.output.contains("links: \(words)\n"), "\(status.output)")
    }

    @Test func whatIsRefusedIsToldWithItsReasonsAsInStatus() async throws {
        let feed = directory.path + "/feed.xml"
        let items = ["one", "two"].map { "<item><guid isPermaLink=\"false\">\($0)</guid><title>\($0)</title></item>" }
        try Data("<rss version=\"2.0\"><channel><title>t</title>\(items.joined())</channel></rss>".utf8)
            .write(to: URL(fileURLWithPath: feed))
        let run = try await poll(
            "news", sources: "  - {name: news, kind: rss, url: \"file://\(feed)\", keywords: [quake]}")
        #expect(run.status == 0)
        #expect(run.output == "news: 0 new, 0 changed, 0 unchanged, 2 refused (keywords 2)\n")
        let program = try #require(DaemonProcess.executable?.path)
        let status = try await MeasuredRun.of([program, "status", "--config", directory.path + "/v.yaml"])
        let words = "news: refused in the last poll: keywords 2; in all: keywords 2\n"
        #expect(status.output.contains(words), "\(status.output)")
        let refused = try await MeasuredRun.of([program, "refused", "news", "--config", directory.path + "/v.yaml"])
        let lines = refused.output.split(separator: "\n").map { line in line.split(separator: " ").dropFirst() }
        #expect(lines.map { Array($0) } == [["(UTC)", "REASON", "TITLE"], ["keywords", "one"], ["keywords", "two"]])
        let json = try await MeasuredRun.of(
            [program, "refused", "news", "--json", "--database", directory.path + "/v.sqlite"])
        #expect(json.output.contains(#""reason":"keywords","title":"two""#), "\(json.output)")
        #expect(json.output.split(separator: "\n").count == 2)
        let unknown = try await MeasuredRun.of([program, "refused", "nwes", "--config", directory.path + "/v.yaml"])
        #expect(unknown.status == 64 && unknown.errors.contains("did you mean news?"), "\(unknown.errors)")

        let all = try await poll("news", sources: "  - {name: news, kind: rss, url: \"file://\(feed)\"}")
        #expect(all.output == "news: 2 new, 0 changed, 0 unchanged\n")
        let accepted = try await MeasuredRun.of([program, "status", "--config", directory.path + "/v.yaml"])
        #expect(accepted.output.contains("news: refused in the last poll: nothing; in all: keywords 2\n"))
        let none = try await MeasuredRun.of([program, "refused", "news", "--config", directory.path + "/v.yaml"])
        #expect(none.status == 0 && none.output.isEmpty && none.errors == "no refused item of 'news' is kept\n")
    }

    @Test func issuesAreToldByPollStatusAndDecode() async throws {
        let feed = directory.path + "/feed.xml"
        let items = (0..<7).map { number in
            "<item><guid isPermaLink=\"false\">\(number)</guid><title>\(number)</title>"
                + "<pubDate>Mon, 32 Foo 2026</pubDate></item>"
        }
        try Data("<rss version=\"2.0\"><channel><title>t</title>\(items.joined())</channel></rss>".utf8)
            .write(to: URL(fileURLWithPath: feed))
        let run = try await poll("news", sources: "  - {name: news, kind: rss, url: \"file://\(feed)\"}")
        #expect(run.status == 0)
        #expect(run.output == "news: 7 new, 0 changed, 0 unchanged, 7 issues (bad_date 7)\n")
        let program = try #require(DaemonProcess.executable?.path)
        let status = try await MeasuredRun.of([program, "status", "--config", directory.path + "/v.yaml"])
        let sample = "item 1 (line 1): found \"Mon, 32 Foo 2026\""
        #expect(status.output.contains("news: issues: bad_date 7, first at \(sample)\n"), "\(status.output)")
        let json = try await MeasuredRun.of([program, "status", "--json", "--config", directory.path + "/v.yaml"])
        #expect(json.output.contains(#""issues":{"bad_date":{"items":7,"sample":"item 1"#), "\(json.output)")
        let decoded = try await MeasuredRun.of([program, "decode", "rss", feed])
        #expect(decoded.output.split(separator: "\n").count == 7)
        #expect(
            decoded.errors == "item 1 (line 1): bad_date: found \"Mon, 32 Foo 2026\" (and 6 more like it)\n")
    }

    @Test func decodeTriesAFilter() async throws {
        let feed = directory.path + "/feed.xml"
        let items = ["Forest fire", "Firefly", "New Zealand shakes"].enumerated().map { number, title in
            "<item><guid isPermaLink=\"false\">\(number)</guid><title>\(title)</title></item>"
        }
        try Data("<rss version=\"2.0\"><channel><title>t</title>\(items.joined())</channel></rss>".utf8)
            .write(to: URL(fileURLWithPath: feed))
        let program = try #require(DaemonProcess.executable?.path)
        func decode(_ option: String, _ more: String...) async throws -> MeasuredRun {
            try await MeasuredRun.of([program, "decode", "rss", feed, "--option", option] + more)
        }
        for list in [
            "fire,new zealand", " fire , new zealand,", "[fire, new zealand]", "[@tsunami , fire , new zealand]",
            "[\"forest, fire\", new zealand]",
        ] {
            let words = try await decode("keywords=\(list)")
            #expect(words.status == 0 && words.output.split(separator: "\n").count == 2, "\(list)")
            #expect(words.errors == "refused: keywords: Firefly (1)\n", "\(list)")
        }
        let count = try await decode("keywords=fire,new zealand", "--count")
        #expect(count.output.hasPrefix("events=2 ") && count.output.contains(" refused=1 "), "\(count.output)")
        #expect(count.output.contains(" refused_keywords=1"), "\(count.output)")
        let strong = try await decode("minimum_magnitude=5")
        #expect(strong.output.isEmpty && strong.errors.contains("refused: magnitude: Firefly (1)\n"))
        for option in [
            "keywords=?!", "keywords=", "keywords=quake,@volkano", "keywords=fire|flood", "keywords=[*fire]",
            "keywords=[fire", "minimum_magnitude=nan", "minimum_magnitude=99",
        ] {
            let outcome = try await decode(option)
            #expect(outcome.status == 64, "\(option): \(outcome.errors)")
        }
        let near = try await decode("keywords=quake, @volkano")
        #expect(near.errors.contains("found '@volkano', accepted: the word sets @earthquake, "), "\(near.errors)")
        #expect(near.errors.contains("; did you mean @volcano?"), "\(near.errors)")
        let unknown = try await decode("words=fire")
        #expect(unknown.errors.contains("unknown key 'words'; the keys of rss are "), "\(unknown.errors)")
        #expect(unknown.errors.contains("keywords, minimum_magnitude"), "\(unknown.errors)")
    }

    @Test func eventsThatAreMergedAreCounted() async throws {
        func feature(_ id: String, _ ids: String) -> String {
            "{\"type\":\"Feature\",\"id\":\"\(id)\",\"geometry\":null,\"properties\":"
                + "{\"title\":\"\(id)\",\"time\":1700000000000,\"ids\":\",\(ids),\"}}"
        }
        func poll(_ features: [String]) async throws -> MeasuredRun {
            let body = "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
            let feed = directory.path + "/quakes.geojson"
            try Data(body.utf8).write(to: URL(fileURLWithPath: feed))
            return try await self.poll(
                "quakes", sources: "  - {name: quakes, kind: usgs, url: \"file://\(feed)\", max_age: 36500d}")
        }
        let first = try await poll(["us1", "ci2", "nc3"].map { feature($0, $0) })
        #expect(first.output == "quakes: 3 new, 0 changed, 0 unchanged, 3 issues (no_geometry 3)\n")
        let second = try await poll([feature("us1", "us1,ci2,nc3")])
        #expect(second.output.hasPrefix("quakes: 0 new, "), "\(second.output)")
        #expect(second.output.contains(", 2 merged, "), "\(second.output)")
    }

    @Test func theWriteAheadLogIsLeftEmpty() async throws {
        #expect(try await poll("news", sources: try emptySource()).status == 0)
        let log = directory.path + "/v.sqlite-wal"
        #expect(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int == 0)
    }
}
