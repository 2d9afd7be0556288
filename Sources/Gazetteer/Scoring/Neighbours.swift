import Foundation
import Model

/// The cities that a document's names mean at first sight, and the areas in which its names have candidates.
///
/// The first sight is a fixed rule without weights, so that the weights can be fitted to what it tells. It is summed up
/// once for a document; what the other names tell about a candidate is the sum without its own name.
struct Neighbours {
    /// A city that a name means at first sight.
    private struct Anchor {
        let place: Place
        let regionCode: String?
    }

    private var anchors: [Anchor] = []
    /// Where the anchors lie on the sphere of radius 1: their chords are in the order of their distances.
    private var points: [SIMD3<Double>] = []
    /// The number of anchors in each region.
    private var anchorsByRegion: [String: Int] = [:]
    /// Index of each group's anchor; nil: none.
    private var anchorOf: [Int?]

    /// The regions and countries in which each group has a city; nil for a name that is hardly a place.
    private var areas: [Set<String>?]
    /// The number of groups with a city in each of them.
    private var groupsByArea: [String: Int] = [:]
    /// The number of groups that are places.
    private var groupCount = 0

    /// The least rank of a city that is no guess: 30 000 inhabitants, or fewer in a region or country of the document.
    private static let leastRank = 4.5

    /// - Parameters:
    ///   - groups: The group of each mention, counted from 0.
    ///   - senses: The candidates inside the areas behind names.
    init(
        _ mentions: [DocumentMention], groups: [Int], senses: [String: Set<String>], _ evidence: DocumentEvidence,
        _ context: PlaceContext
    ) {
        let count = (groups.max() ?? -1) + 1
        anchorOf = Array(repeating: nil, count: count)
        areas = Array(repeating: nil, count: count)
        for (mention, group) in zip(mentions, groups) where mention.isPlace && areas[group] == nil {
            let codes = Self.areas(of: mention.candidates)
            areas[group] = codes
            groupCount += 1
            for code in codes { groupsByArea[code, default: 0] += 1 }
            guard let city = Self.firstSight(mention, sense: senses[mention.name.folded], evidence, context) else {
                continue
            }
            anchorOf[group] = anchors.count
            anchors.append(Anchor(place: city.place, regionCode: city.regionCode))
            points.append(Self.point(city.place.coordinate))
            if let code = city.regionCode { anchorsByRegion[code, default: 0] += 1 }
        }
    }

    private static func areas(of candidates: [PlaceCandidate]) -> Set<String> {
        var codes: Set<String> = []
        for candidate in candidates where candidate.place.kind == .city {
            codes.insert(candidate.place.country)
            if let code = candidate.regionCode { codes.insert(code) }
        }
        return codes
    }

    /// The city that a name means at first sight; nil if it rather means an area, or would be a guess.
    private static func firstSight(
        _ mention: DocumentMention, sense: Set<String>?, _ evidence: DocumentEvidence, _ context: PlaceContext
    ) -> PlaceCandidate? {
        if sense == nil, mention.candidates.contains(where: { $0.place.isLargeArea && $0.form == .name }) {
            return nil
        }
        var best: (rank: Double, index: Int)?
        for (index, candidate) in mention.candidates.enumerated()
        where candidate.place.kind == .city && sense?.contains(candidate.place.id) ?? true {
            let rank = rank(candidate, evidence, context)
            if best.map({ $0.rank < rank }) ?? true { best = (rank, index) }
        }
        guard let best, sense != nil || best.rank > leastRank else { return nil }
        return mention.candidates[best.index]
    }

    private static func rank(
        _ candidate: PlaceCandidate, _ evidence: DocumentEvidence, _ context: PlaceContext
    ) -> Double {
        let place = candidate.place
        let isHome = context.region != nil && place.country == context.country && place.region == context.region
        let isNamed = candidate.regionCode.map { evidence.regions[$0] != nil } ?? false
        return candidate.weight + (isHome || isNamed ? 2 : 0) + (evidence.countries[place.country] != nil ? 1 : 0)
    }

    private static func point(_ coordinate: Coordinate) -> SIMD3<Double> {
        let radians = Double.pi / 180
        let (latitude, longitude) = (coordinate.latitude * radians, coordinate.longitude * radians)
        return SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    /// The country of the city that the names of a group mean at first sight.
    func country(of group: Int) -> String? { anchorOf[group].map { anchors[$0].place.country } }

    /// Reads what other names than those of a group tell about one of their candidates.
    func read(_ candidate: PlaceCandidate, _ group: Int, _ features: inout PlaceFeatures) {
        let isInArea = candidate.place.kind == .city || candidate.place.kind == .district
        var others = anchors.count - (anchorOf[group] == nil ? 0 : 1)
        var same = 0
        if isInArea {
            let nearest = nearest(to: candidate.place, besides: anchorOf[group])
            same = nearest.same
            features[.nearest] = nearest.kilometres.map { exp(-$0 / 100) } ?? 0
        }
        others -= same
        guard let code = candidate.regionCode else { return }
        if others > 0 {
            let isOwnThere = anchorOf[group].map { anchors[$0].regionCode == code } ?? false
            let there = anchorsByRegion[code, default: 0] - same - (isOwnThere ? 1 : 0)
            features[.nearRegion] = Double(there) / Double(others)
        }
        guard isInArea else { return }
        let own = areas[group]
        let names = groupCount - (own == nil ? 0 : 1)
        let fitting = groupsByArea[code, default: 0] - (own?.contains(code) == true ? 1 : 0)
        features[.fitsRegion] = Double(fitting) / Double(max(1, names))
    }

    /// The distance from a place to the nearest anchor of another group; nil: there is none. Anchors that are the place
    /// itself are only counted.
    private func nearest(to place: Place, besides own: Int?) -> (kilometres: Double?, same: Int) {
        let point = Self.point(place.coordinate)
        var (nearest, least, same) = (-1, Double.infinity, 0)
        for index in points.indices where index != own {
            let way = points[index] - point
            let square = (way * way).sum()
            if square == 0, anchors[index].place.id == place.id {
                same += 1
            } else if square < least {
                (nearest, least) = (index, square)
            }
        }
        guard nearest >= 0 else { return (nil, same) }
        return (anchors[nearest].place.coordinate.distance(to: place.coordinate), same)
    }
}
