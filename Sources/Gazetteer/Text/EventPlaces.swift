public import Model

/// Finds the place of an event without coordinates, by the city table alone.
///
/// It reads the place text first: a dateline, areas, the place attached to a message, its author's location. Of several
/// places the first that the table knows counts; of areas that an event covers together, what they share. A name that
/// the table does not know and that looks like a place is a question for a service. So is an ambiguous name, unless
/// title or summary give a place. A dateline yields to a place elsewhere that the title is about (`DatelineRival`).
///
/// Then it reads title and summary: a city goes before a region, a region before a country. Within a kind, places of
/// the title go first; those of the summary count only inside those of the title. Of places that lie apart, one must be
/// named twice as often as any other. Otherwise the event is in the region or country that they share, or unresolved.
/// Words of title and summary never go to a service. Where they name no more than a country, a sea, strait, range or
/// group of islands counts (`RegionFinder`).
public struct EventPlaces {
    /// Cities or districts of one country within this distance in kilometres of each other are one neighbourhood.
    public static let neighbourhood = 300.0
    /// Bytes of UTF-8 after the title within which a place must be named first to count as the event's.
    public static let lead = 1_000

    private let table: CityTable
    private let resolver: Resolver
    private let finder: PlaceFinder
    private let rival: DatelineRival
    private let volcanoes: VolcanoFinder

    /// Kilometres around a volcano within which its events happen: vents and flows on its flanks.
    public static let volcanoRadius = 10.0

    /// Creates a finder, which keeps the table open; table and resolver must be of the same generation.
    /// - Parameter volcanoes: The seeded volcanoes, each once for each of its names; by default none, so that none is
    ///   found.
    public init(_ table: CityTable, resolver: Resolver, volcanoes: [PointOfInterest] = []) {
        self.table = table
        self.resolver = resolver
        finder = PlaceFinder(table, resolver: resolver)
        rival = DatelineRival(resolver: resolver, finder: finder)
        self.volcanoes = VolcanoFinder(volcanoes, resolver: resolver)
    }

    /// The event's place, the question to a service, or why there is neither: `no place named` or `several places
    /// named, none of them leads`. It reads the table, so it blocks; for one thread at a time, as the table.
    /// - Throws: `GazetteerError` (`unreadable`) if the table cannot be read.
    public func outcome(for event: UnlocatedEvent) throws(GazetteerError) -> LocalOutcome {
        let event = try read(event)
        let byPlace = try placeText(of: event)
        // A town in the feed's own words is more than a volcano in the text; a country, a dateline or an author is less.
        if case .located(let location, _) = byPlace, event.placeEvidence == .place,
            location.precision == .city || location.precision == .point
        {
            return .located(location)
        }
        let words = EventText(event)
        let found = try outcome(of: event, words, byPlace)
        guard found.precision == nil, event.home.country != nil, event.context.country == nil else { return found }
        // A learned home takes no place away.
        var homeless = event
        homeless.home = PlaceContext()
        let other = try outcome(of: homeless, words, byPlace)
        return other.precision == nil ? found : other
    }

    private func outcome(
        of event: UnlocatedEvent, _ words: EventText, _ byPlace: PlaceFinding
    ) throws(GazetteerError) -> LocalOutcome {
        if let volcano = try volcano(of: event, words) { return .located(volcano) }
        switch byPlace {
        case .located(_, let dateline?) where event.placeEvidence == .dateline:
            guard let rival = try rival.place(of: event, words, dateline: dateline),
                let location = rival.distance.flatMap({ locate(rival.resolution, at: $0) })
                    ?? locate(rival.resolution, rival.evidence)
            else { return byPlace.outcome }
            return .located(location)
        case .located, .ask: return byPlace.outcome
        case .unsure, .nothing: break
        }
        let byWords = try runningText(of: event, words)
        // A country is less than a sea or a range: `Earthquake in the Banda Sea, Indonesia`.
        if byWords.precision ?? .country == .country, let region = RegionFinder.location(in: words) {
            return .located(region)
        }
        if case .located = byWords { return byWords }
        if case .unsure(let query) = byPlace { return .ask(query) }
        return byWords
    }

    /// The votes of an event for the home of its source, as `LearnedHome.count` takes them. Empty for a message, whose
    /// author may be anywhere. It reads the table, as `outcome` does.
    /// - Parameter address: The country of the address of its source; nil, the default: unknown.
    /// - Throws: `GazetteerError` (`unreadable`) if the table cannot be read.
    public func homeVotes(of event: UnlocatedEvent, address: String? = nil) throws(GazetteerError) -> [String: Double] {
        guard event.category != Category.message.rawValue else { return [:] }
        let words = try read(event)
        var text = EventText(words).text
        if let place = words.place, words.placeEvidence != .author { text = place + "\n\n" + text }
        let opening = String(text.unicodeScalars.prefix(PlaceFinder.textLimit))
        let votes = try resolver.homeVotes(in: opening)
        guard !votes.isEmpty else { return [:] }
        return HomePrior(opening, declared: event.language, address: address).weighed(votes)
    }

    /// The event as it is read: without the words of `notPlaces`; if it has any, texts end where reading ends. It reads
    /// the table, as `outcome` does.
    /// - Throws: `GazetteerError` (`unreadable`) if the table cannot be read.
    public func read(_ event: UnlocatedEvent) throws(GazetteerError) -> UnlocatedEvent {
        guard !event.notPlaces.isEmpty else { return event }
        let words = NotPlaces(event.notPlaces)
        var event = event
        event.title = try words.removed(from: event.title, resolver: resolver)
        if let summary = event.summary {
            let start = String(summary.unicodeScalars.prefix(PlaceFinder.textLimit))
            event.summary = try words.removed(from: start, resolver: resolver)
        }
        if let place = event.place {
            let start = String(place.prefix(PlaceText.longest))
            event.place = try words.removed(fromPlace: start, resolver: resolver)
        }
        return event
    }

    // MARK: - Place texts

    /// The result for the place text.
    private enum PlaceFinding {
        /// The place is that of a text that names one.
        case located(Location, Place?)
        /// The table does not know the name.
        case ask(PlaceQuery)
        /// The table knows several places of the name.
        case unsure(PlaceQuery)
        case nothing

        var outcome: LocalOutcome {
            switch self {
            case .located(let location, _): .located(location)
            case .ask(let query), .unsure(let query): .ask(query)
            case .nothing: .unresolved(reason: MissingPlace.notNamed.words)
            }
        }
    }

    private func placeText(of event: UnlocatedEvent) throws(GazetteerError) -> PlaceFinding {
        guard let place = event.place else { return .nothing }
        let evidence = event.placeEvidence
        // An author's place stays the author's.
        if evidence != .author, MeasuredDistance.opens(place) {
            for found in try finder.places(in: place, context: event.context) {
                guard let distance = found.distance, let location = locate(found.resolution, at: distance) else {
                    continue
                }
                return .located(location, nil)
            }
            return .nothing
        }
        let style: PlaceText.Style = evidence == .author ? .author : .feed
        let text = PlaceText(place, style: style)
        if let joined = try cityAndCountry(text, evidence, event.context) { return .located(joined, nil) }
        var found: [Resolution] = []
        var unknown: PlaceQuery?
        var unsure: PlaceQuery?
        for part in text.parts {
            guard case .name(let name) = part else {
                if case .coordinate(let coordinate, let text) = part {
                    // The position of the author's device when the profile was written, which is not the event's.
                    return .located(
                        Location(
                            coordinate, precision: .city, confidence: 0.5, matchedText: text, evidence: evidence), nil)
                }
                continue
            }
            switch try resolver.resolve(name, context: event.context) {
            case .found(let resolution):
                if evidence == .author, resolution.confidence <= Confidence.unknownPopulation {
                    // Among millions of names every word is the name of some hamlet.
                    if unsure == nil, PlaceText.isWorthAsking(name, style: style) {
                        unsure = try resolver.question(name, context: event.context, evidence: evidence)
                    }
                    continue
                }
                guard let location = locate(resolution, evidence) else { continue }
                if !text.isAreaList { return .located(location, resolution.place) }
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
            return .located(location, nil)
        }
        if let unknown { return .ask(unknown) }
        if let unsure { return .unsure(unsure) }
        return .nothing
    }

    /// The city for an author's `Mérida / Venezuela`: the one in the country beside it.
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

    /// Whether it is a list such as `Argentina, Chile`, for which a service has no single place.
    private func isListOfCountries(_ name: String) -> Bool {
        let parts = name.split(separator: ",")
        var folding = NameFolding()
        return parts.count > 1
            && parts.allSatisfy { part in
                guard let key = folding.key(String(part)) else { return false }
                return resolver.names.entries(key).contains { $0.area.kind == .country && $0.form == .name }
            }
    }

    /// Whether enough of an event's areas are known. In `Lima; Allen County` the bare name may be another place, and
    /// the name that would decide is unknown. Most areas must be known, or their country by the source or a qualifier.
    private static func isTelling(_ found: [Resolution], of count: Int, _ context: PlaceContext) -> Bool {
        found.count * 2 > count
            || found.allSatisfy { $0.confidence >= Confidence.qualified || $0.place.country == context.country }
    }

    /// What areas that an event covers together share: a neighbourhood, a region or a country.
    private func covering(_ found: [Resolution], _ evidence: PlaceEvidence) -> Location? {
        guard let first = found.first else { return nil }
        if found.count == 1 { return locate(first, evidence) }
        guard found.allSatisfy({ Self.areNear($0.place, first.place) }) else { return shared(found, evidence) }
        var location = locate(first, evidence)
        if location?.precision == .city { location?.precision = .region }
        return location
    }

    // MARK: - Running text

    /// A place named in title or summary.
    private struct Tally {
        let resolution: Resolution
        /// Position of its first mention.
        let range: Range<String.Index>
        /// The text with its first mention.
        let evidence: PlaceEvidence
        var mentions = 0
        /// The first distance that the texts measure from it.
        var distance: MeasuredDistance?
        /// Whether the title says that the event is in it: `Blast in Kabul`. Later distances are of other things.
        var isSettled = false
        /// Whether somebody or something only comes from there.
        var isOrigin = true

        var place: Place { resolution.place }
        var isInTitle: Bool { evidence == .title }
    }

    private func runningText(
        of event: UnlocatedEvent, _ words: EventText
    ) throws(GazetteerError) -> LocalOutcome {
        let (tallies, isAmbiguous) = try tally(event, words)
        let titleAreas = tallies.filter { $0.isInTitle && $0.place.kind != .city }.map { $0.place }
        for kinds in [[.city], [.district, .region], [.country]] as [[Place.Kind]] {
            let level = tallies.filter { kinds.contains($0.place.kind) }
            var candidates = level.filter { $0.isInTitle }
            if candidates.isEmpty {
                candidates = level.filter { tally in
                    titleAreas.isEmpty || titleAreas.contains { tally.place.lies(in: $0) }
                }
                // `Earthquake hits Afghanistan … felt in Kabul, Islamabad and Delhi`: if the summary also names places
                // outside those of the title, none is meant unless one leads.
                if candidates.count < level.count,
                    Self.leader(of: level).map({ $0.place.id }) != candidates.first?.place.id
                {
                    continue
                }
            }
            // In `Anderson County, Texas` the state is no other place.
            candidates = candidates.filter { area in !candidates.contains { $0.place.lies(in: area.place) } }
            guard !candidates.isEmpty else { continue }
            if let leader = Self.leader(of: candidates) {
                let measured = leader.distance.flatMap { locate(leader.resolution, at: $0) }
                if let location = measured ?? locate(leader.resolution, leader.evidence) { return .located(location) }
            } else if let location = shared(candidates.map { $0.resolution }, candidates[0].evidence) {
                return .located(location)
            }
            return .unresolved(reason: MissingPlace.ambiguous.words)
        }
        return .unresolved(reason: (isAmbiguous ? MissingPlace.ambiguous : .notNamed).words)
    }

    /// The named places in the order of their first mention, those of the title first; without towns that are only
    /// known to be far from the event.
    private func tally(
        _ event: UnlocatedEvent, _ words: EventText
    ) throws(GazetteerError) -> (tallies: [Tally], isAmbiguous: Bool) {
        var tallies: [Tally] = []
        let context = event.context.country == nil ? event.home : event.context
        let read = try finder.read(words.text, context: context, dateline: nil, language: event.language)
        var asides: Set<String> = []
        for found in read.places {
            let resolution = found.resolution
            if found.isAside, found.range.lowerBound < words.titleEnd { asides.insert(resolution.place.id) }
            let known = tallies.firstIndex { $0.place.id == resolution.place.id }
            if known == nil, found.range.lowerBound >= words.leadEnd { continue }
            if known == nil {
                let evidence: PlaceEvidence = found.range.lowerBound < words.titleEnd ? .title : .summary
                tallies.append(Tally(resolution: resolution, range: found.range, evidence: evidence))
            }
            let index = known ?? tallies.count - 1
            tallies[index].mentions += 1
            tallies[index].isOrigin = tallies[index].isOrigin && found.isOrigin
            if known == nil, tallies[index].isInTitle, found.distance == nil {
                tallies[index].isSettled = !words.isOnlyAbout(found.range)
            }
            if resolution.place.kind == .city, tallies[index].distance == nil, !tallies[index].isSettled {
                tallies[index].distance = found.distance
            }
        }
        tallies = tallies.filter { ($0.distance?.isUsable ?? true) && !asides.contains($0.place.id) }
        // `Cocaine from Guayaquil found in Antwerp`, `Boston man held in Peru`
        let stays = tallies.filter { !$0.isOrigin && ($0.place.kind == .city || $0.isSettled) }
        tallies = tallies.filter { tally in
            !tally.isOrigin || stays.allSatisfy { tally.place.lies(in: $0.place) }
        }
        return (tallies, read.isAmbiguous)
    }

    /// The volcano that the title names, if it is near the title's towns, else the one that the lead of the text names
    /// most often, if it is near the towns and in the countries of the title; nil: none, or several.
    private func volcano(of event: UnlocatedEvent, _ words: EventText) throws(GazetteerError) -> Location? {
        let isReport = event.category == Category.volcano.rawValue
        let named = try volcanoes.volcanoes(in: words.opening, isReport: isReport)
        guard !named.isEmpty else { return nil }
        let ofTitle = named.filter { $0.range.lowerBound < words.titleEnd }
        let counts = Dictionary((ofTitle.isEmpty ? named : ofTitle).map { ($0.point.key, 1) }, uniquingKeysWith: +)
        let most = counts.values.max() ?? 0
        guard counts.values.count(where: { $0 * 2 > most }) == 1,
            let key = counts.first(where: { $0.value == most })?.key,
            let leader = named.first(where: { $0.point.key == key })
        else { return nil }
        // With a volcano in the title only its towns are against it: `London airports closed by ash of Katla volcano`.
        let fits = try tally(event, words).tallies.allSatisfy { tally in
            // What a report calls its volcano is no town: `Report for Cleveland (United States)`.
            if leader.range.overlaps(tally.range) { return true }
            let isTown = tally.place.kind == .city
            guard tally.isInTitle || ofTitle.isEmpty && isTown && tally.mentions >= most else { return true }
            guard isTown else { return !ofTitle.isEmpty || leader.countries.contains(tally.place.country) }
            return tally.place.coordinate.distance(to: leader.point.coordinate) <= Self.neighbourhood
        }
        guard fits else { return nil }
        let evidence: PlaceEvidence = ofTitle.isEmpty ? .summary : .title
        let location = Location(
            leader.point.coordinate, method: .gazetteer, precision: .point,
            confidence: leader.confidence * evidence.trust, matchedText: String(words.text[leader.range]),
            name: leader.point.name, evidence: evidence, placeID: leader.point.key,
            country: leader.countries.count == 1 ? leader.countries.first : nil, radius: Self.volcanoRadius)
        return leader.distance.map { moved(location, by: $0) } ?? location
    }

    /// The leader: the most often and first named place, twice as often as any that lies apart; nil if there is none.
    private static func leader(of candidates: [Tally]) -> Tally? {
        guard let most = candidates.map({ $0.mentions }).max(),
            let first = candidates.first(where: { $0.mentions == most })
        else { return nil }
        let others = candidates.filter { !areNear($0.place, first.place) }
        return others.allSatisfy { first.mentions >= 2 * $0.mentions } ? first : nil
    }

    /// The region or country that contains all of them; nil if there is none.
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

    /// Whether two places are the same, or cities or districts of one country within `neighbourhood`.
    static func areNear(_ one: Place, _ other: Place) -> Bool {
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

    /// The place at a distance from a town: a point with a radius in the direction that the text gives. Without a
    /// direction it is the area around the town. Nil unless the place is a town and the distance is usable.
    private func locate(_ town: Resolution, at distance: MeasuredDistance) -> Location? {
        guard town.place.kind == .city else { return nil }
        return locate(town, .distance).flatMap { moved($0, by: distance) }
    }

    /// A location at a distance from one whose text names the place; nil if the distance is not usable.
    private func moved(_ start: Location, by distance: MeasuredDistance) -> Location? {
        guard distance.isUsable else { return nil }
        var location = start
        location.evidence = .distance
        if let bearing = distance.bearing {
            guard let point = location.coordinate.moved(kilometres: distance.kilometres, bearing: bearing),
                !point.isNowhere
            else { return nil }
            location.coordinate = point
        }
        location.precision = distance.bearing == nil ? .region : .point
        location.radius = distance.radius
        location.matchedText = distance.words + (start.matchedText ?? "")
        return location
    }

    /// Nil for a place at 0,0.
    private func locate(
        _ place: Place, confidence: Double, matchedText: String, _ evidence: PlaceEvidence
    ) -> Location? {
        guard !place.coordinate.isNowhere else { return nil }
        return Location(
            place.coordinate, method: .gazetteer, precision: place.precision,
            confidence: confidence * evidence.trust, matchedText: matchedText, name: table.name(of: place),
            evidence: evidence, placeID: place.id, country: place.country, radius: place.radius)
    }
}

extension LocalOutcome {
    /// How exact the place is; nil without one.
    fileprivate var precision: Location.Precision? {
        if case .located(let location) = self { location.precision } else { nil }
    }
}
