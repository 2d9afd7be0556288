import Foundation
import Model

/// Resolves the names of one document together.
///
/// First all names of countries, regions and districts in the text are found, whether they were asked for or not: how
/// often each country and region stands there is the document's evidence. Names with their region behind a comma are
/// settled next, and settle the same name elsewhere in the document. The others are decided name by name, in two
/// rounds, since a place that is known tells of those near it.
struct DocumentResolver {
    /// Two places further apart than this, in kilometres, are different answers.
    private static let sameArea = 161.0
    /// A place within this many kilometres of another of the document is supported by it.
    private static let neighbourhood = 150.0

    private let resolver: Resolver
    private let text: String
    private let context: PlaceContext
    private let hits: [AreaHit]
    private let hitAt: [String.Index: Int]
    private var evidence: DocumentEvidence

    private var mentions: [Mention] = []
    private var verdicts: [Verdict?] = []
    /// What a name that stood with its region means, or that the table does not have it there.
    private var senses: [String: Verdict] = [:]

    /// A name that was asked for.
    private struct Mention {
        let range: Range<String.Index>
        let name: MentionName
        let candidates: [PlaceCandidate]
        let isCut: Bool
        /// Areas behind it, each after a comma or an opening bracket.
        let qualifiers: [AreaHit]

        /// Names of two or three letters are one name only if written alike.
        var group: String { name.folded.utf8.count <= 3 ? "\(name.folded) \(name.isAbbreviation)" : name.folded }
    }

    private enum Verdict {
        case place(Place, Double)
        case nothing(Abstention)
    }

    init(resolver: Resolver, text: String, context: PlaceContext) throws(GazetteerError) {
        self.resolver = resolver
        self.text = text
        self.context = context
        hits = try AreaHit.all(in: DocumentWord.words(of: text), names: resolver.names, table: resolver.table)
        var hitAt: [String.Index: Int] = [:]
        for (index, hit) in hits.enumerated() { hitAt[hit.range.lowerBound] = index }
        self.hitAt = hitAt
        evidence = try DocumentEvidence(hits, context: context, table: resolver.table)
    }

    mutating func resolve(_ ranges: [Range<String.Index>]) throws(GazetteerError) -> [ResolveOutcome] {
        for range in ranges { mentions.append(try mention(range)) }
        verdicts = Array(repeating: nil, count: mentions.count)
        for index in mentions.indices where verdicts[index] == nil { try settleQualified(index) }
        let groups = openGroups()
        assess(groups)
        var near = anchors()
        var decided: [Verdict] = []
        for _ in 0..<2 {
            decided = groups.map { decide($0, near: near) }
            near = anchors()
            for case .place(let place, _) in decided where place.kind == .city { near.append(place) }
        }
        for (group, verdict) in zip(groups, decided) {
            for index in group { verdicts[index] = verdict }
        }
        return mentions.indices.map { outcome($0) }
    }

    // MARK: - Evidence

    /// Whether a city elsewhere has a country's name of its own and more inhabitants.
    private static func isRather(_ city: PlaceCandidate, than country: Place) -> Bool {
        city.form == .name && city.place.country != country.country
            && city.place.population > max(100_000, country.population)
    }

    /// What the evidence says once the names with their regions are counted in.
    private mutating func assess(_ groups: [[Int]]) {
        evidence.close()
        guard evidence.total == 0 else { return }
        // No area is named anywhere. If all names lie in one region, and one of them nowhere else, it is that region.
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

    private func mention(_ range: Range<String.Index>) throws(GazetteerError) -> Mention {
        let name = MentionName(range, in: text)
        let found = try MentionCandidates(resolver: resolver).all(of: name)
        var candidates = found.candidates
        if found.isCut {
            // The homonyms that matter may be beyond those that were read.
            for (country, region) in evidence.likelyScopes() {
                let cities = try resolver.table.cities(named: name.key, in: country, region: region, limit: 2)
                for city in cities {
                    guard let place = try resolver.table.city(city.row) else { continue }
                    guard !candidates.contains(where: { $0.place.id == place.id }) else { continue }
                    candidates.append(PlaceCandidate(place: place, form: city.isAlternate ? .alternate : .name))
                }
            }
        }
        return Mention(
            range: range, name: name, candidates: candidates, isCut: found.isCut, qualifiers: qualifiers(after: range))
    }

    private func qualifiers(after range: Range<String.Index>) -> [AreaHit] {
        var found: [AreaHit] = []
        var index = range.upperBound
        while found.count < 3, let next = afterComma(index), let hit = hitAt[next] {
            found.append(hits[hit])
            index = hits[hit].range.upperBound
        }
        return found
    }

    /// Where the text goes on behind a comma or an opening bracket, and a full stop before it.
    private func afterComma(_ start: String.Index) -> String.Index? {
        var index = start
        if index < text.endIndex, text[index] == "." { index = text.index(after: index) }
        index = skippingSpace(index)
        guard index < text.endIndex, text[index] == "," || text[index] == "(" else { return nil }
        return skippingSpace(text.index(after: index))
    }

    private func skippingSpace(_ start: String.Index) -> String.Index {
        text[start...].firstIndex { !$0.isWhitespace } ?? text.endIndex
    }

    /// Where a list goes on: behind a comma, an `and` or both.
    private func afterListSign(_ start: String.Index) -> String.Index? {
        var index = skippingSpace(start)
        var isSign = false
        if index < text.endIndex, text[index] == "," {
            index = skippingSpace(text.index(after: index))
            isSign = true
        }
        for word in ["and", "or"] where text[index...].hasPrefix(word) {
            let end = text.index(index, offsetBy: word.count)
            guard end < text.endIndex, text[end].isWhitespace else { continue }
            return skippingSpace(end)
        }
        return isSign ? index : nil
    }

    private func isAndNext(_ start: String.Index) -> Bool {
        guard let next = afterListSign(start) else { return false }
        // Behind a comma alone no `and` was skipped.
        return text[start..<next].contains { $0.isLetter }
    }

    /// Whether a comma stands right before.
    private func isAfterComma(_ start: String.Index) -> Bool {
        text[..<start].last { !$0.isWhitespace } == ","
    }

    // MARK: - Names with their region

    private mutating func settleQualified(_ index: Int) throws(GazetteerError) {
        let mention = mentions[index]
        guard let inside = try qualified(mention) else { return }
        guard !inside.isEmpty else {
            verdicts[index] = .nothing(.unknownName)
            if senses[mention.name.folded] == nil { senses[mention.name.folded] = .nothing(.unknownName) }
            return
        }
        if let qualifier = mention.qualifiers.first {
            // `Albany, New York`: there, New York is the state.
            for other in mentions.indices where verdicts[other] == nil && other != index {
                guard mentions[other].range.lowerBound == qualifier.range.lowerBound else { continue }
                let area = mentions[other].candidates.first { area in
                    area.place.kind != .city && inside.contains { $0.place.lies(in: area.place) }
                }
                if let area { verdicts[other] = .place(area.place, Confidence.qualified) }
            }
        }
        guard let place = choose(inside, isArea: AreaWords.split(mention.name.folded) != nil) else {
            verdicts[index] = .nothing(.ambiguous)
            return
        }
        verdicts[index] = .place(place, Confidence.qualified)
        if senses[mention.name.folded] == nil {
            senses[mention.name.folded] = .place(place, Confidence.certainName)
        }
        evidence.count(place.country, place.regionCode)
    }

    /// The candidates that lie in the area behind the name; nil when none stands there or it is the next of a list.
    private func qualified(_ mention: Mention) throws(GazetteerError) -> [PlaceCandidate]? {
        guard let hit = mention.qualifiers.first else { return nil }
        let areas = hit.areas.filter { area in !mention.candidates.contains { $0.place.id == area.id } }
        guard !areas.isEmpty else { return nil }
        var inside = mention.candidates.filter { candidate in areas.contains { candidate.place.lies(in: $0) } }
        if inside.isEmpty, mention.isCut { inside = try cities(of: mention, in: areas) }
        let isCode = hit.form == .code
        if !inside.isEmpty, !isCode, mention.candidates.contains(where: { $0.form == .name && $0.place.isLargeArea }) {
            // `Pennsylvania, Delaware, Ohio and Texas`.
            let start = mention.range.lowerBound
            let isBehindArea =
                isAfterComma(start)
                && hits.contains {
                    $0.range.upperBound <= start && text.utf8.distance(from: $0.range.upperBound, to: start) <= 3
                }
            let isBeforeArea = afterListSign(hit.range.upperBound).map { hitAt[$0] != nil } ?? false
            if isBehindArea || isBeforeArea { return nil }
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
        let isCountry = mention.candidates.contains { $0.place.kind == .country }
        let isRegion = mention.candidates.contains { $0.place.kind == .region }
        if isCountry || (isRegion && areas.allSatisfy { $0.kind == .region }) { return nil }
        if isAfterComma(mention.range.lowerBound) || isAndNext(hit.range.upperBound) { return nil }
        return []
    }

    private func cities(of mention: Mention, in areas: [Place]) throws(GazetteerError) -> [PlaceCandidate] {
        var found: [PlaceCandidate] = []
        for area in areas where area.kind == .country || area.kind == .region {
            let cities = try resolver.table.cities(
                named: mention.name.key, in: area.country, region: area.kind == .region ? area.region : nil, limit: 4)
            for city in cities {
                guard let place = try resolver.table.city(city.row) else { continue }
                found.append(PlaceCandidate(place: place, form: city.isAlternate ? .alternate : .name))
            }
        }
        return found
    }

    /// The most populous city of that name, or by another name; else the first area. Nil when several cities of
    /// unknown population lie apart.
    private func choose(_ candidates: [PlaceCandidate], isArea: Bool) -> Place? {
        let areas = candidates.filter { $0.place.kind != .city }
        var cities = candidates.filter { $0.place.kind == .city && $0.form != .alternate }
        if cities.isEmpty { cities = candidates.filter { $0.place.kind == .city } }
        if isArea, let area = areas.first { return area.place }
        guard let city = cities.max(by: { $0.place.population < $1.place.population }) else {
            return areas.first?.place
        }
        if city.place.population == 0 {
            let isApart = cities.contains {
                $0.place.coordinate.distance(to: city.place.coordinate) > Self.neighbourhood / 3
            }
            if isApart { return nil }
        }
        return city.place
    }

    // MARK: - The other names

    /// Mentions still open, by name, in the order of the text.
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

    /// Cities that are settled.
    private func anchors() -> [Place] {
        senses.sorted { $0.key < $1.key }.compactMap { sense -> Place? in
            if case .place(let place, _) = sense.value, place.kind == .city { place } else { nil }
        }
    }

    private func decide(_ group: [Int], near: [Place]) -> Verdict {
        let mention = mentions[group[0]]
        let name = mention.name
        let candidates = mention.candidates
        if name.folded.isEmpty || AreaWords.isDirection(name.folded) { return .nothing(.notAPlace) }
        guard !candidates.isEmpty else { return .nothing(.unknownName) }
        if let sense = senses[name.folded] { return sense }

        let countryNamed = candidates.first { $0.place.kind == .country && $0.form == .name }
        let regionsNamed = candidates.filter { $0.place.kind == .region && $0.form == .name }
        if countryNamed == nil {
            if let people = candidates.first(where: { $0.form == .demonym }) {
                return .place(people.place, Confidence.certainName)
            }
            if let area = mostLikelyCode(candidates) { return .place(area, Confidence.certainName) }
        }
        let hasAreaWord = AreaWords.split(name.folded) != nil
        // Without its word, a district that the table has no city in is the name of a town too small for the table.
        let districts = candidates.filter { $0.place.kind == .district && (hasAreaWord || $0.place.population > 0) }
        if hasAreaWord, !districts.isEmpty || !regionsNamed.isEmpty {
            return areaOfItsWord(regionsNamed + districts)
        }
        let cities = candidates.filter { $0.place.kind == .city }
        if let countryNamed, !cities.contains(where: { Self.isRather($0, than: countryNamed.place) }) {
            return country(countryNamed.place, or: regionsNamed, isRegion: isCalledRegion(mention.range))
        }
        if let verdict = regionOrCity(group, regionsNamed, cities, near: near) { return verdict }
        if !cities.isEmpty { return city(cities, districts: districts, near: near) }
        return district(districts)
    }

    private func mostLikelyCode(_ candidates: [PlaceCandidate]) -> Place? {
        candidates.filter { $0.form == .code }.map { $0.place }.max { first, second in
            rank(first).lexicographicallyPrecedes(rank(second))
        }
    }

    /// For abbreviations: a region of the document, a country of the document, any region, the most populous.
    private func rank(_ area: Place) -> [Int64] {
        [
            area.regionCode.map { evidence.regions[$0] != nil } == true ? 1 : 0,
            Int64(evidence.countries[area.country] ?? 0),
            area.kind == .region ? 1 : 0, area.population,
        ]
    }

    /// `Hall County`: the one in the regions that the document names.
    private func areaOfItsWord(_ areas: [PlaceCandidate]) -> Verdict {
        func rank(_ place: Place) -> Double {
            evidence.weight(of: place) + 0.1 * log10(Double(place.population + 1)) + (place.kind == .region ? 0.5 : 0)
        }
        let ranked = areas.map { $0.place }.sorted { rank($0) > rank($1) }
        guard ranked.count > 1, !ranked[1].lies(in: ranked[0]) else { return .place(ranked[0], Confidence.supported) }
        return evidence.weight(of: ranked[0]) > evidence.weight(of: ranked[1]) + 1e-9
            ? .place(ranked[0], Confidence.supported) : .nothing(.ambiguous)
    }

    /// A country, unless a region elsewhere has its name and the document names that region's country more often.
    private func country(_ country: Place, or regions: [PlaceCandidate], isRegion: Bool) -> Verdict {
        if isRegion, let region = regions.first(where: { $0.place.country != country.country }) {
            return .place(region.place, Confidence.preferredKind)
        }
        let region = regions.first {
            $0.place.country != country.country && evidence.countries[$0.place.country] != nil
                && $0.place.population * 2 > country.population
        }
        guard let region,
            evidence.countries[country.country, default: 0] < evidence.countries[region.place.country, default: 0]
        else {
            return .place(country, Confidence.certainName)
        }
        return .place(region.place, Confidence.preferredKind)
    }

    /// A region or a city of its name; nil when no region has it or another city outweighs it.
    private func regionOrCity(
        _ group: [Int], _ regions: [PlaceCandidate], _ cities: [PlaceCandidate], near: [Place]
    ) -> Verdict? {
        func rank(_ place: Place) -> Double { log10(Double(place.population + 1)) + evidence.weight(of: place) }
        guard let region = regions.map({ $0.place }).max(by: { rank($0) < rank($1) }) else { return nil }
        let inside = cities.map { $0.place }.filter { $0.lies(in: region) }
        let isCalled = group.contains { isCalledRegion(mentions[$0].range) }
        // A city elsewhere with more inhabitants than the whole region, or thirty times as much speaking for it.
        let isOutweighed = cities.contains { city in
            guard !city.place.lies(in: region) else { return false }
            let isLarger = !isCalled && city.form == .name && city.place.population > region.population
            let margin = isLarger ? 0 : 1.5
            return weight(of: city, near: near) > rank(region) + margin
        }
        if !isCalled {
            if let capital = cities.first(where: { $0.place.feature == "PPLC" && $0.place.country == region.country }) {
                return .place(capital.place, Confidence.preferredKind)
            }
            if !isOutweighed, let city = inside.max(by: { $0.population < $1.population }), city.population > 0,
                city.population * 5 >= region.population
            {
                // Like any other city it needs support.
                let isSupported = evidence.weight(of: city) > 0 || city.population >= DocumentEvidence.famousCity
                return isSupported ? .place(city, Confidence.preferredKind) : nil
            }
        }
        if isOutweighed { return nil }
        if region.population < DocumentEvidence.obscureRegion, evidence.weight(of: region) == 0 {
            return .nothing(.unlikely)
        }
        return .place(region, Confidence.preferredKind)
    }

    /// Whether the words around say that a region is meant: `Washington state`, `the governor of New York`.
    private func isCalledRegion(_ range: Range<String.Index>) -> Bool {
        let after = text[range.upperBound...].prefix(12)
        if after.first?.isWhitespace == true {
            let next = after.drop { $0.isWhitespace }
            let followers = ["state", "province", "State", "Province", "Gov.", "Governor", "governor", "Sen"]
            if followers.contains(where: { next.hasPrefix($0) }) {
                return true
            }
        }
        var before = text[..<range.lowerBound].suffix(16)
        guard before.last?.isWhitespace == true else { return false }
        while before.last?.isWhitespace == true { before.removeLast() }
        return ["state of", "province of", "Gov.", "Governor", "governor of"].contains { before.hasSuffix($0) }
    }

    /// Powers of ten of inhabitants, with what speaks for the city: its rank, the document's areas, its neighbours.
    private func weight(of candidate: PlaceCandidate, near: [Place]) -> Double {
        let place = candidate.place
        var weight = candidate.weight
        if place.feature == "PPLC" { weight += 1 } else if place.feature == "PPLA" { weight += 0.3 }
        if let count = evidence.countries[place.country] {
            weight += 1 + 1.5 * Double(count) / Double(max(1, evidence.total))
        }
        if place.country == context.country { weight += 0.5 }
        if let code = place.regionCode, evidence.regions[code] != nil { weight += 1.5 }
        return weight + 0.7 * Double(min(2, near.count { isNeighbour($0, of: place) }))
    }

    private func isNeighbour(_ other: Place, of place: Place) -> Bool {
        other.id != place.id && other.coordinate.distance(to: place.coordinate) < Self.neighbourhood
    }

    private func city(_ cities: [PlaceCandidate], districts: [PlaceCandidate], near: [Place]) -> Verdict {
        let ranked = cities.map { (weight: weight(of: $0, near: near), candidate: $0) }
            .sorted { $0.weight > $1.weight }
        let best = ranked[0]
        let place = best.candidate.place
        let isCapital = place.feature == "PPLC"
        var confidence = Confidence.supported
        if evidence.countries[place.country] == nil, !near.contains(where: { isNeighbour($0, of: place) }) {
            let here = districts.filter { candidate in
                candidate.place.regionCode.map { evidence.regions[$0] != nil } ?? false
            }
            if here.count == 1 { return .place(here[0].place, Confidence.supported) }
            confidence = Confidence.wellKnown
            if evidence.total == 0 {
                let isFaint =
                    best.candidate.form == .alternate && !isCapital && place.population < DocumentEvidence.famousCity
                if isFaint || place.population == 0 || (place.population < 100_000 && cities.count > 1) {
                    return .nothing(.unlikely)
                }
                if place.population < 100_000 { confidence = Confidence.alone }
            } else if let localCountry = evidence.localCountry, localCountry != place.country {
                return .nothing(.unlikely)
            } else if !isCapital, place.population < DocumentEvidence.famousCity {
                return .nothing(.unlikely)
            }
        }
        for rival in ranked.dropFirst() where best.weight - rival.weight < 0.3 {
            if place.coordinate.distance(to: rival.candidate.place.coordinate) > Self.sameArea {
                return .nothing(.ambiguous)
            }
        }
        return .place(place, place.population == 0 ? min(confidence, Confidence.little) : confidence)
    }

    /// A second-level division by its bare name: the one in the document's regions.
    private func district(_ districts: [PlaceCandidate]) -> Verdict {
        let ranked = districts.map { (evidence: evidence.weight(of: $0.place), place: $0.place) }
            .sorted { $0.evidence > $1.evidence }
        guard let best = ranked.first else { return .nothing(.unknownName) }
        guard best.evidence > 0, ranked.count == 1 || best.evidence > ranked[1].evidence else {
            return .nothing(.ambiguous)
        }
        return .place(best.place, Confidence.little)
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
                    place: place, confidence: confidence, matchedText: String(text[mention.range.lowerBound..<end]),
                    runnersUp: Array(others.filter { $0.id != place.id }.prefix(resolver.runnersUpLimit))))
        case .nothing(let reason):
            return .abstained(reason, candidates: Array(others.prefix(resolver.runnersUpLimit)))
        case nil:
            return .abstained(.unknownName, candidates: [])
        }
    }
}

extension Place {
    /// Whether it is a country or a first-level division.
    fileprivate var isLargeArea: Bool { kind == .country || kind == .region }
}
