import Foundation
import Gazetteer
import Model
import ProcessSupport
import Reading
import Store
import TestSupport
import Testing

/// The warnings of `check`.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct CheckWarningTests {
    private let directory = TemporaryDirectory()

    /// The warnings for a configuration with these sources and sections, without their common prefix.
    private func warnings(_ sources: [String], _ sections: String = "") async throws -> [String] {
        let run = try await check(sources, sections)
        return run.errors.split(separator: "\n").map { String($0.dropFirst("warning: ".count)) }
    }

    private func check(_ sources: [String], _ sections: String) async throws -> MeasuredRun {
        let file = directory.path + "/v.yaml"
        let text = "contact: you@example.org\n\(sections)sources:\n" + sources.map { "  - {\($0)}\n" }.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let run = try await MeasuredRun.of([
            try #require(DaemonProcess.executable?.path), "check", "--config", file,
        ])
        #expect(run.status == 0, "\(run.errors)")
        return run
    }

    @Test func aHomeInARegionThatTheCityTableLacksIsNamed() async throws {
        let sources = [
            "name: la, kind: rss, url: \"file:///dev/null\", home: US.LA, enabled: false",
            "name: zz, kind: rss, url: \"file:///dev/null\", home: US.ZZ, enabled: false",
            "name: us, kind: rss, url: \"file:///dev/null\", home: US, enabled: false",
        ]
        let idle = ["no source is enabled, so nothing is polled"]
        #expect(try await warnings(sources) == idle, "without a city table no region is known")
        let city = "1\tMonroe\tMonroe\t\t32.5\t-92.1\tP\tPPL\tUS\t\tLA\t\t\t\t47000\t\t\tUTC\t2020-01-01\n"
        let files = [("cities.txt", city), ("admin1.txt", "US.LA\tLouisiana\tLouisiana\t4331987\n")]
        let inputs = try files.map { name, text in
            let path = directory.path + "/" + name
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return SeedInput(name: name, stream: try ByteStream(path: path))
        }
        _ = try Seeder(inputs, into: directory.path + "/cities.sqlite").run(at: Date()) { _ in }
        let section = "gazetteer: {path: cities.sqlite}\n"
        #expect(try await warnings(sources, section) == idle + ["zz: home: the city table has no region US.ZZ"])
    }

    @Test func aClaimThatDoesNotHoldIsNamedWithTheLineToWrite() async throws {
        let store = try EventStore(path: directory.path + "/v.sqlite")
        let settings = ["nws", "mirror"].map {
            SourceSettings(
                name: $0, kind: "cap", url: "https://\($0).example/cap", maxAge: .seconds(2880 * 3600))
        }
        try store.reconcile(settings, at: Date())
        for source in settings {
            let event = Event(provider: "a@nws.example", id: "1", time: Date(), category: .other, title: "Storm")
            let authority = Authority(of: source, kindProvider: nil, domain: "\(source.name).example")
            let answer = FeedAnswer(events: [event])
            _ = try store.write([
                .step(PollStep(source: source.name, at: Date(), answer: answer, authority: authority, fingerprint: "f"))
            ])
        }
        let sources = settings.map { "name: \($0.name), kind: cap, url: \"\($0.url)\"" }
        let trusted = [sources[0], sources[1] + ", trusted_for: [b@nws.example]"]
        #expect(
            try await warnings(trusted, "database: v.sqlite\n") == [
                "mirror: 1 item under its own identity, in the name of a@nws.example; if it may speak for it, write: "
                    + #"trusted_for: ["b@nws.example", "a@nws.example"]; nws would lose a@nws.example unless it is "#
                    + "written there, too"
            ])
        let both = [sources[0], sources[1] + ", trusted_for: [a@nws.example]"]
        #expect(try await warnings(both, "database: v.sqlite\n").isEmpty, "it is written")
    }

    @Test func agesThatAreNotInForceYetAreNamed() async throws {
        let store = try EventStore(path: directory.path + "/v.sqlite")
        let settings = ["old", "new"].map { SourceSettings(name: $0, kind: "rss", url: "https://\($0).example/") }
        try store.reconcile(settings, at: Date())
        let event = Event(provider: "p", id: "1", time: Date() - 60 * 3600, category: .news, title: "News")
        let answer = FeedAnswer(events: [event])
        _ = try store.write([.step(PollStep(source: "old", at: Date(), answer: answer, fingerprint: "f"))])
        let sources = settings.map { "name: \($0.name), kind: rss, url: \"\($0.url)\"" }
        let section = "database: v.sqlite\n"
        #expect(try await warnings(sources, section).isEmpty)
        #expect(
            try await warnings([sources[0] + ", max_age: 2d", sources[1] + ", max_age: 9d"], section) == [
                "new: max_age 3d becomes 9d: its next poll asks once without validators",
                "old: max_age 3d becomes 2d: the next truncation removes 1 event by it, for good",
            ])
    }

    @Test func secretsThatOthersCanReadAndPaidReadsAreTold() async throws {
        let (token, own) = (directory.path + "/some.token", directory.path + "/own.token")
        for (path, mode) in [(token, 0o644), (own, 0o600)] as [(String, mode_t)] {
            try Data("of-nobody\n".utf8).write(to: URL(fileURLWithPath: path))
            #expect(chmod(path, mode) == 0)
        }
        func search(_ name: String, _ token: String, _ keys: String) -> String {
            "name: \(name), kind: twitter, enabled: true, query: etna, bearer_token_file: \"\(token)\", "
                + "url: \"https://\(name).example/2/tweets/search/recent\"\(keys)"
        }
        let run = try await check(
            [
                search("hourly", token, ", monthly_cap: 500"),
                search("daily", own, ", refresh_interval: 24h, most_messages: 10"),
                "name: file, kind: rss, url: \"https://rss.example/\", authorization_file: \"\(own)\"",
            ], "")
        let words = "\(token) can be read by others than its owner (mode 0644): give it mode 0600, owned by"
        #expect(run.errors == "warning: hourly: \(words) the service's user, or pass it with LoadCredential=\n")
        #expect(
            run.output.hasSuffix(
                "\nhourly: at most 500 paid reads a month (monthly_cap)\n"
                    + "daily: at most 310 paid reads a month by its schedule, 10000 by monthly_cap\n"), "\(run.output)")
    }

    @Test func thePlanSaysWhatIsKeptOfPictures() async throws {
        let source = ["name: q, kind: rss, url: \"http://127.0.0.1:9/q\""]
        let section = "database: v.sqlite\n"
        #expect(try await !check(source, section).output.contains("pictures"))
        let run = try await check(source, section + "pictures: {hosts: [a.example.org, b.example.org]}\n")
        let words = "pictures of 2 hosts are kept in \(directory.path)/v.sqlite-pictures, up to 190 MiB"
        #expect(run.output.hasSuffix("\n\(words), 500 requests a day\n"), "\(run.output)")
    }

    @Test func aHostWhoseSourcesAreDueTogetherIsNamedOnce() async throws {
        let many = (1...60).map { "name: n\($0), kind: rss, url: \"https://news.example.org/\($0)\"" }
        let few = ["a", "b"].map { "name: \($0), kind: rss, url: \"http://127.0.0.1:9/\($0)\"" }
        // One host in several spellings.
        let same = ["HTTPS://Same.Example.org/", "https://same.example.org:443/", "https://same.example.org.:0443/"]
            .enumerated().map { number, url in "name: s\(number), kind: rss, url: \"\(url)\(number)\"" }
        let apart = ["c", "d"].enumerated().map { number, name in
            "name: \(name), kind: rss, url: \"https://apart.example.org/\(name)\", offset: \(60 + number)s"
        }
        let found = try await warnings(many + few + same + apart)
        #expect(found.count == 3, "\(found)")
        #expect(found.first?.hasPrefix("a, b of 127.0.0.1:9 are due together, first at 2") == true)
        #expect(
            found.dropFirst().first?.hasPrefix("60 sources of news.example.org are due together, first at 2") == true)
        #expect(
            found.dropFirst().first?.hasSuffix("Z; the last waits 59s: give them other offsets") == true, "\(found)")
        #expect(found.last?.hasPrefix("s0, s1, s2 of same.example.org are due together") == true, "\(found)")
    }

    @Test func theWaitsOfASourceThatIsPolledEachSecondDoNotAddUp() async throws {
        let found = try await warnings([
            "name: often, kind: rss, url: \"http://127.0.0.1:9/often\", refresh_interval: 1s",
            "name: seldom, kind: rss, url: \"http://127.0.0.1:9/seldom\", refresh_interval: 1h",
        ])
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("often, seldom of 127.0.0.1:9 are due together, first at 2") == true)
        #expect(found.first?.hasSuffix("Z; the last waits 1s: give them other offsets") == true, "\(found)")
    }

    @Test func filesOfTheMapPageAreLookedAt() async throws {
        let plates = directory.path + "/plates.geojson"
        try Data("{}".utf8).write(to: URL(fileURLWithPath: plates))
        let section = """
            serve:
              page: none
              basemaps: [{name: relief, mbtiles: none.mbtiles, attribution: A}]
              overlays: [{name: plates, file: "\(plates)", attribution: A}]

            """
        let found = try await warnings(["name: q, kind: rss, url: \"http://127.0.0.1:9/q\""], section)
        let missing = "cannot be read: No such file or directory"
        #expect(
            found == [
                "serve.page: \(directory.path)/none/index.html \(missing)",
                "serve.basemaps: relief: \(directory.path)/none.mbtiles \(missing)",
            ])
    }

    @Test func aFileThatIsASourceIsLookedAt() async throws {
        let (there, old) = (directory.path + "/a topic.xml", directory.path + "/old.xml")
        for file in [there, old] { try Data("<rss/>".utf8).write(to: URL(fileURLWithPath: file)) }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: old)
        let found = try await warnings([
            "name: there, kind: rss, url: \"file://\(directory.path)/{topic}.xml\", topics: [a topic]",
            "name: none, kind: rss, url: \"file://\(directory.path)/none.xml\"",
            "name: folder, kind: rss, url: \"file://\(directory.path)\"",
            "name: device, kind: rss, url: \"file:///dev/null\"",
            "name: off, kind: rss, url: \"file:///nonexistent\", enabled: false",
            "name: old, kind: rss, url: \"file://\(old)\", max_age: 3d",
        ])
        #expect(
            found == [
                "none: there is no file \(directory.path)/none.xml",
                "folder: \(directory.path) is a folder, not a file", "device: /dev/null is no regular file",
                "old: \(old) has not changed for longer than max_age (3d): what it holds may be refused as expired",
            ])
    }
}
