import Foundation
import Model

/// Invariants of every answer of a decoder.
struct AnswerCheck {
    /// Size of the body.
    let bodyBytes: Int
    /// Whether the body may be compressed, so that it can hold more items than bytes.
    let isPacked: Bool

    /// Most characters of an id with the suffix that decoders add to a bounded one.
    private static let longestID = 1_300
    private static let longestTitle = 1_024
    /// Room for a message of 65,536 characters that quotes another one.
    private static let longestSummary = 140_000
    private static let maximumAliases = 120
    /// Bytes of events beyond 64 times the body: copies of texts that belong to several events.
    private static let copiedBytes = 128 << 20

    /// Throws unless the answer is valid.
    func check(_ answer: FeedAnswer) throws(BrokenInvariant) {
        if !isPacked {
            try hold(answer.events.count <= bodyBytes, "\(answer.events.count) events of \(bodyBytes) bytes")
            let bytes = answer.events.reduce(0) { $0 + Self.size($1) }
            try hold(bytes <= Self.copiedBytes + 64 * bodyBytes, "\(bytes) bytes of events from \(bodyBytes)")
        }
        for event in answer.events { try Self.check(event) }
        for withdrawal in answer.withdrawals {
            try TextCheck.check(withdrawal.provider, "a withdrawal's provider", atMost: Self.longestID)
            try TextCheck.check(withdrawal.id, "a withdrawal's id", atMost: Self.longestID)
            try TextCheck.check(withdrawal.evidence, "a withdrawal's evidence", atMost: 4_096)
        }
        for issue in answer.issues {
            try TextCheck.check(issue.reason, "an issue's reason", atMost: 40)
            try TextCheck.check(issue.position, "an issue's position", atMost: Self.longestID)
            try hold(issue.found.unicodeScalars.count <= 200, "an issue quotes \(issue.found.utf8.count) bytes")
            try hold(issue.times > 0, "an issue that occurred \(issue.times) times")
        }
        for request in answer.followUps {
            try TextCheck.check(address: request.url, "a follow-up request")
            try hold(request.cost >= 0, "a follow-up request that costs \(request.cost)")
        }
        if let coverage = answer.coverage {
            try hold(!coverage.provider.isEmpty, "a coverage without provider")
            try hold(coverage.generated.timeIntervalSince1970.isFinite, "a coverage made at no time")
        }
        if let interval = answer.requestedInterval {
            let longest = Duration.seconds(366 * 86_400)
            try hold(interval > .zero && interval <= longest, "the interval \(interval) is asked for")
        }
        try hold(answer.cost >= 0 && answer.cost <= bodyBytes, "\(answer.cost) paid reads")
    }

    /// Throws unless the event is valid.
    static func check(_ event: Event) throws(BrokenInvariant) {
        try TextCheck.check(event.provider, "the provider", atMost: longestID)
        try TextCheck.check(event.id, "the id", atMost: longestID)
        try TextCheck.check(event.title, "the title", atMost: longestTitle)
        try TextCheck.check(event.summary, "the summary", atMost: longestSummary, hasLines: true)
        try TextCheck.check(event.place, "the place", atMost: 1_024)
        try TextCheck.check(event.status, "the status", atMost: 1_024)
        try TextCheck.check(event.language, "the language", atMost: 35)
        try TextCheck.check(event.category.rawValue, "the category", atMost: 1_024)
        try TextCheck.check(event.author?.name, "the author", atMost: 1_024)
        try TextCheck.check(address: event.link, "the link")
        try TextCheck.check(address: event.author?.link, "the author's link")
        try TextCheck.check(address: event.author?.picture, "the author's picture")
        try hold(event.aliases.count <= maximumAliases, "\(event.aliases.count) aliases")
        try hold(!event.aliases.contains(event.id), "the id \(quoted(event.id)) is among its aliases")
        for alias in event.aliases { try TextCheck.check(alias, "an alias", atMost: longestID) }
        try hold((0...1).contains(event.weight), "the weight is \(event.weight)")
        try hold(event.magnitude?.isFinite ?? true, "the magnitude is \(event.magnitude ?? 0)")
        try hold(event.depth?.isFinite ?? true, "the depth is \(event.depth ?? 0)")
        for date in [event.time, event.updated, event.expires].compactMap({ $0 }) {
            try hold(date.timeIntervalSince1970.isFinite, "a date is \(date.timeIntervalSince1970)")
        }
        if let location = event.location { try check(location) }
        try TextCheck.check(json: event.details, "details")
        if let geometry = event.geometry { try TextCheck.check(json: geometry, "geometry") }
    }

    /// Throws unless the location is a plausible point on Earth.
    static func check(_ location: Location) throws(BrokenInvariant) {
        let point = location.coordinate
        try hold(
            (-90...90).contains(point.latitude) && (-180...180).contains(point.longitude),
            "the location is \(point.latitude), \(point.longitude)")
        try hold(!point.isNowhere, "the location is 0,0, by \(location.method.rawValue)")
        try hold((0...1).contains(location.confidence), "the confidence is \(location.confidence)")
        if let radius = location.radius { try hold(radius > 0 && radius < 20_040, "the radius is \(radius) km") }
        guard let country = location.country else { return }
        let isCode = country.utf8.count == 2 && country.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        try hold(isCode, "the country is \(quoted(country))")
    }

    /// Throws unless both answers are equal.
    static func compare(_ one: FeedAnswer, _ other: FeedAnswer) throws(BrokenInvariant) {
        try hold(one.events == other.events, "the same bytes give other events")
        try hold(one.withdrawals == other.withdrawals, "the same bytes give other withdrawals")
        try hold(one.issues == other.issues, "the same bytes give other issues")
        try hold(one.followUps == other.followUps, "the same bytes give other requests")
        try hold(one.state == other.state, "the same bytes give another state")
        try hold(one.coverage == other.coverage, "the same bytes give another coverage")
        try hold(one.tallies == other.tallies, "the same bytes give other tallies")
        try hold(one.notBefore == other.notBefore, "the same bytes give another earliest time")
    }

    private static func size(_ event: Event) -> Int {
        let texts = [event.summary, event.place, event.link, event.geometry].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        let names = event.aliases.reduce(event.id.utf8.count + event.title.utf8.count) { $0 + $1.utf8.count }
        return texts + names + event.details.utf8.count
    }
}
