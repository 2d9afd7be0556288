import Model
import Settings
import Testing

@Suite struct GeocodingSettingsTests {
    private static let sources = "sources: [{name: quakes, kind: usgs}]\n"

    private func read(_ section: String) throws -> GeocodingSettings {
        try readSettings("contact: ops@example.org\ngeocoding:\n" + section + Self.sources).geocoding
    }

    @Test("a key makes MapQuest asked, within the free plan")
    func mapquestWithAKey() throws {
        let geocoding = try read("  mapquest: {key_file: credential:mapquest}\n")
        #expect(geocoding.mapquest?.isEnabled == true)
        #expect(geocoding.mapquest?.url == "https://www.mapquestapi.com/geocoding/v1/address")
        #expect(geocoding.mapquest?.timeout == .seconds(20))
        #expect(geocoding.nominatim == nil)
        #expect(
            geocoding.plans == [
                ProviderPlan(
                    provider: .mapquest, gap: .milliseconds(100), dailyQuota: 500, monthlyQuota: 15_000,
                    keepsPlaces: .seconds(30 * 86_400), keepsMisses: .seconds(30 * 86_400))
            ])
        #expect(geocoding.advice.isEmpty)
    }

    @Test("without a key MapQuest is not asked, and that is worth a word")
    func mapquestWithoutAKey() throws {
        let geocoding = try read("  mapquest: {gap: 1s}\n")
        #expect(geocoding.providers.isEmpty)
        #expect(geocoding.advice == ["geocoding.mapquest is not asked: it has no key_file"])
        #expect(try read("  mapquest:\n").advice.count == 1)
    }

    @Test("a key alone does not overrule enabled: false")
    func aKeyAndNoWish() throws {
        let geocoding = try read("  mapquest: {key_file: /etc/mapquest, enabled: false}\n")
        #expect(geocoding.providers.isEmpty)
        #expect(geocoding.advice.isEmpty)
    }

    @Test("Nominatim is asked on request only, once a second")
    func nominatim() throws {
        #expect(try read("  nominatim: {}\n").providers.isEmpty)
        let geocoding = try read("  nominatim: {enabled: true}\n")
        #expect(
            geocoding.plans == [
                ProviderPlan(
                    provider: .nominatim, gap: .seconds(1), keepsPlaces: .seconds(365 * 86_400),
                    keepsMisses: .seconds(30 * 86_400))
            ])
    }

    @Test("MapQuest is asked first, whatever the order of the file")
    func order() throws {
        let geocoding = try read("  nominatim: {enabled: true}\n  mapquest: {key_file: env:KEY}\n")
        #expect(geocoding.providers.map(\.provider) == [.mapquest, .nominatim])
    }

    @Test("the limit of a second is for OpenStreetMap's own servers")
    func ownServers() throws {
        let own = try read("  nominatim: {url: \"http://10.0.0.7:8080/search\", gap: 0s}\n")
        #expect(own.nominatim?.gap == .zero)
        let url = "https://NOMINATIM.OpenStreetMap.org:443/search"
        let found = faults("geocoding: {nominatim: {url: \"\(url)\", gap: 999ms}}\n" + Self.sources)
        #expect(found.count == 1)
        #expect(found.first?.contains("geocoding.nominatim.gap: found 999ms for nominatim.openstreetmap.org") == true)
    }

    @Test("all faults of the section come in one run, and none quotes a key")
    func faultsTogether() {
        let found = faults(
            """
            gazetteer: [x]
            geocoding:
              mapquest:
                enabled: true
                key: hunter2
                url: https://example.org/?key=hunter2
                gap: 2h
                timeout: 10ms
              nominatim:
                enabled: maybe
                key_file: hunter2
            sources: [{name: quakes, kind: usgs, country: Narnia, geocode: perhaps}]
            """)
        #expect(
            found.map { line in String(line.prefix { $0 != ";" }) } == [
                "visiventd.yaml:1:12: gazetteer: found a list",
                "visiventd.yaml:4:5: geocoding.mapquest.enabled: found true, but there is no key_file",
                "visiventd.yaml:5:5: geocoding.mapquest.key: unknown key",
                "visiventd.yaml:6:5: geocoding.mapquest.url: found a query in the URL",
                "visiventd.yaml:7:5: geocoding.mapquest.gap: found \"2h\"",
                "visiventd.yaml:8:5: geocoding.mapquest.timeout: found \"10ms\"",
                "visiventd.yaml:10:5: geocoding.nominatim.enabled: found \"maybe\"",
                "visiventd.yaml:11:5: geocoding.nominatim.key_file: unknown key",
                "visiventd.yaml:12:38: sources[0].country: found \"Narnia\"",
                "visiventd.yaml:12:55: sources[0].geocode: found \"perhaps\"",
            ])
        #expect(!found.joined().contains("hunter2"))
    }

    @Test("the city table is beside the database unless a path or systemd says otherwise")
    func gazetteer() throws {
        let beside = try readSettings("database: /srv/events.sqlite\n" + Self.sources)
        #expect(beside.gazetteer.path == "/srv/cities.sqlite")
        let environment = ["STATE_DIRECTORY": "/var/lib/visiventd"]
        let inState = try readSettings("database: /srv/events.sqlite\n" + Self.sources, environment: environment)
        #expect(inState.gazetteer.path == "/var/lib/visiventd/cities.sqlite")
        let named = try readSettings("gazetteer: {path: t.sqlite}\n" + Self.sources, environment: environment)
        #expect(named.gazetteer.path == "/etc/visiventd/t.sqlite")
    }

    @Test("the least confidence of a place is a probability")
    func leastConfidence() throws {
        #expect(try readSettings(Self.sources).gazetteer.leastConfidence == Location.leastConfidence)
        let settings = try readSettings("gazetteer: {least_confidence: 0.8}\n" + Self.sources)
        #expect(settings.gazetteer.leastConfidence == 0.8)
        let found = faults("gazetteer: {least_confidence: 1.2}\n" + Self.sources)
        #expect(found.count == 1)
        #expect(found.first?.contains("gazetteer.least_confidence: found") == true)
    }
}
