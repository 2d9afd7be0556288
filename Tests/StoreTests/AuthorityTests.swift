import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Sources that speak for themselves and for others.
struct AuthorityScene {
    let test: TestStore
    private let authorities: [String: Authority]

    static let sources = [
        SourceSettings(name: "quakes", kind: "usgs", url: "https://quakes.example/all"),
        SourceSettings(name: "news", kind: "rss", url: "https://news.example/feed", maxAge: .seconds(240 * 3600)),
        SourceSettings(name: "evil", kind: "rss", url: "https://evil.example/feed"),
        SourceSettings(name: "nws", kind: "cap", url: "https://api.weather.example/cap"),
        SourceSettings(name: "state", kind: "cap", url: "https://alerts.weather.example/state"),
        SourceSettings(name: "liar", kind: "cap", url: "https://liar.example/cap"),
    ]

    init(_ sources: [SourceSettings] = AuthorityScene.sources, test: TestStore? = nil) throws {
        self.test = try test ?? TestStore(sources)
        authorities = Self.authorities(of: sources)
    }

    /// The domain is the host's last two labels.
    static func authorities(of sources: [SourceSettings]) -> [String: Authority] {
        let all = Authority.all(
            of: sources.map { source in
                let host = URLParts(source.url)?.host.split(separator: ".").suffix(2).joined(separator: ".")
                return (source, source.kind == "usgs" ? "usgs" : nil, source.url.hasPrefix("http") ? host : nil)
            })
        return Dictionary(uniqueKeysWithValues: zip(sources.map(\.name), all))
    }

    @discardableResult
    func poll(
        _ source: String, _ events: [Event] = [], withdrawals: [Withdrawal] = [], minute: Double = 0,
        route: [String] = []
    ) throws -> StepResult {
        var authority = try #require(authorities[source])
        authority.prove(by: route)
        return try test.step(
            PollStep(
                source: source, at: start + minute * 60, answer: FeedAnswer(events: events, withdrawals: withdrawals),
                authority: authority, fingerprint: "f"))
    }

    /// Provider, upstream id, title and withdrawal of all events.
    var record: [[String]] {
        get throws {
            try test.rows(
                """
                SELECT provider, upstream_id, title, coalesce(withdrawn_reason, '-') FROM event
                ORDER BY provider, upstream_id
                """)
        }
    }
}

private func event(_ provider: String, _ id: String, _ title: String, minute: Double = 0) -> Event {
    Event(provider: provider, id: id, time: start - 3600, updated: start + minute * 60, category: .other, title: title)
}

private func cancel(_ provider: String, _ id: String, erases: Bool = false) -> Withdrawal {
    Withdrawal(
        provider: provider, id: id, takesFamily: true, reason: .cancelled, time: start + 600, evidence: "Cancel",
        erases: erases)
}

@Suite struct AuthorityTests {
    @Test("An unproved claim is a row of the source's own, and touches no event of the provider")
    func forgedRevision() throws {
        let scene = try AuthorityScene()
        try scene.poll("quakes", [event("usgs", "us1", "M 7.1")])
        let before = try scene.test.rows("SELECT * FROM event")
        var lie = event("usgs", "us1", "M 0.1 - false alarm", minute: 5)
        lie.aliases = ["us2"]
        let result = try scene.poll("evil", [lie], minute: 5)
        #expect(result.unproved == ["usgs": 1])
        #expect(try scene.test.rows("SELECT * FROM event WHERE provider = 'usgs'") == before)
        #expect(
            try scene.record == [
                ["https://evil.example/feed", "usgs,us1", "M 0.1 - false alarm", "-"], ["usgs", "us1", "M 7.1", "-"],
            ])
        // Nor does it take a name in advance.
        try scene.poll("quakes", [event("usgs", "us2", "M 5")], minute: 6)
        #expect(try scene.record.last == ["usgs", "us2", "M 5", "-"])
        #expect(try scene.test.rows("SELECT provider, items FROM unproved_claim") == [["usgs", "1"]])
        #expect(
            try scene.test.store.sources().first { $0.name == "evil" }?.unproved == ["usgs": UnprovedClaim(items: 1)])
    }

    @Test("Claims are counted over the answers of a poll, name who showed the sender first, and go after a day")
    func countedClaims() throws {
        let scene = try AuthorityScene()
        try scene.poll("nws", [event("nws@noaa.gov", "1", "Warning")])
        func claims() throws -> [String: UnprovedClaim]? {
            try scene.test.store.sources().first { $0.name == "liar" }?.unproved
        }
        for minute in [1.0, 3] {
            let begin = PollBeginning(
                source: "liar", at: start + minute * 60, nextDue: start + 3600, fingerprint: "f")
            _ = try scene.test.store.write([.begin(begin)])
            try scene.poll("liar", withdrawals: [cancel("nws@noaa.gov", "1")], minute: minute)
            try scene.poll("liar", [event("nws@noaa.gov", "2", "Sun")], minute: minute + 1)
            #expect(try claims() == ["nws@noaa.gov": UnprovedClaim(items: 2, holders: "nws")])
        }
        try scene.poll("liar", [event("https://liar.example/cap", "3", "Rain")], minute: 1440)
        #expect(try claims()?.count == 1)
        try scene.poll("liar", [event("https://liar.example/cap", "3", "Rain")], minute: 1450)
        #expect(try claims() == [:])
    }

    @Test("An unchanged poll with unproved claims writes no event row")
    func unchanged() throws {
        let scene = try AuthorityScene()
        try scene.poll("evil", [event("usgs", "us1", "lie")])
        let changes = try scene.test.value("SELECT max(seq) FROM change")
        #expect(try scene.poll("evil", [event("usgs", "us1", "lie")], minute: 1).unchanged == 1)
        #expect(try scene.test.value("SELECT max(seq) FROM change") == changes)
    }

    @Test("A cancellation in another's name matches nothing of the other's, before it or after")
    func forgedCancel() throws {
        let scene = try AuthorityScene()
        try scene.poll("news", [event("https://news.example/feed", "a", "Flood")])
        let forged = ["a", "b"].map { cancel("https://news.example/feed", $0, erases: true) }
        try scene.poll("liar", withdrawals: forged, minute: 1)
        try scene.poll("news", [event("https://news.example/feed", "b", "Storm")], minute: 2)
        #expect(try scene.record.map { $0[3] } == ["-", "-"])
    }

    @Test("A sender belongs to the source that showed it first, and to others on its domain")
    func firstSight() throws {
        let scene = try AuthorityScene()
        try scene.poll("nws", [event("nws@noaa.gov", "1", "Tornado warning")])
        #expect(try scene.poll("state", [event("nws@noaa.gov", "1", "Tornado warning")]).unproved.isEmpty)
        #expect(try scene.poll("liar", withdrawals: [cancel("nws@noaa.gov", "1")]).unproved == ["nws@noaa.gov": 1])
        #expect(try scene.record == [["nws@noaa.gov", "1", "Tornado warning", "-"]])
        #expect(try scene.test.rows("SELECT sender, identity FROM sender_binding").count == 1)
        // The rightful one may.
        try scene.poll("state", withdrawals: [cancel("nws@noaa.gov", "1")])
        #expect(try scene.record == [["nws@noaa.gov", "1", "Tornado warning", "cancelled"]])
    }

    @Test("A renamed source keeps its senders, and a new one of the old name gets none")
    func renamed() throws {
        let scene = try AuthorityScene()
        try scene.poll("nws", [event("nws@noaa.gov", "1", "Warning")])
        var sources = AuthorityScene.sources
        sources[3].name = "weather"
        sources[5].name = "nws"
        try scene.test.store.reconcile(sources, at: start)
        let renamed = try AuthorityScene(sources, test: scene.test)
        #expect(try renamed.poll("nws", [event("nws@noaa.gov", "1", "All clear", minute: 1)]).unproved.count == 1)
        #expect(try renamed.poll("weather", [event("nws@noaa.gov", "1", "Warning 2", minute: 1)]).unproved.isEmpty)
        #expect(try renamed.record.last == ["nws@noaa.gov", "1", "Warning 2", "-"])
    }

    @Test("A source with another provider now keeps the old one's events from strangers")
    func renamedProvider() throws {
        var sources = AuthorityScene.sources
        sources[1].provider = "desk@news.example"
        let scene = try AuthorityScene(sources)
        try scene.poll("news", [event("desk@news.example", "a", "Flood")])
        sources[1].provider = "newsroom"
        try scene.test.store.reconcile(sources, at: start)
        let later = try AuthorityScene(sources, test: scene.test)
        try later.poll("liar", withdrawals: [cancel("desk@news.example", "a")], minute: 1)
        #expect(try later.record == [["desk@news.example", "a", "Flood", "-"]])
    }

    @Test("A configured sender beats first sight, told once; the first one's event becomes its own copy")
    func configuredSender() throws {
        let scene = try AuthorityScene()
        try scene.poll("liar", [event("nws@noaa.gov", "1", "All clear")])
        var sources = AuthorityScene.sources
        sources[3].trustedFor = ["NWS@noaa.gov"]
        let later = try AuthorityScene(sources, test: scene.test)
        #expect(try later.poll("nws", [event("nws@noaa.gov", "2", "Warning")]).takenSenders == ["nws@noaa.gov"])
        #expect(try later.poll("nws", [event("nws@noaa.gov", "2", "Warning")]).takenSenders.isEmpty)
        #expect(try later.poll("liar", [event("nws@noaa.gov", "1", "All clear!", minute: 1)]).changed == 1)
        #expect(
            try later.record == [
                ["https://liar.example/cap", "nws@noaa.gov,1", "All clear!", "-"],
                ["nws@noaa.gov", "2", "Warning", "-"],
            ])
    }

    @Test("With trust a copy becomes the provider's event, one row with its public id; without it again its own")
    func adoption() throws {
        let scene = try AuthorityScene()
        try scene.poll("evil", [event("reuters", "idUS1", "Flood")])
        let id = try scene.test.value("SELECT public_id FROM event")
        var sources = AuthorityScene.sources
        sources[2].trustedFor = ["reuters"]
        let trusted = try AuthorityScene(sources, test: scene.test)
        try trusted.poll("evil", [event("reuters", "idUS1", "Flood")], minute: 1)
        #expect(try trusted.record == [["reuters", "idUS1", "Flood", "-"]])
        #expect(try scene.test.value("SELECT public_id FROM event") == id)
        #expect(try scene.test.rows("SELECT 1 FROM unproved_claim").isEmpty)
        try scene.poll("evil", [event("reuters", "idUS1", "Flood")], minute: 2)
        #expect(try scene.record == [["https://evil.example/feed", "reuters,idUS1", "Flood", "-"]])
        #expect(try scene.test.value("SELECT count(*) FROM event") == "1")
    }

    @Test("A redirect to another host proves nothing")
    func redirected() throws {
        var sources = AuthorityScene.sources
        sources[2].url = "https://feeds.reuters.com/reuters/world"
        let scene = try AuthorityScene(sources)
        let route = ["https://feeds.reuters.com/reuters/world", "https://evil.example/world"]
        #expect(try scene.poll("evil", [event("reuters", "idUS1", "Flood")], route: route).unproved.count == 1)
        #expect(try scene.poll("evil", [event("reuters", "idUS2", "Storm")], route: [route[0]]).unproved.isEmpty)
    }

    @Test("Claims of more than 64 providers are counted, and kept for 64")
    func manyClaims() throws {
        let scene = try AuthorityScene()
        try scene.poll("nws", (0..<100).map { event("s\($0)@example.org", "1", "Warning") })
        let result = try scene.poll("liar", (0..<100).map { event("s\($0)@example.org", "1", "Lie") })
        #expect(result.unproved.count == 100)
        #expect(try scene.test.value("SELECT count(*) FROM unproved_claim") == "64")
    }
}

@Suite struct AuthorityUpgradeTests {
    /// A record of an earlier version, in which `evil` rewrote a quake and `liar` cancelled news and warned in advance.
    private func forged() throws -> TestStore {
        let test = try TestStore(AuthorityScene.sources)
        func step(_ source: String, _ events: [Event], _ withdrawals: [Withdrawal] = [], minute: Double = 0) throws {
            try test.step(
                PollStep(
                    source: source, at: start + minute * 60,
                    answer: FeedAnswer(events: events, withdrawals: withdrawals), fingerprint: "f",
                    validators: ["https://\(source).example/": Validators(etag: "e")]))
        }
        try step("quakes", [event("usgs", "us1", "M 7.1")])
        try step("news", [event("https://news.example/feed", "a", "Flood")])
        try step("nws", [event("nws@noaa.gov", "1", "Warning")])
        try step("state", [event("nws@noaa.gov", "1", "Warning")])
        try step("evil", [event("usgs", "us1", "M 0.1", minute: 1_000_000)], minute: 1)
        try step(
            "liar", [], [cancel("https://news.example/feed", "a"), cancel("https://news.example/feed", "b")], minute: 2)
        try step("liar", [], [cancel("nobody@example.org", "x"), cancel("twitter", "9", erases: true)], minute: 2)
        try step("liar", [], [cancel("nws@noaa.gov", "1")], minute: 2)
        try step("evil", [event("usgs", "us9", "M 9.9")], minute: 2)
        try test.store.maintain { try $0.run("INSERT INTO meta VALUES ('authority_pending', '1')") }
        return test
    }

    @Test("Forged rows are written again by those with authority; only they poll without validators")
    func rewritten() throws {
        let test = try forged()
        let authorities = AuthorityScene.authorities(of: AuthorityScene.sources)
        try test.store.reconcile(AuthorityScene.sources, authorities: authorities, at: start)
        #expect(
            try test.rows("SELECT s.name FROM validator v JOIN source s ON s.id = v.source_id ORDER BY 1")
                == [["evil"], ["liar"]])
        #expect(try test.rows("SELECT provider FROM withdrawal") == [["twitter"]])
        #expect(
            try test.rows("SELECT sender, identity FROM sender_binding ORDER BY 2") == [
                ["nws@noaa.gov", "https://alerts.weather.example/state"],
                ["nws@noaa.gov", "https://api.weather.example/cap"],
            ])
        let scene = try AuthorityScene(test: test)
        try scene.poll("quakes", [event("usgs", "us1", "M 7.1")], minute: 3)
        try scene.poll("news", [event("https://news.example/feed", "a", "Flood")], minute: 3)
        try scene.poll("nws", [event("nws@noaa.gov", "1", "Warning")], minute: 3)
        try scene.poll("evil", [event("usgs", "us9", "M 9.9")], minute: 3)
        #expect(
            try scene.record == [
                ["https://evil.example/feed", "usgs,us9", "M 9.9", "-"],
                ["https://news.example/feed", "a", "Flood", "-"], ["nws@noaa.gov", "1", "Warning", "-"],
                ["usgs", "us1", "M 7.1", "-"],
            ])
        let links = "SELECT count(*) FROM link l JOIN source s ON s.id = l.source_id WHERE s.name = 'evil'"
        #expect(try test.value(links) == "1")
    }

    @Test("It happens once, and never costs a paid source its state")
    func once() throws {
        let test = try forged()
        try test.store.maintain {
            try $0.run("UPDATE source SET fingerprint = 'f'")
            try $0.run("INSERT INTO spend SELECT id, '2026-03', 5 FROM source WHERE name = 'quakes'")
        }
        let authorities = AuthorityScene.authorities(of: AuthorityScene.sources)
        try test.store.reconcile(AuthorityScene.sources, authorities: authorities, at: start)
        let kept = "SELECT name FROM source WHERE fingerprint <> 'f'"
        #expect(try test.rows(kept) == [["news"], ["nws"], ["state"]])
        #expect(try test.rows("SELECT value FROM meta WHERE key = 'authority_pending'").isEmpty)
    }
}
