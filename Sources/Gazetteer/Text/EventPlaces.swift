public import Model

/// Finds where an event is that came without coordinates, by the city table alone.
///
/// First the text that is meant to be a place: a dateline, areas, the place attached to a message, where its author
/// says to be. Of several places the first that the table knows is taken; of areas that an event covers together, what
/// they have in common. A name that the table does not know and that looks like one is a question for a service. An
/// ambiguous one is that too, unless title or summary tell where it is.
///
/// Then the places that title and summary name: a city before a region, a region before a country. Of each sort those
/// of the title come first, and those of the summary count only if they lie in what the title names. Of several that
/// lie apart, one must lead: named twice as often as any other. Otherwise the event is in the region or country that
/// they share, or nowhere. Words of title and summary never go to a service.
public struct EventPlaces {
    /// Cities of one country within this distance are one neighbourhood, in kilometres.
    public static let neighbourhood = 300.0
    /// A place that a text names first behind so many bytes is not where the event is.
    public static let lead = 1_000

    private let table: CityTable
    private let resolver: Resolver
    private let finder: PlaceFinder

    /// Creates a finder over the table.
    public init(_ table: CityTable, resolver: Resolver) {
        self.table = table
        self.resolver = resolver
        finder = PlaceFinder(table, resolver: resolver)
    }

    /// Where the event is, what to ask a service, or why neither.
    /// - Throws: `GazetteerError` when the table cannot be read.
    public func outcome(for event: UnlocatedEvent) throws(GazetteerError) -> LocalOutcome {
        let byPlace = try placeText(of: event)
        switch byPlace {
        case .located, .ask: return byPlace.outcome
        case .unsure, .nothing: break
        }
        let byWords = try runningText(of: event)
        if case .located = byWords { return byWords }
        if case .unsure(let query) = byPlace { return .ask(query) }
        return byWords
    }

    // MARK: - Place texts

    /// What the text that is meant to be a place gives.
    private enum PlaceFinding {
        case located(Location)
        /// The table does not know the name.
        case ask(PlaceQuery)
        /// The table knows several of the name.
        case unsure(PlaceQuery)
        case nothing

        var outcome: LocalOutcome {
            switch self {
            case .located(let location): .located(location)
            case .ask(let query), .unsure(let query): .ask(query)
            case .nothing: .unresolved(reason: "no place named")
            }
        }
    }

    private func placeText(of event: UnlocatedEvent) throws(GazetteerError) -> PlaceFinding {
        guard let place = event.place else { return .nothing }
        let evidence = event.placeEvidence
        let style: PlaceText.Style = evidence == .author ? .author : .feed
        let text = PlaceText(place, style: style)
        if let joined = try cityAndCountry(text, evidence, event.context) { return .located(joined) }
        var found: [Resolution] = []
        var unknown: PlaceQuery?
        var unsure: PlaceQuery?
        for part in text.parts {
            guard case .name(let name) = part else {
                if case .coordinate(let coordinate, let text) = part {
                    // Where the author's device was when the profile was written, which is not the event's own point.
                    return .located(
                        Location(
                            coordinate, precision: .city, confidence: 0.5, matchedText: text, evidence: evidence))
                }
                continue
            }
            switch try resolver.resolve(name, context: event.context) {
            case .found(let resolution):
                if evidence == .author, resolution.confidence <= Confidence.unknownPopulation {
                    // Among millions of names any word is some hamlet's.
                    if unsure == nil, PlaceText.isWorthAsking(name, style: style) {
                        unsure = try resolver.question(name, context: event.context, evidence: evidence)
                    }
                    continue
                }
                guard let location = locate(resolution, evidence) else { continue }
                if !text.isAreaList { return .located(location) }
                found.append(resolution)
            case .abstained(let reason, candidates: _):
                guard reason != .notAPlace, PlaceText.isWorthAsking(name, style: style), !isListOfCountries(name) else {
                    continue
                }
                let query = try resolver.question(name, context: event.context, evidence: evidence)
                if reason == .unknownName { unknown = unknown ?? query } else { unsure = unsure ?? query }
            }
        }
        if Self.isTelling(found, of: text.parts.count, event.context), let location = covering(found, evidence) {
            return .located(location)
        }
        if let unknown { return .ask(unknown) }
        if let unsure { return .unsure(unsure) }
        return .nothing
    }

    /// An author's `Mérida / Venezuela`: the city in the country beside it.
    private func cityAndCountry(
        _ text: PlaceText, _ evidence: PlaceEvidence, _ context: PlaceContext
    ) throws(GazetteerError) -> Location? {
        guard evidence == .author, text.parts.count == 2, case .name(let city) = text.parts[0],
            case .name(let area) = text.parts[1], case .found(let whole) = try resolver.resolve(area, context: context),
            whole.place.kind == .country || whole.place.kind == .region
        else { return nil }
        guard case .found(let resolution) = try resolver.resolve("\(city), \(area)", context: context),
            resolution.place.kind == .city, resolution.place.lies(in: whole.place)
        else { return nil }
        return locate(resolution, evidence)
    }

    /// `Argentina, Chile`: a service has no one place for it.
    private func isListOfCountries(_ name: String) -> Bool {
        let parts = name.split(separator: ",")
        var folding = NameFolding()
        return parts.count > 1
            && parts.allSatisfy { part in
                guard let key = folding.key(String(part)) else { return false }
                return resolver.names.entries(key).contains { $0.area.kind == .country && $0.form == .name }
            }
    }

    /// Whether enough of an event's areas are known: of `Lima; Allen County`, a bare name that may be another place's
    /// besides one that would tell, not. Most of them must be, or their country from the source or behind a comma.
    private static func isTelling(_ found: [Resolution], of count: Int, _ context: PlaceContext) -> Bool {
        found.count * 2 > count
            || found.allSatisfy { $0.confidence >= Confidence.qualified || $0.place.country == context.country }
    }

    /// What areas that an event covers together have in common: a neighbourhood, a region or a country.
    private func covering(_ found: [Resolution], _ evidence: PlaceEvidence) -> Location? {
        guard let first = found.first else { return nil }
        if found.count == 1 { return locate(first, evidence) }
        guard found.allSatisfy({ Self.areNear($0.place, first.place) }) else { return shared(found, evidence) }
        var location = locate(first, evidence)
        if location?.precision == .city { location?.precision = .region }
        return location
    }

    // MARK: - Running text

    /// A place that title or summary name.
    private struct Tally {
        let resolution: Resolution
        /// Where it is named first.
        let evidence: PlaceEvidence
        var mentions = 0

        var place: Place { resolution.place }
        var isInTitle: Bool { evidence == .title }
    }

    private func runningText(of event: UnlocatedEvent) throws(GazetteerError) -> LocalOutcome {
        let tallies = try tally(event)
        let titleAreas = tallies.filter { $0.isInTitle && $0.place.kind != .city }.map { $0.place }
        for kinds in [[.city], [.district, .region], [.country]] as [[Place.Kind]] {
            let level = tallies.filter { kinds.contains($0.place.kind) }
            var candidates = level.filter { $0.isInTitle }
            if candidates.isEmpty {
                candidates = level.filter { tally in
                    titleAreas.isEmpty || titleAreas.contains { tally.place.lies(in: $0) }
                }
                // `Earthquake hits Afghanistan … felt in Kabul, Islamabad and Delhi`: of several places in and outside
                // of what the title names none is meant, unless one leads them all.
                if candidates.count < level.count,
                    Self.leader(of: level).map({ $0.place.id }) != candidates.first?.place.id
                {
                    continue
                }
            }
            guard !candidates.isEmpty else { continue }
            if let leader = Self.leader(of: candidates) {
                if let location = locate(leader.resolution, leader.evidence) { return .located(location) }
            } else if let location = shared(candidates.map { $0.resolution }, candidates[0].evidence) {
                return .located(location)
            }
            return .unresolved(reason: "several places named, none of them leads")
        }
        return .unresolved(reason: "no place named")
    }

    /// The places named, in the order of their first mention, the title's first.
    private func tally(_ event: UnlocatedEvent) throws(GazetteerError) -> [Tally] {
        var text = event.title
        var titleLength = text.utf8.count
        if let summary = event.summary, !summary.isEmpty {
            // A message's title is the beginning of its text.
            let opening = text.hasSuffix("…") ? String(text.dropLast()) : text
            if summary.hasPrefix(opening) {
                text = summary
                titleLength = 0
            } else {
                text += "\n\n" + summary
            }
        }
        let titleEnd = text.utf8.index(text.startIndex, offsetBy: titleLength)
        // Further down, long texts name places that the event is not in.
        let leadEnd = text.utf8.index(titleEnd, offsetBy: Self.lead, limitedBy: text.endIndex) ?? text.endIndex
        var tallies: [Tally] = []
        for found in try finder.places(in: text, context: event.context, language: event.language) {
            let resolution = found.resolution
            let known = tallies.firstIndex { $0.place.id == resolution.place.id }
            if known == nil, found.range.lowerBound >= leadEnd { continue }
            if known == nil {
                let evidence: PlaceEvidence = found.range.lowerBound < titleEnd ? .title : .summary
                tallies.append(Tally(resolution: resolution, evidence: evidence))
            }
            tallies[known ?? tallies.count - 1].mentions += 1
        }
        return tallies
    }

    /// The one that leads: named first among its neighbours, and twice as often as any that lies apart.
    private static func leader(of candidates: [Tally]) -> Tally? {
        guard let most = candidates.map({ $0.mentions }).max(),
            let first = candidates.first(where: { $0.mentions == most })
        else { return nil }
        let others = candidates.filter { !areNear($0.place, first.place) }
        return others.allSatisfy { first.mentions >= 2 * $0.mentions } ? first : nil
    }

    /// The region or country that all of them share.
    private func shared(_ found: [Resolution], _ evidence: PlaceEvidence) -> Location? {
        guard let first = found.first, found.allSatisfy({ $0.place.country == first.place.country }) else { return nil }
        let code = "\(first.place.country).\(first.place.region)"
        let region = table.regions[code].flatMap { region in
            found.allSatisfy { $0.place.region == first.place.region } ? region : nil
        }
        guard let area = region ?? table.countries[first.place.country] else { return nil }
        let confidence = found.map { $0.confidence }.min() ?? 0
        return locate(area, confidence: confidence, matchedText: first.matchedText, evidence)
    }

    // MARK: - Places

    /// Whether two places are one, or cities of one country in one neighbourhood.
    private static func areNear(_ one: Place, _ other: Place) -> Bool {
        if one.id == other.id { return true }
        guard one.kind == .city || one.kind == .district, other.kind == .city || other.kind == .district else {
            return false
        }
        return one.country == other.country && one.coordinate.distance(to: other.coordinate) <= neighbourhood
    }

    private func locate(_ resolution: Resolution, _ evidence: PlaceEvidence) -> Location? {
        locate(
            resolution.place, confidence: resolution.confidence, matchedText: resolution.matchedText, evidence)
    }

    /// Nil for a row without a real position.
    private func locate(
        _ place: Place, confidence: Double, matchedText: String, _ evidence: PlaceEvidence
    ) -> Location? {
        guard !place.coordinate.isNowhere else { return nil }
        return Location(
            place.coordinate, method: .gazetteer, precision: place.precision,
            confidence: confidence * evidence.trust, matchedText: matchedText, evidence: evidence,
            placeID: place.id, country: place.country)
    }
}
