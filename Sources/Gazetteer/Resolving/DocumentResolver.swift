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
    /// How many mentions of a country the caller's context is worth.
    private static let contextWeight = 2
    /// A region with fewer inhabitants in the table is no evidence: `Michael` is a parish of the Isle of Man.
    private static let obscureRegion: Int64 = 100_000
    /// A city that large is meant although nothing in the document points to its country.
    private static let famousCity: Int64 = 1_000_000

    private let resolver: Resolver
    private let text: String
    private let context: PlaceContext
    private let hits: [AreaHit]
    private let hitAt: [String.Index: Int]
    /// How often the document names something in a country, and in a first-level division (`US.CA`).
    private var countries: [String: Int] = [:]
    private var regions: [String: Int] = [:]
    private var total = 0
    /// How many of the regions named may be cities of the same name.
    private var cityNames = 0
    /// The only country of a document that speaks of its regions: a local story.
    private var localCountry: String?

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
        try gatherEvidence()
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

    private mutating func gatherEvidence() throws(GazetteerError) {
        for hit in hits where !hit.areas.allSatisfy({ Self.isObscure($0) }) {
            if hit.areas.count == 1 || hit.areas.allSatisfy({ $0.kind == .country }) {
                let area = hit.areas[0]
                if hit.form != .demonym {
                    if try isRatherCity(hit.name, than: area) { continue }
                    if let city = try city(named: hit.name, in: area) {
                        // The name of a city of middling size is no evidence for itself.
                        guard city.population >= Self.famousCity else { continue }
                        cityNames += 1
                    }
                }
                count(area.country, area.regionCode)
            } else if hit.areas.allSatisfy({ $0.country == hit.areas[0].country }) {
                count(hit.areas[0].country, nil)
            }
        }
        if let country = context.country {
            countries[country, default: 0] += Self.contextWeight
            if let region = context.region { regions["\(country).\(region)", default: 0] += Self.contextWeight }
        }
    }

    /// The city of a region's name that is a good part of it.
    private func city(named name: String, in region: Place) throws(GazetteerError) -> CityTable.Candidate? {
        guard region.kind == .region else { return nil }
        let cities = try resolver.table.cities(
            named: NameKey(folded: name.utf8), in: region.country, region: region.region, limit: 1)
        return cities.first { $0.population > 0 && $0.population * 5 >= region.population }
    }

    private mutating func count(_ country: String, _ region: String?) {
        countries[country, default: 0] += 1
        if let region { regions[region, default: 0] += 1 }
    }

    private static func isObscure(_ area: Place) -> Bool {
        area.kind == .region
            && (area.population < obscureRegion || AreaWords.isDirection(NameFolding.folded(area.name)))
    }

    /// Whether a city elsewhere has a country's name of its own and more inhabitants.
    private static func isRather(_ city: PlaceCandidate, than country: Place) -> Bool {
        city.form == .name && city.place.country != country.country
            && city.place.population > max(100_000, country.population)
    }

    /// Whether a city elsewhere has the name of a region and more than a twentieth of its inhabitants, or that of a
    /// small country and more than all of them.
    private func isRatherCity(_ name: String, than region: Place) throws(GazetteerError) -> Bool {
        if region.kind == .country {
            guard region.population < 1_000_000 else { return false }
            return try resolver.table.cities(named: NameKey(folded: name.utf8), limit: 4).contains {
                !$0.isAlternate && $0.country != region.country && $0.population > max(100_000, region.population)
            }
        }
        guard region.kind == .region else { return false }
        let cities = try resolver.table.cities(named: NameKey(folded: name.utf8), limit: 4)
        return cities.contains {
            ($0.country != region.country || $0.region != region.region) && $0.population * 20 > region.population
        }
    }

    /// What the evidence says once the names with their regions are counted in.
    private mutating func assess(_ groups: [[Int]]) {
        total = countries.values.reduce(0, +)
        if countries.count == 1, (regions.values.reduce(0, +) - cityNames) * 2 >= total {
            localCountry = countries.keys.first
        }
        guard total == 0 else { return }
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
        count(String(region.prefix { $0 != "." }), region)
        total = 1
    }

    private func evidence(for place: Place) -> Double {
        var evidence = 0.0
        if let code = place.regionCode, let count = regions[code] { evidence += 1.5 + 0.2 * Double(min(5, count)) }
        if let count = countries[place.country] { evidence += 1 + Double(count) / Double(max(1, total)) }
        return evidence
    }

    // MARK: - Mentions

    private func mention(_ range: Range<String.Index>) throws(GazetteerError) -> Mention {
        let name = MentionName(range, in: text)
        let found = try MentionCandidates(resolver: resolver).all(of: name)
        var candidates = found.candidates
        if found.isCut {
            // The homonyms that matter may be beyond those that were read.
            for (country, region) in likelyScopes() {
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

    /// The regions and countries that the document names most, three of each.
    private func likelyScopes() -> [(country: String, region: String?)] {
        func most(_ counts: [String: Int]) -> [String] {
            counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.prefix(3).map { $0.key }
        }
        var scopes: [(country: String, region: String?)] = []
        for code in most(regions) {
            guard let dot = code.firstIndex(of: ".") else { continue }
            scopes.append((String(code[..<dot]), String(code[code.index(after: dot)...])))
        }
        for country in most(countries) { scopes.append((country, nil)) }
        return scopes
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
        count(place.country, place.regionCode)
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
            area.regionCode.map { regions[$0] != nil } == true ? 1 : 0, Int64(countries[area.country] ?? 0),
            area.kind == .region ? 1 : 0, area.population,
        ]
    }

    /// `Hall County`: the one in the regions that the document names.
    private func areaOfItsWord(_ areas: [PlaceCandidate]) -> Verdict {
        func rank(_ place: Place) -> Double {
            evidence(for: place) + 0.1 * log10(Double(place.population + 1)) + (place.kind == .region ? 0.5 : 0)
        }
        let ranked = areas.map { $0.place }.sorted { rank($0) > rank($1) }
        guard ranked.count > 1, !ranked[1].lies(in: ranked[0]) else { return .place(ranked[0], Confidence.supported) }
        return evidence(for: ranked[0]) > evidence(for: ranked[1]) + 1e-9
            ? .place(ranked[0], Confidence.supported) : .nothing(.ambiguous)
    }

    /// A country, unless a region elsewhere has its name and the document names that region's country more often.
    private func country(_ country: Place, or regions: [PlaceCandidate], isRegion: Bool) -> Verdict {
        if isRegion, let region = regions.first(where: { $0.place.country != country.country }) {
            return .place(region.place, Confidence.preferredKind)
        }
        let region = regions.first {
            $0.place.country != country.country && countries[$0.place.country] != nil
                && $0.place.population * 2 > country.population
        }
        guard let region, countries[country.country, default: 0] < countries[region.place.country, default: 0] else {
            return .place(country, Confidence.certainName)
        }
        return .place(region.place, Confidence.preferredKind)
    }

    /// A region or a city of its name; nil when no region has it or another city outweighs it.
    private func regionOrCity(
        _ group: [Int], _ regions: [PlaceCandidate], _ cities: [PlaceCandidate], near: [Place]
    ) -> Verdict? {
        func rank(_ place: Place) -> Double { log10(Double(place.population + 1)) + evidence(for: place) }
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
                let isSupported = evidence(for: city) > 0 || city.population >= Self.famousCity
                return isSupported ? .place(city, Confidence.preferredKind) : nil
            }
        }
        if isOutweighed { return nil }
        if region.population < Self.obscureRegion, evidence(for: region) == 0 { return .nothing(.unlikely) }
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
        if let count = countries[place.country] { weight += 1 + 1.5 * Double(count) / Double(max(1, total)) }
        if place.country == context.country { weight += 0.5 }
        if let code = place.regionCode, regions[code] != nil { weight += 1.5 }
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
        if countries[place.country] == nil, !near.contains(where: { isNeighbour($0, of: place) }) {
            let here = districts.filter { candidate in candidate.place.regionCode.map { regions[$0] != nil } ?? false }
            if here.count == 1 { return .place(here[0].place, Confidence.supported) }
            confidence = Confidence.wellKnown
            if total == 0 {
                let isFaint = best.candidate.form == .alternate && !isCapital && place.population < Self.famousCity
                if isFaint || place.population == 0 || (place.population < 100_000 && cities.count > 1) {
                    return .nothing(.unlikely)
                }
                if place.population < 100_000 { confidence = Confidence.alone }
            } else if let localCountry, localCountry != place.country {
                return .nothing(.unlikely)
            } else if !isCapital, place.population < Self.famousCity {
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
        let ranked = districts.map { (evidence: evidence(for: $0.place), place: $0.place) }
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
