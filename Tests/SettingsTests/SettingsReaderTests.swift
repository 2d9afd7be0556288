import Foundation
import Model
import TestSupport
import Testing

@testable import Settings

@Suite struct SettingsReaderTests {
    @Test(arguments: [
        ("https://example.org/feed", true), ("http://127.0.0.1:8080/feed", false), ("http://[::1]/feed", false),
        ("file:///feed.xml", false),
    ])
    func withoutContactNoServerOfOthersIsPolledInSilence(url: String, isOthers: Bool) throws {
        let source = "sources:\n  - {name: news, kind: rss, url: \"\(url)\"}\n"
        #expect(try readSettings(source).advice.count == (isOthers ? 1 : 0))
        #expect(try readSettings("contact: you@example.org\n" + source).advice.isEmpty)
    }

    @Test func aWordThatALaterSetMayTakeIsTold() throws {
        let keywords = ##"["@usgs", "#quake", "@@usgs", "@volcano", "@quakebot"]"##
        let settings = try readSettings(
            "sources:\n  - {name: news, kind: rss, url: \"file:///feed.xml\", keywords: \(keywords)}\n")
        #expect(
            settings.advice
                == [("@usgs", "@@usgs"), ("@quakebot", "@@quakebot")].map { word, better in
                    "news: keywords: \"\(word)\" is read as the word \(word); write \"\(better)\", so that no later "
                        + "word set takes its place"
                })
        #expect(settings.sources[0].filter.keywords?.matches("news of USGS") == true)
    }

    private static let minimal = """
        sources:
          - name: quakes
            kind: usgs

        """

    @Test func defaultsAreFilledIn() throws {
        let settings = try readSettings(Self.minimal)
        #expect(settings.database == "/etc/visiventd/visiventd.sqlite")
        #expect(settings.controlSocket == "/etc/visiventd/visiventd.sqlite.sock")
        #expect(settings.contact == nil)
        #expect(settings.log == LogSettings(level: .info, format: .auto))
        #expect(settings.truncation == TruncationSettings(first: .seconds(300), interval: .seconds(3600)))
        #expect(settings.disk.minimumFreeBytes == 268_435_456)
        #expect(settings.gazetteer.path == "/etc/visiventd/cities.sqlite")
        #expect(settings.geocoding == GeocodingSettings())
        #expect(settings.geocoding.plans.isEmpty)
        #expect(settings.fetch.concurrency == 64)
        #expect(settings.fetch.perHostConcurrency == 1)
        #expect(settings.fetch.perHostGap == .seconds(1))
        #expect(settings.fetch.connectTimeout == .seconds(10))
        #expect(settings.fetch.totalTimeout == .seconds(120))
        #expect(settings.fetch.stallTimeout == .seconds(30))
        #expect(settings.fetch.maximumBodyBytes == 67_108_864)
        #expect(settings.fetch.maximumTransferBytes == 33_554_432)
        #expect(settings.fetch.maximumRedirects == 5)
        #expect(
            settings.sources == [
                SourceSettings(
                    name: "quakes", kind: "usgs", url: "https://example.org/{period}.geojson",
                    refreshInterval: .seconds(300), offset: .zero, maxAge: .seconds(259_200), isEnabled: true,
                    options: ["period": .text("all_day")])
            ])
    }

    @Test func theFloorOfFreeSpaceIsRead() throws {
        #expect(try readSettings("disk: {minimum_free: 2GiB}\n" + Self.minimal).disk.minimumFreeBytes == 2 << 30)
        #expect(try readSettings("disk: {minimum_free: 0B}\n" + Self.minimal).disk.minimumFreeBytes == 0)
        for wrong in ["256", "-1MiB", "2000GiB", "10%"] {
            #expect(throws: SettingsErrors.self) { try readSettings("disk: {minimum_free: \(wrong)}\n" + Self.minimal) }
        }
    }

    @Test func everyKeyIsRead() throws {
        let text = String(decoding: try Fixtures.data("config/good.yaml"), as: UTF8.self)
        let settings = try readSettings(text)
        #expect(settings.file == "/etc/visiventd/visiventd.yaml")
        #expect(settings.database == "/etc/visiventd/data/events.sqlite")
        #expect(settings.controlSocket == "/run/visiventd/control.sock")
        #expect(settings.contact == "ops@example.org")
        #expect(settings.log == LogSettings(level: .debug, format: .json))
        #expect(
            settings.fetch
                == FetchSettings(
                    concurrency: 8, perHostConcurrency: 2, perHostGap: .milliseconds(500), connectTimeout: .seconds(5),
                    totalTimeout: .seconds(90), stallTimeout: .seconds(20), maximumBodyBytes: 1_048_576,
                    maximumTransferBytes: 500_000, maximumRedirects: 0))
        #expect(settings.truncation == TruncationSettings(first: .seconds(600), interval: .seconds(7200)))
        #expect(settings.gazetteer.path == "/etc/visiventd/tables/cities.sqlite")
        var mapquest = ProviderSettings(.mapquest)
        mapquest.url = "http://[::1]:8080/geocoding/v1/address"
        mapquest.keyFile = "/etc/visiventd/keys/mapquest"
        mapquest.gap = .milliseconds(250)
        (mapquest.dailyQuota, mapquest.monthlyQuota) = (400, 5000)
        (mapquest.keepsPlaces, mapquest.keepsMisses) = (.seconds(14 * 86_400), .seconds(2 * 86_400))
        mapquest.timeout = .seconds(15)
        #expect(settings.geocoding.mapquest == mapquest)
        var nominatim = ProviderSettings(.nominatim)
        nominatim.isEnabled = true
        nominatim.url = "https://nominatim.example.org/search"
        nominatim.gap = .milliseconds(50)
        (nominatim.dailyQuota, nominatim.monthlyQuota) = (10, 100)
        (nominatim.keepsPlaces, nominatim.keepsMisses) = (.seconds(90 * 86_400), .seconds(12 * 3600))
        nominatim.timeout = .seconds(60)
        #expect(settings.geocoding.nominatim == nominatim)
        try #require(settings.sources.map(\.name) == ["quakes", "news.world", "news-more", "messages_1", "file"])

        #expect(
            settings.sources[0]
                == SourceSettings(
                    name: "quakes", kind: "usgs", url: "https://example.org/{period}.geojson",
                    refreshInterval: .seconds(10), offset: .zero, maxAge: .seconds(5400), isEnabled: false,
                    filter: Filter(minimumMagnitude: 4.5), options: ["period": .text("all_hour")]))
        var news = SourceSettings(
            name: "news.world", kind: "rss", url: "https://example.org/{topic}.xml", topics: ["world", "science"],
            refreshInterval: .seconds(3600), offset: .seconds(180), maxAge: .seconds(259_200), provider: "example",
            filter: Filter(keywords: KeywordFilter(["volcan*", "earthquake*"])))
        news.headers = ["Accept-Language": "en", "X-Number": "1"]
        news.authorizationFile = "/etc/visiventd/news.auth"
        news.proxy = "socks5h://proxy.example.org:1080"
        news.certificateAuthorityFile = "/etc/visiventd/ca.pem"
        news.followsServerInterval = true
        (news.home, news.notPlaces, news.isGeocoded) = (PlaceContext(country: "NO"), ["Ändå", "New York"], false)
        news.budget = SourceBudget(
            daily: StoredAmount(rows: 500, bytes: 2 << 20), total: StoredAmount(rows: 1000, bytes: 1 << 30))
        #expect(settings.sources[1] == news)
        // A merge key adds the keys that the source lacks.
        news.name = "news-more"
        news.url = "http://[::1]:8080/more"
        news.topics = []
        news.filter = Filter(keywords: KeywordFilter(["volcano"]))
        #expect(settings.sources[2] == news)
        #expect(
            settings.sources[3]
                == SourceSettings(
                    name: "messages_1", kind: "twitter", url: "https://example.org/search",
                    refreshInterval: .seconds(3600), offset: .seconds(240), maxAge: .seconds(259_200), isEnabled: false,
                    filter: Filter(keywords: KeywordFilter(["volcan*", "earthquake*"])),
                    options: [
                        "query": .text("from:USGS"), "most_messages": .integer(10),
                        "bearer_token_file": .text("credential:twitter"),
                        "api_key_file": .text("/etc/visiventd/keys/twitter"), "ratio": .number(0.5),
                        "streaming": .flag(true), "languages": .texts(["en", "de"]),
                        "patience": .duration(.seconds(86_400)),
                    ]))
        #expect(settings.sources[4].url == "file:///srv/feed.xml")
        #expect(settings.sources[4].options == ["category": .text("volcano")])
    }

    @Test func wordsThatNameNoPlacesAreBounded() throws {
        func read(_ words: String) throws -> [String] {
            try readSettings("sources:\n  - {name: news, kind: rss, url: \"file:///a\", not_places: \(words)}\n")
                .sources.first?.notPlaces ?? []
        }
        let most = (1...200).map { "w\($0)" }
        #expect(try read("[\(most.joined(separator: ", "))]") == most)
        #expect(throws: SettingsErrors.self) { try read("[\(most.joined(separator: ", ")), more]") }
        #expect(try read("北京") == ["北京"])
        let long = String(repeating: "w", count: 100)
        #expect(try read(long) == [long])
        #expect(throws: SettingsErrors.self) { try read(long + "w") }
    }

    /// RFC 8089 §2.
    @Test(arguments: [
        "file:///srv/{topic}.xml", "file://localhost/srv/{topic}.xml", "FILE://LocalHost/srv/{topic}.xml",
    ])
    func aFileMayBeNamedWithThisMachine(url: String) throws {
        let source = "sources:\n  - {name: news, kind: rss, topics: [a], url: \"\(url)\"}\n"
        #expect(try readSettings(source).sources.first?.url == "file:///srv/{topic}.xml")
    }

    @Test func systemdFoldersGiveTheDefaults() throws {
        let environment = [
            "STATE_DIRECTORY": "/var/lib/visiventd:/var/lib/other", "RUNTIME_DIRECTORY": "/run/visiventd",
        ]
        let settings = try readSettings(Self.minimal, environment: environment)
        #expect(settings.database == "/var/lib/visiventd/visiventd.sqlite")
        #expect(settings.controlSocket == "/run/visiventd/control.sock")
        #expect(settings.gazetteer.path == "/var/lib/visiventd/cities.sqlite")
        #expect(!settings.isDatabaseBeside)
    }

    @Test(arguments: [
        ("/srv/v.yaml", "/srv/visiventd.sqlite"), ("/v.yaml", "/visiventd.sqlite"), ("v.yaml", "visiventd.sqlite"),
        ("../v.yaml", "../visiventd.sqlite"),
    ])
    func theDatabaseIsBesideTheFileThatNamesNone(file: String, database: String) throws {
        let settings = try readSettings(Self.minimal, file: file)
        #expect(settings.database == database && settings.isDatabaseBeside)
        #expect(try !readSettings("database: visiventd.sqlite\n" + Self.minimal, file: file).isDatabaseBeside)
    }

    @Test func pathsInARelativeFileBelongToItsFolder() throws {
        let here = FileManager.default.currentDirectoryPath
        let database = try readSettings("database: ./a.sqlite\n" + Self.minimal, file: "config/visiventd.yaml").database
        #expect(database == "\(here)/config/a.sqlite")
        let beside = try readSettings("database: a.sqlite\n" + Self.minimal, file: "./v.yaml").database
        #expect(beside == "\(here)/a.sqlite")
        let top = try readSettings("database: a.sqlite\n" + Self.minimal, file: "/v.yaml").database
        #expect(top == "/a.sqlite")
    }

    @Test(arguments: [
        ("90s", 90_000), ("15m", 900_000), ("72h", 259_200_000), ("7d", 604_800_000), ("10500ms", 10_500),
        ("1h30m", 5_400_000), ("1d2h3m4s500ms", 93_784_500),
    ])
    func durations(text: String, milliseconds: Int64) throws {
        let settings = try readSettings(Self.minimal + "    refresh_interval: \(text)\n")
        #expect(settings.sources[0].refreshInterval == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "h", "1.5h", "30m1h", "1h1h", "1w", "1 h x", "-1s", "+15s", "99999999999999999999s", "9999999999999999d",
        "1h ago", "9s999ms", "367d",
    ])
    func durationsRefused(text: String) {
        #expect(faults(Self.minimal + "    refresh_interval: \"\(text)\"\n").count == 1)
    }

    @Test(arguments: [
        ("1024B", 1024), ("2kB", 2000), ("3MB", 3_000_000), ("1GB", 1_000_000_000), ("4KiB", 4096),
        ("5MiB", 5_242_880), ("2GiB", 2_147_483_648),
    ])
    func sizes(text: String, bytes: Int) throws {
        #expect(try readSettings("fetch:\n  maximum_body: \(text)\n" + Self.minimal).fetch.maximumBodyBytes == bytes)
    }

    @Test func whatOnlyAKindCanTellComesWithTheOtherFaults() throws {
        let text = Self.minimal + "    period: all_day\n    colour: red\n"
        let errors = try #require(throws: SettingsErrors.self) {
            try SettingsReader.parse(
                text, file: "visiventd.yaml", kinds: TestKinds.all, environment: [:],
                check: { FeedSettingsError(key: "period", found: $0.name, accepted: "another") })
        }
        #expect(errors.faults.map(\.key) == ["sources[0].period", "sources[0].colour"])
        #expect(errors.faults.first?.line == 4)
    }

    @Test func aMarkAtTheStartIsNoPartOfTheFile() throws {
        #expect(try readSettings("\u{FEFF}" + Self.minimal).sources.count == 1)
    }
}
