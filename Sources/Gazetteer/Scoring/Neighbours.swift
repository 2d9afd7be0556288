import Foundation
import Model

/// The cities that a document's names mean at first sight, and the areas in which its names have candidates.
///
/// The first sight is a fixed rule without weights, so that the weights can be fitted to what it tells.
struct Neighbours {
    private let cities: [(group: String, place: Place)]
    /// The regions and countries in which each name has a city.
    private var areas: [String: Set<String>] = [:]
    /// The number of names with a city in each of them.
    private var counts: [String: Int] = [:]

    /// The least rank of a city that is no guess: 30 000 inhabitants, or fewer in a region or country of the document.
    private static let leastRank = 4.5

    /// - Parameter senses: The candidates inside the areas behind names.
    init(
        _ mentions: [DocumentMention], senses: [String: Set<String>], _ evidence: DocumentEvidence,
        _ context: PlaceContext
    ) {
        var cities: [(group: String, place: Place)] = []
        for mention in mentions where mention.isPlace && areas[mention.group] == nil {
            let all = mention.candidates.filter { $0.place.kind == .city }
            let codes = Set(all.flatMap { [$0.place.country, $0.place.regionCode ?? $0.place.country] })
            areas[mention.group] = codes
            for code in codes { counts[code, default: 0] += 1 }
            let sense = senses[mention.name.folded]
            if sense == nil, mention.candidates.contains(where: { $0.place.isLargeArea && $0.form == .name }) {
                continue
            }
            let ranked = all.filter { sense?.contains($0.place.id) ?? true }
                .map { (rank: Self.rank($0, evidence, context), place: $0.place) }
            guard let first = ranked.max(by: { $0.rank < $1.rank }), sense != nil || first.rank > Self.leastRank else {
                continue
            }
            cities.append((mention.group, first.place))
        }
        self.cities = cities
    }

    private static func rank(
        _ candidate: PlaceCandidate, _ evidence: DocumentEvidence, _ context: PlaceContext
    ) -> Double {
        let place = candidate.place
        let isHome = context.region != nil && place.country == context.country && place.region == context.region
        let isNamed = place.regionCode.map { evidence.regions[$0] != nil } ?? false
        return candidate.weight + (isHome || isNamed ? 2 : 0) + (evidence.countries[place.country] != nil ? 1 : 0)
    }

    /// The city that the names of a group mean at first sight.
    func place(of group: String) -> Place? { cities.first { $0.group == group }?.place }

    /// Reads what other names than those of a group tell about a place.
    func read(_ place: Place, _ group: String, _ features: inout PlaceFeatures) {
        let others = cities.filter { $0.group != group && $0.place.id != place.id }.map { $0.place }
        if !others.isEmpty, let code = place.regionCode {
            features[.nearRegion] = Double(others.count { $0.regionCode == code }) / Double(others.count)
        }
        guard place.kind == .city || place.kind == .district else { return }
        let distance = others.lazy.map { $0.coordinate.distance(to: place.coordinate) }.min()
        features[.nearest] = distance.map { exp(-$0 / 100) } ?? 0
        guard let code = place.regionCode else { return }
        let own = areas[group]
        let names = areas.count - (own == nil ? 0 : 1)
        let fitting = counts[code, default: 0] - (own?.contains(code) == true ? 1 : 0)
        features[.fitsRegion] = Double(fitting) / Double(max(1, names))
    }
}
