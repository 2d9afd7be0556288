/// Where the news of a source happens, learned from the places that its events name.
///
/// Each event counts once, with the countries and regions that its text names, by how sure they are. The counts are
/// hundredths and no clock is read, so the same events in the same order give the same home.
public struct LearnedHome: Sendable, Hashable, Codable {
    /// Votes by country (`US`) and by first-level division (`US.LA`), as GeoNames writes them.
    public private(set) var counts: [String: Double] = [:]
    /// Events that have counted, less those that were halved away.
    public private(set) var events = 0

    /// All counts are halved when this many events have counted, so that later events can contradict a home.
    public static let most = 128
    /// All counts are halved when there are more countries and regions than this, so that the size is bounded.
    public static let mostAreas = 96

    /// Creates a home without evidence.
    public init() {}

    /// Counts one event.
    /// - Parameter votes: Votes by the codes of countries and divisions: 2 for one that the event names for certain and
    ///   most of all. Empty: the event counts nothing.
    public mutating func count(_ votes: [String: Double]) {
        guard !votes.isEmpty else { return }
        events += 1
        for (code, vote) in votes { counts[code] = Self.hundredths(counts[code, default: 0] + vote) }
        guard events >= Self.most || counts.count > Self.mostAreas else { return }
        events /= 2
        counts = counts.mapValues { Self.hundredths($0 / 2) }.filter { $0.value >= 1 }
    }

    private static func hundredths(_ votes: Double) -> Double { (votes * 100).rounded() / 100 }

    /// The home: a region with its country, a country alone, or nothing.
    ///
    /// An area leads if it has three votes or more, half of those that the events could give, and half as many again as
    /// any other. A region is searched in the leading country.
    public var context: PlaceContext {
        guard let country = leader(of: counts.filter { !$0.key.contains(".") }) else { return PlaceContext() }
        let region = leader(of: counts.filter { $0.key.hasPrefix(country + ".") })
        return PlaceContext(country: country, region: region.map { String($0.dropFirst(country.utf8.count + 1)) })
    }

    private func leader(of counts: [String: Double]) -> String? {
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
            most.value >= max(3, Double(events))
        else { return nil }
        return counts.allSatisfy { $0.key == most.key || $0.value * 3 <= most.value * 2 } ? most.key : nil
    }
}
