import Model

/// Resolves the names of one document together.
///
/// First it finds all names of countries, regions and districts in the text, whether or not they are to be resolved;
/// their counts are the document's evidence. Then it settles names with a region after a comma, and the same names
/// elsewhere in the document, and districts with towns that lie in them (`DistrictTowns`). The remaining names are
/// decided one by one, in two rounds, because a settled place is evidence for its neighbours (`DocumentChoice`).
struct DocumentResolver {
    private let resolver: Resolver
    private let text: DocumentText
    private let context: PlaceContext
    private let dateline: Place?
    private let ranges: [Range<String.Index>]
    private let areas: DocumentAreas
    /// The names of districts by their folded names without their word.
    private let districts: [String: AreaHit]
    private var evidence: DocumentEvidence

    private var mentions: [DocumentMention] = []
    private var verdicts: [DocumentMention.Verdict?] = []
    /// Meanings of names that stood with their region; also that the table lacks the name there.
    private var senses: [String: DocumentMention.Verdict] = [:]

    init(
        resolver: Resolver, text: String, context: PlaceContext, dateline: Place?, names ranges: [Range<String.Index>]
    ) throws(GazetteerError) {
        self.resolver = resolver
        self.text = DocumentText(content: text)
        self.context = context
        self.dateline = dateline
        self.ranges = ranges
        areas = try DocumentAreas(in: self.text, resolver: resolver)
        districts = Dictionary(
            areas.hits.compactMap { hit in AreaWords.split(hit.name).map { ($0.name, hit) } },
            uniquingKeysWith: { first, _ in first })
        var whole: [AreaHit] = []
        for hit in areas.hits where try !Self.isPart(hit, of: ranges, in: text, table: resolver.table) {
            whole.append(hit)
        }
        evidence = try DocumentEvidence(whole, context: context, table: resolver.table)
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

    mutating func resolve() throws(GazetteerError) -> [ResolveOutcome] {
        for range in ranges { mentions.append(try mention(range)) }
        verdicts = Array(repeating: nil, count: mentions.count)
        for index in mentions.indices where verdicts[index] == nil { try settleQualified(index) }
        settleDistricts()
        let groups = openGroups()
        assess(groups)
        var near = anchors()
        var decided: [DocumentMention.Verdict] = []
        for _ in 0..<2 {
            let choice = DocumentChoice(
                text: text, areas: areas, context: context, dateline: dateline, evidence: evidence, near: near)
            decided = []
            for group in groups { decided.append(try decide(group, by: choice)) }
            near = anchors()
            for case .place(let place, _) in decided where place.kind == .city { near.append(place) }
        }
        for (group, verdict) in zip(groups, decided) {
            for index in group { verdicts[index] = verdict }
        }
        return mentions.indices.map { outcome($0) }
    }

    // MARK: - Evidence

    /// Closes the evidence once the names with their regions are counted.
    private mutating func assess(_ groups: [[Int]]) {
        evidence.close()
        guard evidence.total == 0 else { return }
        // No area is named anywhere. If all names fit one region, and one of them no other, it is evidence.
        var shared: Set<String>?
        var isTellingName = false
        var names = 0
        for group in groups {
            let here = mentions[group[0]].candidates.filter { $0.place.kind == .city }
            guard !here.isEmpty else { continue }
            let codes = Set(here.compactMap { $0.place.regionCode })
            names += 1
            if codes.count == 1 { isTellingName = true }
            shared = shared.map { $0.intersection(codes) } ?? codes
        }
        guard names > 1, isTellingName, let shared, shared.count == 1, let region = shared.first else { return }
        evidence.count(String(region.prefix { $0 != "." }), region)
        evidence.total = 1
    }

    // MARK: - Mentions

    private func mention(_ range: Range<String.Index>) throws(GazetteerError) -> DocumentMention {
        let name = MentionName(range, in: text.content)
        let found = try MentionCandidates(resolver: resolver).all(of: name)
        var candidates = found.candidates
        if found.isCut {
            // The relevant homonyms may be beyond those that were read.
            for (country, region) in evidence.likelyScopes() {
                for city in try cities(named: name, in: country, region, limit: 2)
                where !candidates.contains(where: { $0.place.id == city.place.id }) {
                    candidates.append(city)
                }
            }
        }
        return DocumentMention(
            range: range, name: name, candidates: candidates, isCut: found.isCut,
            qualifiers: areas.qualifiers(after: range))
    }

    // MARK: - Names with their region

    private mutating func settleQualified(_ index: Int) throws(GazetteerError) {
        let mention = mentions[index]
        guard let inside = try qualified(mention) else { return }
        guard !inside.isEmpty else {
            if let state = stateAndCity(behind: index) {
                guard !mention.candidates.contains(where: { $0.place.isLargeArea || $0.place.isFamousCity }) else {
                    // `Moscow, Washington agree` names two capitals; `Cairo, New York` names a town or two cities.
                    verdicts[index] = .nothing(.ambiguous)
                    verdicts[state.mention] = .nothing(.ambiguous)
                    return
                }
                // `Salem, New York` is not in the city of New York.
                verdicts[state.mention] = .place(state.area, Confidence.preferredKind)
            }
            verdicts[index] = .nothing(.unknownName)
            // `Ontario, Oregon` tells nothing about Ontario elsewhere in the text.
            guard !mention.candidates.contains(where: { $0.place.isState }) else { return }
            if senses[mention.name.folded] == nil { senses[mention.name.folded] = .nothing(.unknownName) }
            return
        }
        if let qualifier = mention.qualifiers.first {
            // In `Albany, New York`, New York is the state.
            for other in mentions.indices where verdicts[other] == nil && other != index {
                guard mentions[other].range.lowerBound == qualifier.range.lowerBound else { continue }
                let area = mentions[other].candidates.first { area in
                    area.place.kind != .city && inside.contains { $0.place.lies(in: area.place) }
                }
                if let area { verdicts[other] = .place(area.place, Confidence.qualified) }
            }
        }
        guard let place = try region(of: mention) ?? choose(inside, isArea: AreaWords.split(mention.name.folded) != nil)
        else {
            verdicts[index] = .nothing(.ambiguous)
            return
        }
        verdicts[index] = .place(place, Confidence.qualified)
        if senses[mention.name.folded] == nil {
            senses[mention.name.folded] = .place(place, Confidence.certainName)
        }
        evidence.count(place.country, place.regionCode)
    }

    /// The candidates inside the area after the name; empty if the table has none there; nil if no area follows or it
    /// is the next item of a list.
    private func qualified(_ mention: DocumentMention) throws(GazetteerError) -> [PlaceCandidate]? {
        guard let hit = mention.qualifiers.first else { return nil }
        let scopes = hit.areas.filter { area in !mention.candidates.contains { $0.place.id == area.id } }
        guard !scopes.isEmpty else { return nil }
        // `Florida, Cuba brace for storm`
        let isKnown = mention.candidates.contains {
            $0.form == .name && ($0.place.isLargeArea || $0.place.isFamousCity)
        }
        if isKnown, scopes.allSatisfy({ $0.kind == .country }), text.isBeforePlural(hit.range.upperBound) { return nil }
        var inside = mention.candidates.filter { candidate in scopes.contains { candidate.place.lies(in: $0) } }
        if inside.isEmpty, mention.isCut { inside = try cities(of: mention, in: scopes) }
        let isCode = hit.form == .code
        if !inside.isEmpty, !isCode, mention.candidates.contains(where: { $0.form == .name && $0.place.isLargeArea }),
            isListed(mention, before: hit)
        {
            return nil
        }
        if mention.qualifiers.count > 1 {
            let narrower = inside.filter { candidate in
                mention.qualifiers[1].areas.contains { candidate.place.lies(in: $0) }
            }
            if !narrower.isEmpty { inside = narrower }
        }
        let hasAreaWord = AreaWords.split(mention.name.folded) != nil
        inside = inside.filter { $0.place.kind != .district || hasAreaWord || $0.place.population > 0 }
        if !inside.isEmpty { return inside }
        if hit.form == .demonym { return nil }
        guard !isCode else { return [] }
        return isListed(mention, before: hit) || DocumentAreas.arePair(mention, scopes) ? nil : []
    }

    /// Whether a name and the area after it belong to a list: `Pennsylvania, Delaware, Ohio and Texas`.
    private func isListed(_ mention: DocumentMention, before area: AreaHit) -> Bool {
        if areas.isListed(area) { return true }
        let start = mention.range.lowerBound
        guard text.isAfterComma(start) else { return false }
        return (areas.hits.map { $0.range } + mentions.map { $0.range }).contains { name in
            text.isRightBehind(name, start) && !isSettledQualifier(name)
        }
    }

    /// Whether an area qualifies a name before it that is already settled: `Paris, Texas, …`.
    private func isSettledQualifier(_ area: Range<String.Index>) -> Bool {
        mentions.indices.contains { index in
            verdicts[index] != nil && mentions[index].qualifiers.first?.range.lowerBound == area.lowerBound
        }
    }

    /// The state after a name, with its mention, if a famous city has that name, too: New York, Washington.
    private func stateAndCity(behind index: Int) -> (mention: Int, area: Place)? {
        guard let qualifier = mentions[index].qualifiers.first, qualifier.form == .name,
            qualifier.areas.allSatisfy({ $0.isState }),
            let area = qualifier.areas.max(by: { $0.population < $1.population })
        else { return nil }
        let mention = mentions.indices.first { other in
            other != index && mentions[other].range.lowerBound == qualifier.range.lowerBound
                && mentions[other].candidates.contains { $0.place.isFamousCity }
        }
        return mention.map { ($0, area) }
    }

    private func cities(of mention: DocumentMention, in areas: [Place]) throws(GazetteerError) -> [PlaceCandidate] {
        var found: [PlaceCandidate] = []
        for area in areas where area.kind == .country || area.kind == .region {
            found += try cities(
                named: mention.name, in: area.country, area.kind == .region ? area.region : nil, limit: 4)
        }
        return found
    }

    private func cities(
        named name: MentionName, in country: String, _ region: String?, limit: Int
    ) throws(GazetteerError) -> [PlaceCandidate] {
        var found: [PlaceCandidate] = []
        for city in try resolver.table.cities(named: name.key, in: country, region: region, limit: limit) {
            guard let place = try resolver.table.city(city.row) else { continue }
            found.append(PlaceCandidate(place: place, form: city.isAlternate ? .alternate : .name))
        }
        return found
    }

    /// The region for `Oregon, USA`, which is not the town in Ohio.
    private func region(of mention: DocumentMention) throws(GazetteerError) -> Place? {
        guard let areas = mention.qualifiers.first?.areas, areas.allSatisfy({ $0.kind == .country }) else { return nil }
        let countries = areas.map { $0.country }
        var cities: [CityTable.Candidate] = []
        for country in countries {
            cities += try resolver.table.cities(
                named: mention.name.key, in: country, region: nil, limit: SingleChoice.limit)
        }
        let choice = SingleChoice(resolver: resolver, context: context)
        return try choice.region(mention.name.key, rather: cities, in: countries)
    }

    /// The most populous city with the name as its own, else as another name, else the first area. Nil if another city
    /// far away is as large (`Springfield, United States`), or several have an unknown population.
    private func choose(_ candidates: [PlaceCandidate], isArea: Bool) -> Place? {
        if !isArea, let capital = candidates.first(where: { $0.place.feature == "PPLC" }) { return capital.place }
        let areas = candidates.filter { $0.place.kind != .city }
        var cities = candidates.filter { $0.place.kind == .city && $0.form != .alternate }
        if cities.isEmpty { cities = candidates.filter { $0.place.kind == .city } }
        if isArea, let area = areas.first { return area.place }
        guard let city = cities.max(by: { $0.place.population < $1.place.population }) else {
            return areas.first?.place
        }
        let home = cities.filter { $0.place.country == context.country && $0.place.region == context.region }
        if let home = home.max(by: { $0.place.population < $1.place.population }) { return home.place }
        // A quarter of Madrid is called Salamanca.
        let isRivalled = cities.contains { rival in
            rival.place.feature != "PPLX"
                && Homonyms.isClose(city.weight, to: rival.weight)
                && Homonyms.areApart(
                    rival.place.coordinate.distance(to: city.place.coordinate),
                    isPopulationUnknown: city.place.population == 0)
        }
        return isRivalled ? nil : city.place
    }

    // MARK: - Districts and their towns

    /// Settles districts and towns that tell each other. They count for their region, as a town with its region does.
    private mutating func settleDistricts() {
        let open = mentions.filter { senses[$0.name.folded] == nil }
        let found = DistrictTowns(areas.hits.filter { senses[$0.name] == nil }, mentions: open, context: context)
        for (name, place) in found.districts.sorted(by: { $0.key < $1.key }) {
            senses[name] = .place(place, Confidence.certainName)
            evidence.count(place.country, place.regionCode)
        }
        for (name, place) in found.towns { senses[name] = .place(place, Confidence.certainName) }
    }

    /// The district that a bare name means: in `Anderson and Cherokee counties`, and in a document that also writes it
    /// with its word, `Douglas` beside `Douglas County`, unless a country, a region or a town of the district's region
    /// has the name, too.
    private func district(of group: [DocumentMention], by choice: DocumentChoice) throws(GazetteerError) -> Place? {
        let name = group[0].name.folded
        if let hit = group.lazy.compactMap({ areas.hit(at: $0.range.lowerBound) }).first, hit.name.hasPrefix(name + " ")
        {
            return district(hit.name, hit.areas, by: choice)
        }
        guard let hit = districts[name], let district = district(hit.name, hit.areas, by: choice) else { return nil }
        let isOther = group[0].candidates.contains { other in
            let isTown = other.place.kind == .city && other.place.regionCode == district.regionCode
            return other.form == .name && (other.place.isLargeArea || isTown)
        }
        return isOther ? nil : district
    }

    /// The district of this name with its word, if it is settled or the evidence decides.
    private func district(_ name: String, _ areas: [Place], by choice: DocumentChoice) -> Place? {
        let districts = areas.filter { $0.kind == .district }.map { PlaceCandidate(place: $0, form: .name) }
        guard !districts.isEmpty, case .place(let district, _) = senses[name] ?? choice.areaOfItsWord(districts) else {
            return nil
        }
        return district
    }

    // MARK: - The other names

    /// Open mentions grouped by name, in the order of the text.
    private func openGroups() -> [[Int]] {
        var order: [String] = []
        var groups: [String: [Int]] = [:]
        for index in mentions.indices where verdicts[index] == nil {
            let group = mentions[index].group
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(index)
        }
        return order.compactMap { groups[$0] }
    }

    /// The settled cities.
    private func anchors() -> [Place] {
        senses.sorted { $0.key < $1.key }.compactMap { sense -> Place? in
            if case .place(let place, _) = sense.value, place.kind == .city { place } else { nil }
        }
    }

    private func decide(_ group: [Int], by choice: DocumentChoice) throws(GazetteerError) -> DocumentMention.Verdict {
        let mention = mentions[group[0]]
        let name = mention.name
        if name.folded.isEmpty || AreaWords.isDirection(name.folded) { return .nothing(.notAPlace) }
        if !mention.candidates.isEmpty, let sense = senses[name.folded] { return sense }
        if let district = try district(of: group.map { mentions[$0] }, by: choice) {
            return .place(district, Confidence.supported)
        }
        guard !mention.candidates.isEmpty else { return .nothing(.unknownName) }
        return choice.verdict(on: group.map { mentions[$0] })
    }

    // MARK: - Outcomes

    private func outcome(_ index: Int) -> ResolveOutcome {
        let mention = mentions[index]
        let others = mention.candidates.sorted { $0.weight > $1.weight }.map { $0.place }
        switch verdicts[index] {
        case .place(let place, let confidence):
            var end = mention.range.upperBound
            if let qualifier = mention.qualifiers.first, qualifier.areas.contains(where: { place.lies(in: $0) }) {
                end = qualifier.range.upperBound
            }
            return .found(
                Resolution(
                    place: place, confidence: confidence,
                    matchedText: String(text.content[mention.range.lowerBound..<end]),
                    runnersUp: resolver.limited(others.filter { $0.id != place.id })))
        case .nothing(let reason):
            return .abstained(reason, candidates: resolver.limited(others))
        case nil:
            return .abstained(.unknownName, candidates: [])
        }
    }
}
