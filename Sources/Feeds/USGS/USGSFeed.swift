import Foundation
public import Model
import Reading

/// USGS earthquake GeoJSON: summary feeds and results of fdsnws-event queries.
///
/// Identity: provider `usgs` and the feature's `id`; all of `ids` are aliases, since USGS changes ids. A complete
/// summary feed proves that events it lacks are gone; a query result proves nothing.
public struct USGSFeed: Feed {
    /// The kind `usgs`: by default the summary feed `all_day` every 5 minutes, events kept 3 days.
    public static let kind = FeedKind(
        name: "usgs", synonyms: ["earthquake", "earthquakes", "geojson"],
        summary: "USGS earthquakes: GeoJSON summary feeds and fdsnws-event query results",
        decoderVersion: 2,
        defaultURL: "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/{period}.geojson",
        refreshInterval: .seconds(300), offset: .zero, maxAge: .seconds(72 * 3600),
        provider: "usgs",
        options: [
            FeedOption(
                "period", .choice(SummaryPeriod.names), default: .text("all_day"),
                "Which summary feed `{period}` in the URL stands for: a threshold and a window.")
        ])

    private let settings: SourceSettings
    private let period: SummaryPeriod?

    /// Binds the kind to a source. `{period}` in its URL is filled from the option `period`, by default `all_day`.
    /// - Throws: `FeedSettingsError` for a source with topics and for an unknown period.
    public init(_ settings: SourceSettings) throws(FeedSettingsError) {
        self.settings = settings
        // Two snapshots in one source would each prove that the other's events are gone.
        guard settings.topics.isEmpty else {
            throw FeedSettingsError(
                key: "topics", found: "\(settings.topics.count) topics", accepted: "one source for each USGS feed")
        }
        let name = settings.options["period"]?.text ?? "all_day"
        guard let configured = SummaryPeriod(name: name) else {
            throw FeedSettingsError(key: "period", found: name, accepted: SummaryPeriod.names.joined(separator: ", "))
        }
        period = settings.url.contains("{period}") ? configured : SummaryPeriod(url: settings.url)
    }

    /// Requests the configured period; after an outage longer than its window, the smallest period with the same
    /// threshold that covers the outage, at most `month`. A URL without `{period}` is requested unchanged.
    public func requests(for poll: PollContext) -> [FeedRequest] {
        var asked = period
        var notes: [String: String] = [:]
        if let period, let lastSuccess = poll.lastSuccess, settings.url.contains("{period}") {
            let gap = Duration(clampingSeconds: poll.now.timeIntervalSince(lastSuccess))
            let wide = period.covering(gap)
            asked = wide
            if gap > wide.window.length { notes["uncovered"] = gap.compact }
        }
        return settings.urls(filling: asked.map { ["period": $0.name] } ?? [:]).map {
            FeedRequest(url: $0.url, headers: ["Accept": "application/json"], notes: notes)
        }
    }

    /// Decodes a GeoJSON FeatureCollection into one event for each feature, or a withdrawal for a deleted one.
    ///
    /// Faulty features become issues, as does an outage that no summary feed covers (`gap_not_covered`). `coverage` is
    /// nil for results of queries.
    /// - Throws: `Failure` with fault `feed` and code `not_geojson`, `not_usgs` for features without a time in
    ///   milliseconds, `too_large` for more than 250,000 features, or one of `JSONParser.withValue`.
    public func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer {
        var answer: FeedAnswer
        do throws(ReadingError) {
            answer = try USGSDocument.decode(response.body, now: poll.now)
        } catch {
            throw .feed(error, body: response.body)
        }
        if let gap = response.request.notes["uncovered"] {
            answer.issues.append(
                FeedIssue(
                    "gap_not_covered", at: "feed", found: "no summary feed reaches back over the outage of \(gap)"))
        }
        return answer
    }

    /// Warnings about a `period` that the URL does not use, and about a window shorter than twice the refresh interval,
    /// in which events may be missed. Empty if there are none.
    public var advice: [String] {
        var advice: [String] = []
        // An explicit default looks like a missing option.
        let configured = settings.options["period"]?.text ?? "all_day"
        if !settings.url.contains("{period}"), ![period?.name, "all_day"].contains(configured) {
            advice.append("period: \(configured) is not used, since the url has no {period}")
        }
        if let window = period?.window.length, settings.refreshInterval * 2 > window {
            advice.append(
                "the feed's window of \(window.compact) is less than twice the refresh interval of "
                    + "\(settings.refreshInterval.compact): events may be missed")
        }
        return advice
    }
}
