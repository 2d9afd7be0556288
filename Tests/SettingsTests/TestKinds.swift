import Model
import Settings

/// Invented kinds of feed for these tests, with an option of every form.
enum TestKinds {
    static let all = [usgs, rss, twitter]

    static let usgs = FeedKind(
        name: "usgs", summary: "Earthquakes.", decoderVersion: 1, defaultURL: "https://example.org/{period}.geojson",
        refreshInterval: .seconds(300), offset: .zero, maxAge: .seconds(72 * 3600),
        options: [FeedOption("period", .choice(["all_hour", "all_day"]), default: .text("all_day"), "Window.")])

    static let rss = FeedKind(
        name: "rss", summary: "News.", decoderVersion: 1, refreshInterval: .seconds(3600), offset: .seconds(180),
        maxAge: .seconds(72 * 3600), options: [FeedOption("category", .text, "Category.")])

    static let twitter = FeedKind(
        name: "twitter", summary: "Messages.", decoderVersion: 1, defaultURL: "https://example.org/search",
        refreshInterval: .seconds(3600), offset: .seconds(240), maxAge: .seconds(72 * 3600), isEnabledByDefault: false,
        options: [
            FeedOption("query", .text, "Query."),
            FeedOption("most_messages", .integer(1...1000), default: .integer(100), "Most messages."),
            FeedOption("bearer_token_file", .secretFile(secret: "bearer"), "Token."),
            FeedOption("api_key_file", .secretFile(secret: "key"), "Key."),
            FeedOption("ratio", .number(0...1), "Ratio."),
            FeedOption("streaming", .flag, default: .flag(false), "Streaming."),
            FeedOption("languages", .texts, "Languages."),
            FeedOption("patience", .duration(Duration.seconds(1)...Duration.seconds(86_400)), "Patience."),
        ])
}

/// The settings of a text; the default file is `/etc/visiventd/visiventd.yaml`.
func readSettings(
    _ text: String, file: String = "/etc/visiventd/visiventd.yaml", environment: [String: String] = [:]
) throws -> Settings {
    try SettingsReader.parse(text, file: file, kinds: TestKinds.all, environment: environment)
}

/// The faults of a text, one line each; empty without any.
func faults(_ text: String, file: String = "visiventd.yaml") -> [String] {
    do {
        _ = try SettingsReader.parse(text, file: file, kinds: TestKinds.all, environment: [:])
        return []
    } catch {
        return error.faults.map { $0.description }
    }
}
