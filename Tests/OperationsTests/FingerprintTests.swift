import Engine
import Foundation
import Model
import Operations
import Settings
import TestSupport
import Testing

@Suite struct FingerprintTests {
    private static let configuration = """
        database: events.sqlite
        sources:
          - name: quakes
            kind: usgs
            url: http://127.0.0.1:9/{period}.geojson
            period: all_day
            refresh_interval: 5m
            minimum_magnitude: 2.5
          - name: volcanoes
            kind: cap
            url: http://127.0.0.1:9/cap.xml
            refresh_interval: 1h
          - name: volcanoes-kml
            kind: kml
            url: http://127.0.0.1:9/a.kml
            refresh_interval: 1h
          - name: news
            kind: rss
            url: http://127.0.0.1:9/news/{topic}.xml?key=1
            topics: [world, science]
            keywords: [volcan*, earthquake*]
            refresh_interval: 1h
          - name: site
            kind: sitemap
            url: http://127.0.0.1:9/sitemap.xml
            refresh_interval: 1h
          - name: messages
            kind: twitter
            url: http://127.0.0.1:9/tweets.json
            api: v1.1
            query: earthquake OR volcano
            enabled: true
            refresh_interval: 1h
        """

    /// Databases hold these fingerprints. With another one a source loses its validators and its `since_id`, and
    /// repeats paid reads. A change of `decoderVersion` intends this, and changes the value of its kind here.
    @Test func fingerprintsStayWhatDatabasesHold() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/visiventd.yaml"
        try Self.configuration.write(toFile: path, atomically: true, encoding: .utf8)
        let (_, sources) = try SettingsReader.read(path: path, environment: [:])
        let found = sources.map { "\($0.settings.name) \($0.fingerprint)" }
        #expect(
            found == [
                "quakes 86e917bc6a6ae02f", "volcanoes 7e7a41a47a10bb6a", "volcanoes-kml 03172317a188e999",
                "news c591d98b067f499f", "site 6e58860dbab64ce8", "messages f01d072e19dcd492",
            ])
        for var source in sources {
            let before = source.fingerprint
            source.settings.budget.total.rows = 1
            #expect(source.fingerprint == before, "a budget changes no answer")
            source.settings.notPlaces = ["Manhattan"]
            #expect(source.fingerprint == before, "a word that names no place changes no answer")
            source.settings.filter.keywords = KeywordFilter(["@quakebot"])
            let plain = source.fingerprint
            source.settings.filter.keywords = KeywordFilter(["@@quakebot"])
            #expect(source.fingerprint == plain, "the word is the same")
        }
    }
}
