import Foundation
import Model
import Reading

/// Decodes a GeoJSON FeatureCollection of USGS, one feature at a time.
struct USGSDocument {
    /// The limit of a summary feed or query. A document with this many features may be cut off.
    static let featureCap = 30_000
    /// The most features that are read.
    private static let itemCap = 250_000

    /// The most seconds that `metadata.generated` may be ahead of the poll.
    private static let tolerance = 86_400.0
    private var answer = FeedAnswer()
    private var details = JSONWriter()
    private var present: [String] = []
    private var unnamed = 0
    private var count = 0
    /// Whether a feature is one of USGS: it has a time in milliseconds, or is deleted.
    private var isOfUSGS = false

    private init(features: Int) {
        answer.events.reserveCapacity(min(features, Self.itemCap))
    }

    static func decode(_ body: Data, now: Date) throws(ReadingError) -> FeedAnswer {
        let answer = JSONParser.withElements(
            of: "features", in: body, limit: itemCap, collectedIn: { USGSDocument(features: $0) },
            each: { $0.take($1, number: $2) },
            rest: { $0.finish($1, now: now) })
        if let answer { return try answer.get() }
        return try JSONParser().withValue(of: body) { root throws(ReadingError) in
            let features = try features(of: root)
            var document = USGSDocument(features: features.count ?? 0)
            for (index, feature) in features.elements.enumerated() where !WorkLimit.isExceeded {
                document.take(feature, number: index + 1)
            }
            return try document.finish(root, now: now).get()
        }
    }

    private static func features(of root: JSONValue) throws(ReadingError) -> JSONValue {
        guard root.kind == .object else {
            throw ReadingError(code: "not_geojson", message: "expected a JSON object, found \(root.kind)")
        }
        guard let features = root["features"], features.kind == .array else {
            let type = root["type"]?.string.map { "type \"\($0.prefix(40))\"" } ?? "no \"type\""
            let member = root["features"].map { "\"features\" of the kind \($0.kind)" } ?? "no \"features\""
            throw ReadingError(
                code: "not_geojson",
                message: "expected a FeatureCollection with an array \"features\", found \(type) and \(member)")
        }
        guard features.count ?? 0 <= itemCap else {
            throw ReadingError(code: "too_large", message: "found more than \(itemCap) features")
        }
        return features
    }

    private mutating func take(_ json: JSONValue, number: Int) {
        count += 1
        var feature = USGSFeature(json, number: number)
        let event = feature.event(&details)
        if feature.isOfUSGS { isOfUSGS = true }
        for issue in feature.issues { answer.report(issue) }
        guard let event else {
            unnamed += 1
            return
        }
        present.append(event.id)
        present += event.aliases
        if event.status == "deleted" {
            answer.withdrawals.append(
                Withdrawal(
                    provider: event.provider, id: event.id, reason: .deleted, time: event.updated,
                    evidence: "status deleted"))
        } else {
            answer.events.append(event)
        }
    }

    /// The answer, or an error for a collection of others' features.
    private mutating func finish(_ root: JSONValue, now: Date) -> Result<FeedAnswer, ReadingError> {
        guard count == 0 || isOfUSGS else {
            let found = "none of its \(count) features has a time in milliseconds"
            return .failure(ReadingError(code: "not_usgs", message: "the collection is no USGS feed: \(found)"))
        }
        answer.coverage = Self.coverage(root["metadata"], features: count, unnamed: unnamed, present: present)
        if let made = answer.coverage?.generated, made.timeIntervalSince(now) > Self.tolerance {
            // A date that far ahead would make every later snapshot look old.
            answer.coverage = nil
            answer.issues.append(FeedIssue("bad_generated", at: "metadata", found: made.rfc3339))
        }
        return .success(answer)
    }

    /// The coverage of a complete summary feed: its window less a margin at the old end (1/24 of it, at least
    /// 10 minutes), where events drop out while the feed is made.
    private static func coverage(
        _ metadata: JSONValue?, features: Int, unnamed: Int, present: [String]
    ) -> Coverage? {
        guard let generated = metadata?["generated"]?.int64, let url = metadata?["url"]?.string,
            let period = SummaryPeriod(url: url)
        else { return nil }
        let made = Date(milliseconds: generated)
        let isComplete =
            metadata?["count"]?.int64 == Int64(features) && unnamed == 0 && features < featureCap
        let length = period.window.length.seconds
        let window = made.addingTimeInterval(-length + max(600, length / 24))...made
        return Coverage(provider: "usgs", generated: made, window: isComplete ? window : nil, present: present)
    }
}
