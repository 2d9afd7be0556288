import Foundation
import Model
import Telling
import Testing

@testable import Settings

@Suite struct ShippedConfigurationTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let path = root.appendingPathComponent("config/visiventd.yaml").path

    /// The kinds in the file with the keys that it sets.
    private static let kinds: [FeedKind] = [
        kind("usgs", [FeedOption("period", .text, "")]), kind("cap", []), kind("rss", []),
        kind(
            "twitter", url: "https://example.org/", enabled: false,
            [FeedOption("query", .text, ""), FeedOption("bearer_token_file", .secretFile(secret: "bearer"), "")]),
    ]

    private static func kind(
        _ name: String, url: String? = nil, enabled: Bool = true, _ options: [FeedOption]
    ) -> FeedKind {
        FeedKind(
            name: name, summary: "", decoderVersion: 1, defaultURL: url, refreshInterval: .seconds(60), offset: .zero,
            maxAge: .seconds(60), isEnabledByDefault: enabled, options: options)
    }

    @Test func itRunsAsItStands() throws {
        let settings = try SettingsReader.read(path: Self.path, kinds: Self.kinds, environment: [:])
        let sources = settings.sources
        #expect(sources.filter(\.isEnabled).map(\.name) == ["quakes", "volcanoes", "bbc", "guardian", "disasters"])
        #expect(sources.filter { !$0.isEnabled }.map(\.name) == ["messages"])
        #expect(sources[0].refreshInterval == .seconds(300))
        #expect(sources[0].maxAge == .seconds(72 * 3600))
        #expect(sources[1].refreshInterval == .seconds(10_080))
        #expect(sources[1].offset == .seconds(120))
        #expect(sources[1].maxAge == .seconds(2880 * 3600))
        #expect(sources[2].filter.keywords == KeywordFilter(["volcan*", "earthquake*", "erupt*"]))
        #expect(sources[2].urls().count == 2)
    }

    /// Commented-out defaults are the defaults.
    @Test func itsCommentsTellTheDefaults() throws {
        let text = try String(contentsOfFile: Self.path, encoding: .utf8)
        let head = try #require(text.split(separator: "\nsources:\n").first)
        var uncommented = ""
        var keys = 0
        for line in head.split(separator: "\n") {
            let indentation = line.prefix { $0 == " " }
            let content = line.drop { $0 == " " || $0 == "#" }
            let words = content.split(separator: " ")
            guard let key = words.first, key.hasSuffix(":"), words.count <= 2 else { continue }
            if indentation.isEmpty, words.count == 2 { continue }  // database and the like, whose values are examples
            uncommented += "\(indentation)\(content)\n"
            keys += 1
        }
        #expect(keys == 46)
        let settings = try readSettings(uncommented + "sources: [{name: a, kind: usgs}]\n")
        #expect(settings.log == LogSettings())
        #expect(settings.fetch == FetchSettings())
        #expect(settings.truncation == TruncationSettings())
        #expect(settings.disk == DiskSettings())
        #expect(settings.pictures == PictureSettings())
        #expect(settings.serve == ServeSettings())
        #expect(settings.gazetteer == GazetteerSettings(path: "/var/lib/visiventd/cities.sqlite"))
        var mapquest = ProviderSettings(.mapquest)
        (mapquest.keyFile, mapquest.isEnabled) = ("credential:mapquest", true)
        #expect(
            settings.geocoding == GeocodingSettings(mapquest: mapquest, nominatim: ProviderSettings(.nominatim)))
    }

    /// The file and its documentation have every key.
    @Test(arguments: [
        "database", "control_socket", "contact", "full_text", "log", "level", "format", "fetch", "concurrency",
        "per_host_concurrency", "per_host_gap", "connect_timeout", "total_timeout", "stall_timeout", "maximum_body",
        "maximum_transfer", "maximum_redirects", "truncation", "first", "interval", "disk", "minimum_free", "sources",
        "name", "kind", "url", "topics", "refresh_interval", "offset", "max_age", "enabled", "provider", "keywords",
        "minimum_magnitude", "headers", "authorization_file", "proxy", "ca_file", "follow_server_interval", "country",
        "home", "not_places", "geocode", "daily_rows", "daily_bytes", "most_rows", "most_bytes", "gazetteer",
        "least_confidence", "path", "geocoding", "mapquest", "nominatim", "key_file", "gap", "daily_quota",
        "monthly_quota", "keep_answers", "keep_misses", "timeout", "serve", "listen", "hosts", "cors",
        "frame_ancestors", "trusted_proxies", "base_path", "page", "basemaps", "tiles", "mbtiles", "attribution",
        "maximum_zoom",
        "referer", "overlays", "file", "configuration", "watches", "deliver", "sources", "providers", "categories",
        "near", "radius", "place", "box", "minimum_severity", "minimum_alert", "tsunami", "minimum_confidence",
        "maximum_age", "updates", "quiet", "quiet_magnitude", "title", "body", "health", "url_file",
        "signing_file", "form", "topic_file", "token_file", "server", "from", "to", "user",
        "password_file", "digest_after",
    ])
    func everyKeyIsExplained(key: String) throws {
        let file = try String(contentsOfFile: Self.path, encoding: .utf8)
        let documentation = try String(
            contentsOf: Self.root.appendingPathComponent("docs/configuration.md"), encoding: .utf8)
        #expect(file.split(separator: "\n").contains { $0.drop { "# -".contains($0) }.hasPrefix("\(key):") })
        #expect(documentation.contains("`\(key)`"))
    }

    @Test func itsExampleOfWatchesIsValid() throws {
        let text = try String(contentsOfFile: Self.path, encoding: .utf8)
        let start = try #require(text.range(of: "\n# watches:"))
        let end = try #require(text.range(of: "\nsources:\n"))
        let example = text[start.lowerBound..<end.lowerBound].split(separator: "\n").map { $0.dropFirst(2) }
        let settings = try readSettings(
            example.joined(separator: "\n") + "\nsources: [{name: quakes, kind: usgs}]\n")
        #expect(settings.watches.map(\.name) == ["lisbon", "machine"])
        #expect(settings.watches[0].significance == Significance())
        #expect(settings.tellingPlan.targets.map(\.kind) == [.ntfy, .mail, .webhook])
        #expect(settings.tellingPlan.targets.map(\.id) == ["desk-phone", "desk-mail desk@example.org", "cms"])
    }
}
