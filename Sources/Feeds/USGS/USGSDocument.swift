import Foundation
import Model
import Reading

/// Decodes a GeoJSON FeatureCollection as USGS serves it.
enum USGSDocument {
    /// Most features a summary feed or query returns; a document that is full may be cut off.
    static let featureCap = 30_000

    /// How far ahead of the poll a snapshot may claim to have been made.
    private static let tolerance = 86_400.0

    static func decode(_ root: JSONValue, now: Date) throws(ReadingError) -> FeedAnswer {
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
        var answer = FeedAnswer()
        var present: [String] = []
        var unnamed = 0
        var number = 0
        answer.events.reserveCapacity(features.count ?? 0)
        for element in features.elements {
            number += 1
            var feature = USGSFeature(element, number: number)
            guard let event = feature.event() else {
                unnamed += 1
                for issue in feature.issues { answer.report(issue) }
                continue
            }
            for issue in feature.issues { answer.report(issue) }
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
        answer.coverage = coverage(root["metadata"], features: number, unnamed: unnamed, present: present)
        if let made = answer.coverage?.generated, made.timeIntervalSince(now) > tolerance {
            // Believed, it would make every later snapshot look old.
            answer.coverage = nil
            answer.issues.append(FeedIssue("bad_generated", at: "metadata", found: made.rfc3339))
        }
        return answer
    }

    /// A summary feed covers its window less a margin at the old end, where events leave it while it is made.
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
