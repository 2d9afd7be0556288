import Model

/// The districts of a document that a town in them tells from their namesakes, and these towns: of the Walker Counties
/// it is that of Texas where Huntsville is named, and of the Huntsvilles that one.
struct DistrictTowns {
    /// Districts by their folded names with their word (`walker county`).
    private(set) var districts: [String: Place] = [:]
    /// Towns by their folded names.
    private(set) var towns: [String: Place] = [:]

    /// Compares the districts that a document names with the towns among the meanings of its other names. Of the
    /// districts of one name it takes that with the most towns, if one leads; in the home's region, where there is one.
    init(_ hits: [AreaHit], mentions: [DocumentMention], context: PlaceContext) {
        var seen: Set<String> = []
        for hit in hits where seen.insert(hit.name).inserted {
            guard hit.areas.allSatisfy({ $0.kind == .district }), let split = AreaWords.split(hit.name) else {
                continue
            }
            let atHome = hit.areas.filter { $0.country == context.country && $0.region == context.region }
            var best: (district: Place, towns: [String: Place])?
            var isShared = false
            for district in atHome.isEmpty ? hit.areas : atHome {
                let towns = Self.towns(in: district, mentions, besides: split.name)
                let lead = towns.count - (best?.towns.count ?? 0)
                if lead > 0 { best = (district, towns) }
                if lead >= 0, !towns.isEmpty { isShared = lead == 0 }
            }
            guard let best, !isShared else { continue }
            districts[hit.name] = best.district
            towns.merge(best.towns) { first, _ in first }
        }
    }

    /// The towns in a district by their own names, other than that of the district; without names that a
    /// famous city elsewhere has: Dallas beside a Polk County is mostly the one that everybody knows.
    private static func towns(
        in district: Place, _ mentions: [DocumentMention], besides name: String
    ) -> [String: Place] {
        var towns: [String: Place] = [:]
        for mention in mentions where mention.name.folded != name && towns[mention.name.folded] == nil {
            let isKnownElsewhere = mention.candidates.contains {
                $0.place.isFamousCity && !$0.place.lies(in: district)
            }
            if isKnownElsewhere { continue }
            let town = mention.candidates.first {
                $0.place.kind == .city && $0.form == .name && $0.place.lies(in: district)
            }
            if let town { towns[mention.name.folded] = town.place }
        }
        return towns
    }
}
