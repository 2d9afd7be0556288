import Model

/// Scores the candidates of the names of one document together.
///
/// First it finds all names of countries, regions and districts in the text, whether or not they are to be resolved; their
/// counts are the document's evidence. Names with an area behind them, and districts with towns in them, are evidence,
/// too. Then each candidate gets its features (`CandidateFeatures`), and `PlaceScorer` weighs them.
struct DocumentResolver {
    private let resolver: Resolver
    private let text: DocumentText
    private let context: PlaceContext
    private let dateline: Place?
    private let language: String?
    private let areas: DocumentAreas
    /// The names of districts by their folded names without their word.
    private let districts: [String: AreaHit]
    private var evidence: DocumentEvidence
    /// The countries and regions in which a name's homonyms are looked for, if it has more than are read.
    private let scopes: [MentionCandidates.Scope]
    /// The candidates of the names that were read, each once.
    private var readings: [MentionName: MentionCandidates.Found] = [:]
    private var mentions: [DocumentMention] = []
    private var meanings: MentionCandidates { MentionCandidates(resolver: resolver) }

    /// - Parameters:
    ///   - ranges: Positions of the names; nil: those of the areas, as for `homeVotes`.
    ///   - scanned: What the text says of the names, in their order; nil: the caller gives them.
    init(
        resolver: Resolver, areas: DocumentAreas, context: PlaceContext, dateline: Place?, language: String? = nil,
        names ranges: [Range<String.Index>]? = nil, scanned: [MentionScan.Mention]? = nil
    ) throws(GazetteerError) {
        self.resolver = resolver
        self.areas = areas
        text = areas.text
        self.context = context
        self.dateline = dateline
        self.language = language
        let ranges = ranges ?? areas.hits.prefix(PlaceFinder.nameLimit).map { $0.range }
        districts = Dictionary(
            areas.hits.compactMap { hit in AreaWords.split(hit.name).map { ($0.name, hit) } },
            uniquingKeysWith: { first, _ in first })
        var whole: [AreaHit] = []
        for hit in areas.hits where try !Self.isPart(hit, of: ranges, in: text.content, table: resolver.table) {
            whole.append(hit)
        }
        evidence = try DocumentEvidence(whole, table: resolver.table)
        scopes = evidence.likelyScopes(context)
        for (index, range) in ranges.enumerated() {
            let mention = try mention(range, scanned?[index])
            mentions.append(mention)
        }
    }

    /// Whether an area's name is a part of a longer one, of a city that does not lie in it: `Kansas City` names no Kansas.
    private static func isPart(
        _ hit: AreaHit, of ranges: [Range<String.Index>], in text: String, table: CityTable
    ) throws(GazetteerError) -> Bool {
        let name = ranges.first {
            $0 != hit.range && $0.lowerBound <= hit.range.lowerBound && hit.range.upperBound <= $0.upperBound
        }
        guard let name else { return false }
        let key = MentionName(name, in: text).key
        return try table.cities(named: key, limit: 4).contains { city in
            !hit.areas.contains { area in
                area.country == city.country && (area.kind == .country || area.region == city.region)
            }
        }
    }

    /// The meaning of each name, in the order of the names.
    /// - Parameter least: The least probability of an answer.
    mutating func resolve(least: Double) -> [ScoredName] {
        zip(mentions, scored()).map { mention, candidates in
            ScoredName(
                range: mention.range, candidates: candidates, outcome: outcome(mention, candidates, least: least))
        }
    }

    /// The votes of a document that was read for the names of its areas: the country and the regions that it names most
    /// often, each with the probability of its surest name.
    ///
    /// A name of several regions votes for each of them, since over many documents only the home is always among them. An
    /// area behind a town is sure. The name of a country votes for it there only, since it may be a town's: Lebanon, Jordan.
    mutating func homeVotes() -> [String: Double] {
        var (countries, regions) = (AreaVotes(), AreaVotes())
        for (hit, candidates) in zip(areas.hits, scored()) {
            let places = hit.areas.filter { !DocumentEvidence.isObscure($0) }
            guard let first = places.first else { continue }
            let isBehindTown = areas.isBehindTown(hit.range.lowerBound)
            let meant = candidates.filter { candidate in places.contains { $0.id == candidate.place.id } }
            let regional = meant.filter { $0.place.kind != .country }
            regions.count(Set(places.compactMap { $0.regionCode }), isBehindTown ? 1 : regional.probability)
            let isBareCountry = hit.form == .name && !isBehindTown && first.kind == .country
            if !isBareCountry, places.allSatisfy({ $0.country == first.country }) {
                countries.count([first.country], isBehindTown ? 1 : meant.probability)
            }
        }
        return countries.votes(atMost: 1).merging(regions.votes(atMost: 6)) { country, _ in country }
    }

    private func outcome(_ mention: DocumentMention, _ scored: [ScoredCandidate], least: Double) -> ResolveOutcome {
        if mention.name.folded.isEmpty || AreaWords.isDirection(mention.name.folded) {
            return .abstained(.notAPlace, candidates: [])
        }
        guard let best = scored.max(by: { $1.isLikelier(than: $0) }) else {
            return .abstained(.unknownName, candidates: [])
        }
        guard best.probability >= least else {
            return .abstained(reason(for: scored, least), candidates: likeliest(scored))
        }
        var end = mention.range.upperBound
        if let qualifier = mention.qualifiers.first, qualifier.areas.contains(where: { best.place.lies(in: $0) }) {
            end = qualifier.range.upperBound
        }
        return .found(
            Resolution(
                place: best.place, confidence: best.probability,
                matchedText: String(text.content[mention.range.lowerBound..<end]),
                runnersUp: likeliest(scored.filter { $0.place.id != best.place.id })))
    }

    /// The places of the likeliest candidates, at most `Resolver.runnersUpLimit`.
    private func likeliest(_ scored: [ScoredCandidate]) -> [Place] {
        guard resolver.runnersUpLimit > 0 else { return [] }
        return resolver.limited(scored.sorted { $0.isLikelier(than: $1) }.map { $0.place })
    }

    /// Why none of the candidates is an answer.
    private func reason(for scored: [ScoredCandidate], _ least: Double) -> Abstention {
        let isElsewhere = scored.allSatisfy {
            $0.features[.outsideAreaBehind] > 0 || $0.features[.outsideAreaElsewhere] > 0
        }
        if isElsewhere { return .unknownName }
        return scored.reduce(0) { $0 + $1.probability } >= least ? .ambiguous : .unlikely
    }

    /// The candidates of each name with their probabilities, in the order of the names.
    private mutating func scored() -> [[ScoredCandidate]] {
        for index in mentions.indices { mentions[index].inside = insideAreaBehind(index) }
        for mention in mentions {
            guard let ids = mention.inside else { continue }
            count(mention.candidates.filter { ids.contains($0.place.id) })
        }
        let open = mentions.filter { $0.inside == nil && $0.isPlace }
        let pairs = DistrictTowns(areas.hits, mentions: open, context: context)
        for (_, place) in pairs.districts.sorted(by: { $0.key < $1.key }) {
            evidence.count(place.country, place.regionCode)
        }
        evidence.close()
        let facts = CandidateFeatures.DocumentFacts(
            text: text, areas: areas, context: context, dateline: dateline, language: language, evidence: evidence,
            pairs: pairs, cityCount: resolver.table.cityCount)
        let reader = CandidateFeatures(facts, mentions)
        return mentions.indices.map { index in
            var candidates = reader.scored(index)
            PlaceScorer.weigh(&candidates)
            return candidates
        }
    }

    /// Counts the country that candidates share, and their region.
    private mutating func count(_ candidates: [PlaceCandidate]) {
        guard let first = candidates.first?.place, candidates.allSatisfy({ $0.place.country == first.country }) else {
            return
        }
        let isShared = candidates.allSatisfy { $0.place.region == first.region }
        evidence.count(first.country, isShared ? first.regionCode : nil)
    }

    // MARK: - Mentions

    private mutating func mention(
        _ range: Range<String.Index>, _ scanned: MentionScan.Mention?
    ) throws(GazetteerError) -> DocumentMention {
        let name = MentionName(range, in: text.content, folded: scanned?.folded)
        var found = try reading(of: name)
        // A country by its code, or by the word for its people, is no place of a text.
        if scanned?.isCountry == false, found.candidates.contains(where: { $0.place.kind == .country }) {
            found.candidates.removeAll { $0.place.kind == .country }
        }
        let qualifiers = areas.qualifiers(after: range)
        if found.isCut {
            let scopes = (qualifiers.first?.areas ?? []).filter { $0.isLargeArea }.map { MentionCandidates.Scope($0) }
            found.add(try meanings.cities(named: name.folded, in: scopes, limit: 4))
        }
        // In `Anderson and Cherokee counties`, and where the text also writes `Douglas County`, a bare name may be a
        // district's.
        let listed = areas.hit(at: range.lowerBound).flatMap { $0.name.hasPrefix(name.folded + " ") ? $0 : nil }
        for district in (listed ?? districts[name.folded])?.areas ?? [] where district.kind == .district {
            found.candidates.removeAll { $0.place.id == district.id }
            found.candidates.append(PlaceCandidate(place: district, form: .name, isAdded: true))
        }
        return DocumentMention(
            range: range, name: name, candidates: found.candidates, qualifiers: qualifiers, scanned: scanned)
    }

    /// What a name may mean, whatever stands beside it.
    private mutating func reading(of name: MentionName) throws(GazetteerError) -> MentionCandidates.Found {
        if let known = readings[name] { return known }
        var found = try meanings.all(of: name)
        if found.isCut {
            // The relevant homonyms may be beyond those that were read.
            found.add(try meanings.cities(named: name.folded, in: scopes, limit: 2))
        }
        readings[name] = found
        return found
    }

    // MARK: - Areas behind names

    /// The candidates inside the area after the name (`DocumentMention.inside`).
    private func insideAreaBehind(_ index: Int) -> Set<String>? {
        let mention = mentions[index]
        guard let hit = mention.qualifiers.first else { return nil }
        let scopes = hit.areas.filter { area in !mention.candidates.contains { $0.place.id == area.id } }
        guard !scopes.isEmpty else { return nil }
        // `Florida, Cuba brace for storm`
        let isKnown = mention.candidates.contains {
            $0.form == .name && ($0.place.isLargeArea || $0.place.isFamousCity)
        }
        if isKnown, scopes.allSatisfy({ $0.kind == .country }), text.isBeforePlural(hit.range.upperBound) { return nil }
        let ids = candidates(of: mention, inside: scopes)
        let isCode = hit.form == .code
        if !ids.isEmpty {
            let isArea = mention.candidates.contains { $0.form == .name && $0.place.isLargeArea }
            return !isCode && isArea && isListed(index, before: hit) ? nil : ids
        }
        if hit.form == .demonym { return nil }
        // `Moscow, Washington agree` names two capitals.
        let isFamous = mentions.contains { other in
            other.range.lowerBound == hit.range.lowerBound && other.candidates.contains { $0.place.isFamousCity }
        }
        if isKnown, isFamous { return nil }
        return isCode || !isListed(index, before: hit) && !DocumentAreas.arePair(mention, scopes) ? ids : nil
    }

    /// The candidates of a mention inside the areas after it, by their ids.
    private func candidates(of mention: DocumentMention, inside scopes: [Place]) -> Set<String> {
        var inside = mention.candidates.filter { candidate in scopes.contains { candidate.place.lies(in: $0) } }
        if mention.qualifiers.count > 1 {
            let narrower = inside.filter { candidate in
                mention.qualifiers[1].areas.contains { candidate.place.lies(in: $0) }
            }
            if !narrower.isEmpty { inside = narrower }
        }
        let hasAreaWord = AreaWords.split(mention.name.folded) != nil
        return Set(
            inside.lazy.filter { $0.place.kind != .district || hasAreaWord || $0.place.population > 0 }
                .map { $0.place.id })
    }

    /// Whether a name and the area after it belong to a list: `Pennsylvania, Delaware, Ohio and Texas`.
    private func isListed(_ index: Int, before area: AreaHit) -> Bool {
        if areas.isListed(area) { return true }
        let start = mentions[index].range.lowerBound
        guard text.isAfterComma(start) else { return false }
        return (areas.hits.map { $0.range } + mentions.map { $0.range }).contains { name in
            text.isRightBehind(name, start) && !isSettledQualifier(name, before: index)
        }
    }

    /// Whether an area stands behind a name before: `Paris, Texas, …`.
    private func isSettledQualifier(_ area: Range<String.Index>, before index: Int) -> Bool {
        mentions[..<index].contains { $0.isInside(area) }
    }
}

/// How often a document names areas, and how surely.
private struct AreaVotes {
    private var named: [String: (sum: Double, surest: Double)] = [:]

    mutating func count(_ codes: Set<String>, _ sureness: Double) {
        for code in codes {
            let known = named[code] ?? (0, 0)
            named[code] = (known.sum + sureness, max(known.surest, sureness))
        }
    }

    /// Two votes for the area that is named most often, one for each of several; none if they are more than `most`.
    /// Probabilities are no counts, so what is within 15 % of the greatest is as often named.
    func votes(atMost most: Int) -> [String: Double] {
        let greatest = named.values.map { $0.sum }.max() ?? 0
        let leaders = named.filter { $0.value.sum > 0 && $0.value.sum >= greatest * 0.85 }
        guard leaders.count <= most else { return [:] }
        return leaders.mapValues { $0.surest * (leaders.count == 1 ? 2 : 1) }
    }
}
