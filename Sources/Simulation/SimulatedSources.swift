import Model

/// The sources of a simulation, and an operator's changes to them.
enum SimulatedSources {
    private static let hour = Duration.seconds(3600)

    static let all = [
        SourceSettings(
            name: "quakes", kind: "usgs", url: "https://quakes.test/summary/{period}.geojson",
            refreshInterval: .seconds(600), maxAge: hour * 72, filter: Filter(minimumMagnitude: 2),
            options: ["period": .text("all_day")]),
        SourceSettings(
            name: "week", kind: "usgs", url: "https://mirror.test/summary/4.5_week.geojson",
            refreshInterval: .seconds(900), offset: .seconds(20), maxAge: hour * 240),
        SourceSettings(
            name: "volcanoes", kind: "cap", url: "https://volcano.test/news/WeeklyVolcanoCAP.xml",
            refreshInterval: .seconds(10_080), offset: .seconds(120), maxAge: hour * 480, trustedFor: ["gvp"]),
        SourceSettings(
            name: "volcano-map", kind: "kml", url: "https://volcano.test/news/WeeklyVolcanoGE-Reports.kml",
            refreshInterval: .seconds(10_080), offset: .seconds(130), maxAge: hour * 480, trustedFor: ["gvp"]),
        SourceSettings(
            name: "alerts", kind: "cap", url: "https://alerts.test/index.xml", refreshInterval: .seconds(1800),
            offset: .seconds(40), maxAge: hour * 120, trustedFor: [AlertWorld.sender]),
        SourceSettings(
            name: "impostor", kind: "cap", url: HostileWorld.warnings, refreshInterval: .seconds(2700),
            offset: .seconds(50), maxAge: hour * 96),
        SourceSettings(
            name: "rumours", kind: "rss", url: HostileWorld.news, refreshInterval: .seconds(1200),
            offset: .seconds(60), maxAge: hour * 96),
        SourceSettings(
            name: "news", kind: "rss", url: "https://news.test/{topic}.xml", topics: NewsWorld.topics,
            refreshInterval: .seconds(1800), offset: .seconds(180), maxAge: hour * 72),
        SourceSettings(
            name: "wire", kind: "rss", url: "https://news.test/wire.xml", refreshInterval: .seconds(3600),
            offset: .seconds(200), maxAge: hour * 96),
        SourceSettings(
            name: "messages", kind: "twitter", url: "https://messages.test/2/tweets/search/recent",
            refreshInterval: .seconds(3600), offset: .seconds(240), maxAge: hour * 72,
            options: [
                "query": .text("lava"), "page_size": .integer(10), "most_messages": .integer(60),
                "monthly_cap": .integer(100_000),
            ]),
        SourceSettings(
            name: "stream", kind: "twitter", url: "file:///var/spool/stream.jsonl", refreshInterval: .seconds(7200),
            offset: .seconds(10), maxAge: hour * 60),
        SourceSettings(
            name: stream, kind: "twitter", url: StreamWorld.url, refreshInterval: .seconds(1800), offset: .seconds(30),
            maxAge: hour * 72,
            options: ["mode": .text("stream"), "query": .text("lava"), "monthly_cap": .integer(100_000)]),
    ]

    /// Name of the source with the filtered stream.
    static let stream = "live"

    /// Changes the query of the stream; false if there is no such source.
    static func changeQuery(_ settings: inout [SourceSettings]) -> Bool {
        guard let index = settings.firstIndex(where: { $0.name == stream }) else { return false }
        let isPlain = settings[index].options["query"] == .text("lava")
        settings[index].options["query"] = .text(isPlain ? "lava ash" : "lava")
        return true
    }

    static func changeFilter(_ settings: inout [SourceSettings], _ chance: inout Chance) {
        change(&settings, of: ["usgs", "rss"], &chance) { source, chance in
            if source.kind == "usgs" {
                let least: [Double?] = [nil, 1.5, 2.5, 3]
                source.filter.minimumMagnitude = next(source.filter.minimumMagnitude, least, &chance)
            } else {
                let hasWords = source.filter.keywords != nil
                source.filter.keywords = hasWords ? nil : KeywordFilter(["flood*", "quake*", "storm*"])
            }
        }
    }

    static func changeMaxAge(_ settings: inout [SourceSettings], _ chance: inout Chance) {
        change(&settings, of: nil, &chance) { source, chance in
            source.maxAge = next(source.maxAge, [hour * 48, hour * 60, hour * 96, hour * 200], &chance)
        }
    }

    static func changeInterval(_ settings: inout [SourceSettings], _ chance: inout Chance) {
        change(&settings, of: ["usgs", "rss", "cap"], &chance) { source, chance in
            let choices: [Duration] = [.seconds(600), .seconds(900), .seconds(1200), .seconds(2700)]
            source.refreshInterval = next(source.refreshInterval, choices, &chance)
        }
    }

    static func changeTopics(_ settings: inout [SourceSettings], _ chance: inout Chance) {
        for index in settings.indices where !settings[index].topics.isEmpty {
            let count = settings[index].topics.count == 3 ? 2 : 3
            settings[index].topics = Array(chance.shuffled(NewsWorld.topics).prefix(count)).sorted()
        }
    }

    /// Renames a source, or undoes that. Not one with a secret, which is known by the source's name.
    static func rename(_ settings: inout [SourceSettings], _ chance: inout Chance) {
        change(&settings, of: ["usgs", "rss", "cap", "kml"], &chance) { source, _ in
            source.name = source.name.hasSuffix("-2") ? String(source.name.dropLast(2)) : source.name + "-2"
        }
    }

    /// Changes a random source of some kinds; nil: of any kind.
    private static func change(
        _ settings: inout [SourceSettings], of kinds: [String]?, _ chance: inout Chance,
        _ body: (inout SourceSettings, inout Chance) -> Void
    ) {
        let choices = settings.indices.filter { kinds?.contains(settings[$0].kind) ?? true }
        guard !choices.isEmpty else { return }
        body(&settings[chance.pick(Array(choices))], &chance)
    }

    /// A random value other than the present one.
    private static func next<Value: Equatable>(_ value: Value, _ choices: [Value], _ chance: inout Chance) -> Value {
        chance.pick(choices.filter { $0 != value })
    }
}
