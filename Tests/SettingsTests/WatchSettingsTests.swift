import Model
import Telling
import Testing

@testable import Settings

@Suite struct WatchSettingsTests {
    private static let sources =
        "sources: [{name: quakes, kind: usgs}, {name: news, kind: rss, url: https://a.example/}]\n"
    private static let targets = "deliver: [{name: cms, kind: webhook, url: https://cms.example/hook?key=1}]\n"

    private func watch(_ keys: String) throws -> Watch {
        let text = "watches:\n  - name: w\n    deliver: cms\n" + keys + Self.targets + Self.sources
        return try #require(try readSettings(text).watches.first)
    }

    private func fault(_ keys: String) -> String {
        faults("watches:\n  - name: w\n    deliver: cms\n    \(keys)\n" + Self.targets + Self.sources)
            .joined(separator: "\n")
    }

    @Test func withoutWatchesNobodyIsTold() throws {
        let settings = try readSettings(Self.sources)
        #expect(settings.tellingPlan == TellingPlan())
    }

    @Test func everyConditionIsRead() throws {
        let found = try watch(
            """
                sources: [quakes]
                providers: [usgs, gvp]
                categories: [earthquake, quarry_blast]
                keywords: [tremor*]
                minimum_magnitude: 5
                near: 38.72, -9.14
                radius: 200
                place: Lisboa
                box: 170,-50,-170,-30
                minimum_severity: Severe
                minimum_alert: orange
                tsunami: true
                minimum_confidence: 0.9

            """
        ).filter
        #expect(found.sources == ["quakes"])
        #expect(found.providers == ["usgs", "gvp"])
        #expect(found.categories == [.earthquake, Model.Category(rawValue: "quarry_blast")])
        #expect(found.keywords == KeywordFilter(["tremor*"]))
        #expect(found.minimumMagnitude == 5)
        let lisbon = try #require(Coordinate(latitude: 38.72, longitude: -9.14))
        #expect(found.near == WatchFilter.Circle(centre: lisbon, kilometres: 200, name: "Lisboa"))
        #expect(found.box == BoundingBox(west: 170, south: -50, east: -170, north: -30))
        #expect(found.minimumSeverity == .severe)
        #expect(found.minimumColour == .orange)
        #expect(found.needsTsunami)
        #expect(found.minimumConfidence == 0.9)
    }

    @Test func whenAndHowItIsToldIsRead() throws {
        let found = try watch(
            """
                maximum_age: 2d
                updates: {magnitude: 0.5}
                quiet: 22:00-07:00 Europe/Lisbon
                quiet_magnitude: 6
                title: "{magnitude} {place}"

            """)
        #expect(found.maximumAge == .seconds(2 * 86_400))
        #expect(found.significance == Significance(magnitude: 0.5))
        #expect(found.quiet == QuietHours(from: 22 * 60, to: 7 * 60, zone: "Europe/Lisbon", magnitude: 6))
        #expect(found.title?.text == "{magnitude} {place}")
        #expect(try watch("    updates: none\n").significance == nil)
        #expect(try watch("").significance == Significance())
    }

    @Test(arguments: [
        ("sources: [quake]", "4:15: watches[0].sources[0]: found \"quake\"", "did you mean quakes?"),
        ("categories: earthquakes", "4:5: watches[0].categories[0]: found \"earthquakes\"", "mean earthquake?"),
        ("near: 1,2,3", "4:5: watches[0].near: found \"1,2,3\"", "accepted: LATITUDE,LONGITUDE"),
        ("near: 1,2", "2:5: watches[0].radius: missing", "kilometres"),
        ("radius: 5", "4:5: watches[0].radius: found without near", "radius beside near"),
        ("quiet: 22-7 UTC", "4:5: watches[0].quiet: found \"22-7 UTC\"", "22:00-07:00"),
        ("quiet: 22:00-07:00", "4:5: watches[0].quiet: found", "Europe/Lisbon"),
        ("quiet: 22:00-07:00 Lisbon", "4:5: watches[0].quiet: found", "IANA"),
        ("quiet_magnitude: 6", "4:5: watches[0].quiet_magnitude: found without quiet", "quiet, too"),
        ("minimum_alert: orang", "4:5: watches[0].minimum_alert: found \"orang\"", "did you mean orange?"),
        ("title: '{magnitud}'", "4:5: watches[0].title: found \"{magnitud}\", which", "did you mean {magnitude}?"),
        ("title: 'a { b'", "4:5: watches[0].title: found \"{ b\", which is no placeholder", "place"),
        ("minimum_magnitud: 5", "4:5: watches[0].minimum_magnitud: unknown key", "did you mean minimum_magnitude?"),
        (
            "health: true\n    box: 1,2,3,4", "5:5: watches[0].box: unknown key beside health: true",
            "name, health, deliver"
        ),
    ])
    func faultsSayWhatToWrite(keys: String, found: String, advice: String) {
        let words = fault(keys)
        #expect(words.contains("visiventd.yaml:\(found)"), "\(words)")
        #expect(words.contains(advice), "\(words)")
        #expect(!words.contains("\n"), "\(words)")
    }

    @Test func aWatchNeedsATargetThatIsThere() {
        let watches = "watches: [{name: w, deliver: [cmx]}, {name: w, deliver: []}, {name: v}]\n"
        let found = faults(watches + Self.targets + Self.sources).joined(separator: "\n")
        #expect(found.contains("watches[0].deliver[0]: found \"cmx\"; accepted: a configured name: cms; did you mean"))
        #expect(found.contains("watches[1].name: found \"w\", which is taken"))
        #expect(found.contains("watches[1].deliver: found an empty list"))
        #expect(found.contains("watches[2].deliver: missing"))
    }

    @Test func aSlowSourceAndAnOpenLineAreWarnings() throws {
        let targets = "deliver: [{name: cms, kind: webhook, url: http://cms.example/secret}]\n"
        let watches = "watches: [{name: w, sources: quakes, deliver: cms}, {name: h, health: true, deliver: cms}]\n"
        let settings = try readSettings("contact: me\n" + watches + targets + Self.sources)
        #expect(settings.advice.count == 2)
        #expect(settings.advice.first?.hasPrefix("w: a message may come 5m after the feed shows the event") == true)
        #expect(
            settings.advice.last
                == "cms: messages to http://cms.example can be read on their way: https encrypts them")
    }
}

@Suite struct DeliverySettingsTests {
    private static let sources = "sources: [{name: quakes, kind: usgs}]\n"

    private func read(_ item: String) throws -> DeliverySettings {
        try #require(try readSettings("deliver:\n  - {name: a, \(item)}\n" + Self.sources).deliver.first)
    }

    private func fault(_ item: String) -> String {
        faults("deliver:\n  - {name: a, \(item)}\n" + Self.sources).joined(separator: "\n")
    }

    @Test func aWebhookIsRead() throws {
        let found = try read(
            "kind: webhook, url_file: 'credential:u', signing_file: s, form: slack, digest_after: 9, ca_file: ca.pem")
        #expect(found.urlFile == "credential:u")
        #expect(found.signingFile == "/etc/visiventd/s")
        #expect(found.form == MessageForm(.slack))
        #expect(found.certificateAuthorityFile == "/etc/visiventd/ca.pem")
        #expect(found.shownAddress == "an address that is not shown")
        let target = try #require(found.targets.first)
        #expect((target.name, target.host, target.digestAfter) == ("a", "a", 9))
    }

    @Test func anNtfyServerIsRead() throws {
        let found = try read(
            "kind: ntfy, url: 'https://Ntfy.example:8443', topic_file: 'env:TOPIC'")
        #expect(found.topicFile == "env:TOPIC")
        #expect(found.shownAddress == "https://ntfy.example:8443")
        let target = try #require(found.targets.first)
        #expect((target.host, target.count, target.digestAfter) == ("ntfy.example:8443", 10, 3))
    }

    @Test func eachRecipientOfMailIsATarget() throws {
        let found = try read(
            "kind: mail, server: 'smtp://Mail.example:587', from: v@example.org, to: [d@example.org, e@example.org], "
                + "user: u, password_file: p")
        #expect(found.targets.map(\.id) == ["a d@example.org", "a e@example.org"])
        #expect(found.targets.map(\.host) == ["mail.example:587", "mail.example:587"])
        #expect(found.form.kind == .mail(from: try #require(MailAddress("v@example.org"))))
        #expect(found.user == "u")
    }

    @Test func anotherAddressIsAnotherFingerprint() throws {
        let one = try read("kind: webhook, url: 'https://a.example/1'").targets[0].fingerprint
        let same = try read("kind: webhook, url: 'https://a.example/1', digest_after: 9").targets[0].fingerprint
        let other = try read("kind: webhook, url: 'https://a.example/2'").targets[0].fingerprint
        #expect(one == same)
        #expect(one != other)
    }

    @Test(arguments: [
        ("kind: pager", "deliver[0].kind: found \"pager\"; accepted: webhook, ntfy, mail"),
        ("kind: webhook", "deliver[0].url: missing; accepted: https://… or http://…, or url_file with"),
        ("kind: webhook, url: 'ftp://a.example/'", "deliver[0].url: found the scheme ftp"),
        ("kind: webhook, url: 'https://u:p@a.example/'", "deliver[0].url: found a user name or password in the URL"),
        ("kind: webhook, url: 'https://a.example/', url_file: f", "deliver[0].url: found beside url_file"),
        ("kind: webhook, url: 'https://a.example/', to: b", "deliver[0].to: unknown key for kind webhook"),
        ("kind: webhook, url_file: 'https://a.example/x'", "deliver[0].url_file: found a URL; accepted: the path of"),
        ("kind: ntfy, url: 'https://a.example/'", "deliver[0].topic_file: missing"),
        ("kind: mail, server: 'https://a.example', from: a@b.c, to: a@b.c", "deliver[0].server: found the scheme"),
        ("kind: mail, server: 'smtp://a.example/x', from: a@b.c, to: a@b.c", "deliver[0].server: found more than host"),
        ("kind: mail, server: 'smtp://a.example', from: a@b.c, to: a@b@c", "deliver[0].to[0]: found \"a@b@c\""),
        ("kind: mail, server: 'smtp://a.example', from: a@b.c, to: [\"a@b.c>\\r\\nRCPT TO:<e@f.g\"]", "[0].to[0]:"),
        ("kind: mail, server: 'smtp://a.example', from: a@b.c, to: a@b.c, user: u", "[0].password_file: missing"),
        ("kind: mail, server: 'smtp://a.example', from: a@b.c, to: [a@b.c, a@b.c]", "deliver[0].to[1]: found"),
    ])
    func faultsSayWhatToWrite(item: String, words: String) {
        let found = fault(item)
        #expect(found.contains(words), "\(found)")
        #expect(!found.contains("\n"), "\(found)")
    }

    @Test func noFaultQuotesAnAddress() {
        let found = fault("kind: webhook, url: 'https://hooks.example/services/T0/B0/hidden part'")
        #expect(!found.contains("hidden"))
    }
}
