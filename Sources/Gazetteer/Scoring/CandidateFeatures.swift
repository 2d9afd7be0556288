import Foundation
import Model

/// Reads the features of the candidates of a document's mentions.
struct CandidateFeatures {
    private let text: DocumentText
    private let areas: DocumentAreas
    private let context: PlaceContext
    private let dateline: Place?
    private let evidence: DocumentEvidence
    private let pairs: DistrictTowns
    private let mentions: [DocumentMention]
    private let neighbours: Neighbours
    /// The candidates inside the area behind a name, of all its mentions that have one.
    private let senses: [String: Set<String>]
    /// Indices of the mentions of each group.
    private let groups: [String: [Int]]
    /// The evidence for each group, which is without its own mentions.
    private let evidences: [String: DocumentEvidence]

    init(
        text: DocumentText, areas: DocumentAreas, context: PlaceContext, dateline: Place?, evidence: DocumentEvidence,
        pairs: DistrictTowns, mentions: [DocumentMention]
    ) {
        self.text = text
        self.areas = areas
        self.context = context
        self.dateline = dateline
        self.evidence = evidence
        self.pairs = pairs
        self.mentions = mentions
        var senses: [String: Set<String>] = [:]
        for mention in mentions {
            guard case .inside(let ids) = mention.areaBehind else { continue }
            // `Ontario, Oregon` tells nothing about Ontario elsewhere in the text.
            if ids.isEmpty, mention.candidates.contains(where: { $0.place.isState }) { continue }
            senses[mention.name.folded, default: []].formUnion(ids)
        }
        self.senses = senses
        groups = Dictionary(grouping: mentions.indices) { mentions[$0].group }
        evidences = groups.mapValues { evidence.without(mentions[$0[0]].name.folded) }
        neighbours = Neighbours(mentions, senses: senses, evidence: evidence, context: context)
    }

    /// The candidates of a mention with their features.
    func scored(_ index: Int) -> [ScoredCandidate] {
        let mention = mentions[index]
        let rivals = Rivals(mention.candidates)
        var shared = PlaceFeatures()
        readWords(mention, &shared)
        return mention.candidates.map { candidate in
            var features = shared
            readName(candidate, mention, &features)
            rivals.read(candidate, &features)
            readAreasBeside(candidate, index, &features)
            readDocument(candidate.place, mention, &features)
            readHome(candidate.place, mention, &features)
            readKind(candidate.place, mention, &features)
            return ScoredCandidate(place: candidate.place, form: candidate.form, features: features)
        }
    }

    // MARK: - The candidate itself

    private func readName(_ candidate: PlaceCandidate, _ mention: DocumentMention, _ features: inout PlaceFeatures) {
        let place = candidate.place
        let size = log10(Double(max(1, place.population)))
        let hasKindWord = AreaWords.split(mention.name.folded) != nil
        if place.kind == .city {
            features[.people] = size / 7
            features[.million] = max(0, size - 5)
            features.set(.unknownPeople, if: place.population == 0)
            features.set(.capital, if: place.feature == "PPLC")
            features.set(.seat, if: place.feature == "PPLA")
            features.set(.section, if: place.feature == "PPLX")
            features.set(.cityKindWord, if: hasKindWord)
        } else {
            features[.areaPeople] = size / 8
            features.set(.kindWord, if: hasKindWord)
            features.set(.bareDistrict, if: place.kind == .district && !hasKindWord)
            features.set(.state, if: place.isState)
        }
        switch candidate.form {
        case .name: break
        case .code: features[.code] = 1
        case .demonym: features[.demonym] = 1
        case .alternate:
            features[.otherName] = 1
            features.set(.shortOtherName, if: mention.name.folded.utf8.count < 5)
            let own = NameFolding.folded(place.name)
            features.set(.variantName, if: Homonyms.areVariants(mention.name.folded, own))
        }
        features.set(.shortened, if: mention.isShortened)
        features.set(.districtElsewhere, if: place.kind == .district && !hasKindWord && candidate.isAdded)
    }

    private func readKind(_ place: Place, _ mention: DocumentMention, _ features: inout PlaceFeatures) {
        let isCity = place.kind == .city
        switch place.kind {
        case .city: features[.city] = 1
        case .district: features[.district] = 1
        case .region: features[.region] = 1
        case .country: features[.country] = 1
        }
        let isCalled = text.isCalledRegion(mention.range) || areas.isBesideState(mention.range)
        if isCalled { features[isCity ? .calledAreaCity : .calledArea] = 1 }
        guard let scanned = mention.scanned else {
            features[.given] = 1
            features.set(.givenCity, if: isCity)
            return
        }
        if scanned.support == .cue { features[isCity ? .cueCity : .cueArea] = 1 }
        if isCity {
            features.set(.headlineCity, if: scanned.isInHeadline)
            features.set(.headlineBare, if: scanned.isInHeadline && scanned.support == .none)
            features.set(.unsupported, if: scanned.support == .none && features[.countryNamed] == 0)
            features.set(.behindMeasured, if: scanned.isBehindMeasured)
        } else {
            features.set(.municipalArea, if: scanned.isMunicipal)
        }
        if scanned.isBeforeUnknown {
            features[isCity ? .beforeUnknownCity : .beforeUnknownArea] = 1
            features.set(.beforeUnknownHome, if: isCity && features[.homeRegion] == 1)
        }
        let countries = scanned.countriesBehind
        features.set(
            .otherCountryBehind, if: place.kind == .region && !countries.isEmpty && !countries.contains(place.country))
    }

    // MARK: - Areas beside the name

    private func readAreasBeside(_ candidate: PlaceCandidate, _ index: Int, _ features: inout PlaceFeatures) {
        let mention = mentions[index]
        let place = candidate.place
        var isBeside = false
        switch mention.areaBehind {
        case .none: break
        case .inside(let ids):
            isBeside = true
            features[ids.contains(place.id) ? .insideAreaBehind : .outsideAreaBehind] = 1
        case .listed(let ids): features.set(.insideListed, if: ids.contains(place.id))
        }
        if !isBeside, let sense = senses[mention.name.folded] {
            features[sense.contains(place.id) ? .insideAreaElsewhere : .outsideAreaElsewhere] = 1
        }
        if let town = mentions[..<index].last(where: { isQualified($0, by: mention) }),
            case .inside(let ids) = town.areaBehind
        {
            let contains = town.candidates.contains { ids.contains($0.place.id) && $0.place.lies(in: place) }
            let feature: PlaceFeature =
                contains
                ? .behindOwnTown : ids.isEmpty && place.isLargeArea ? .behindUnknownTown : .notBehindTown
            features[feature] = 1
        } else if place.isLargeArea, areas.isBehindTown(mention.range.lowerBound) {
            features[.behindUnknownTown] = 1
        }
        let name = mention.name.folded
        if let paired = pairs.districts[name] ?? pairs.towns[name] {
            features[paired.id == place.id ? .districtAndTown : .otherDistrictAndTown] = 1
        }
    }

    private func isQualified(_ town: DocumentMention, by area: DocumentMention) -> Bool {
        guard case .inside = town.areaBehind else { return false }
        return town.qualifiers.first?.range.lowerBound == area.range.lowerBound
    }

    // MARK: - The document

    private func readDocument(_ place: Place, _ mention: DocumentMention, _ features: inout PlaceFeatures) {
        let evidence = evidences[mention.group] ?? evidence
        let total = Double(max(1, evidence.total))
        if let count = place.regionCode.flatMap({ evidence.regions[$0] }) {
            features[.regionNamed] = 1
            features[.regionShare] = min(1, Double(count) / total)
        }
        if let count = evidence.countries[place.country] {
            features[.countryNamed] = 1
            features[.countryShare] = Double(count) / total
        } else if evidence.total > 0 {
            features[place.kind == .city ? .otherCountries : .otherCountriesArea] = 1
        }
        features.set(.nothingNamed, if: evidence.total <= 0 && place.kind == .city)
        if let country = evidence.localCountry, place.kind == .city {
            features.set(.outsideLocal, if: place.country != country || features[.regionNamed] == 0)
        }
        neighbours.read(place, mention.group, &features)
    }

    private func readHome(_ place: Place, _ mention: DocumentMention, _ features: inout PlaceFeatures) {
        if let dateline {
            let distance = dateline.coordinate.distance(to: place.coordinate)
            features.set(.datelineNear, if: place.kind == .city && distance < Nearness.reach)
            features.set(.datelineCountry, if: place.country == dateline.country)
        }
        guard let country = context.country else { return }
        if place.country != country {
            features[.abroad] = 1
            let countries = (evidences[mention.group] ?? evidence).countries
            features.set(.abroadUnnamed, if: countries.keys.allSatisfy { $0 == country })
        } else if let region = context.region, place.kind != .country {
            features[place.region == region ? .homeRegion : .besideHome] = 1
            let isNamed = features[.regionNamed] > 0 || features[.near] > 0
            features.set(.besideHomeUnnamed, if: place.region != region && !isNamed)
        } else {
            features[.homeCountry] = 1
        }
    }

    // MARK: - The words around it

    private func readWords(_ mention: DocumentMention, _ features: inout PlaceFeatures) {
        guard let scanned = mention.scanned else { return }
        features.set(.opening, if: scanned.support == .dateline)
        features.set(.severalWords, if: !scanned.isSingleWord)
        features.set(.givenName, if: scanned.isGivenName)
        features.set(.familyName, if: scanned.isFamilyName)
        features.set(.bareCode, if: scanned.isBareCode)
        features.set(.sentenceStart, if: scanned.startsSentence)
        features.set(.possessive, if: scanned.isBeforePossessive)
        features.set(.capitalBefore, if: scanned.isBehindCapital)
        features.set(.capitalBehind, if: scanned.isBeforeCapital)
        features.set(.verbBehind, if: scanned.isBeforeVerb)
        let others = (groups[mention.group] ?? []).compactMap { mentions[$0].scanned }
        features[.repeated] = log2(Double(max(1, others.count)))
        features.set(.cueElsewhere, if: scanned.support == .none && others.contains { $0.support > .none })
        features.set(
            .personElsewhere, if: scanned.refusal != .person && others.contains { $0.refusal == .person })
        switch scanned.refusal {
        case nil: break
        case .glued: features[.glued] = 1
        case .word: features[.word] = 1
        case .person: features[.person] = 1
        case .organisation: features[.organisation] = 1
        case .contest: features[.contest] = 1
        case .longerName: features[.longerName] = 1
        case .wordBefore: features[.wordBefore] = 1
        case .wordBehind: features[.wordBehind] = 1
        case .compared: features[.compared] = 1
        }
    }
}

/// What the candidates of a mention tell about each other.
private struct Rivals {
    private let cities: [PlaceCandidate]
    private let areas: [Place]
    private let people: [Place.Kind: Double]
    /// Inhabitants of the largest city with the name as its own.
    private let largest: Double

    init(_ candidates: [PlaceCandidate]) {
        cities = candidates.filter { $0.place.kind == .city }
        areas = candidates.filter { $0.place.isLargeArea && $0.form == .name }.map { $0.place }
        people = Dictionary(
            candidates.map { ($0.place.kind, Double($0.place.population)) }, uniquingKeysWith: +)
        largest = Double(cities.filter { $0.form == .name }.map { $0.place.population }.max() ?? 0)
    }

    func read(_ candidate: PlaceCandidate, _ features: inout PlaceFeatures) {
        let place = candidate.place
        let own = Double(max(1, place.population))
        features[.share] = Double(place.population) / max(1, people[place.kind] ?? 1)
        if place.kind == .city {
            features[.cities] = log10(Double(cities.count))
            features[.largerCity] = max(0, log10(max(1, largest) / own))
            features.set(
                .rivalledName, if: candidate.form == .alternate && largest >= Double(Homonyms.town))
            for area in areas {
                if place.lies(in: area) {
                    features[.shareOfArea] = min(1, own / Double(max(1, area.population)))
                } else {
                    features[.areaElsewhere] = 1
                }
            }
        } else {
            for city in cities where city.form == .name {
                let ratio = Double(city.place.population) / own
                if city.place.lies(in: place) {
                    features[.shareOfCity] = max(features[.shareOfCity], min(1, ratio))
                } else {
                    let lead = min(1, max(-2, log10(max(ratio, 0.01))))
                    features[.cityElsewhere] = max(features[.cityElsewhere], lead + 2)
                }
            }
            features.set(.areasNested, if: areas.contains { $0.lies(in: place) || place.lies(in: $0) })
        }
    }
}

/// The places that a document's other names most likely mean at first sight, and the areas in which its names have
/// candidates.
private struct Neighbours {
    /// A city that a name most likely means.
    private let anchors: [(group: String, place: Place)]
    /// Names with a candidate in each region and country, and the areas of each name.
    private var counts: [String: Int] = [:]
    private var areas: [String: Set<String>] = [:]

    init(
        _ mentions: [DocumentMention], senses: [String: Set<String>], evidence: DocumentEvidence, context: PlaceContext
    ) {
        var anchors: [(group: String, place: Place)] = []
        for mention in mentions where mention.isPlace && areas[mention.group] == nil {
            let cities = mention.candidates.filter { $0.place.kind == .city }
            let codes = Set(cities.flatMap { [$0.place.country, $0.place.regionCode ?? $0.place.country] })
            areas[mention.group] = codes
            for code in codes { counts[code, default: 0] += 1 }
            let sense = senses[mention.name.folded]
            let possible = cities.filter { sense?.contains($0.place.id) ?? true }
            guard !mention.candidates.contains(where: { $0.place.isLargeArea && $0.form == .name }) || sense != nil
            else { continue }
            func rank(_ candidate: PlaceCandidate) -> Double {
                let place = candidate.place
                let isRegion = place.regionCode.map { evidence.regions[$0] != nil } ?? false
                let isHome = context.region != nil && place.country == context.country && place.region == context.region
                let isCountry = evidence.countries[place.country] != nil
                return candidate.weight + (isRegion || isHome ? 2 : 0) + (isCountry ? 1 : 0)
            }
            guard let first = possible.max(by: { rank($0) < rank($1) }), sense != nil || rank(first) > 4.5 else {
                continue
            }
            anchors.append((mention.group, first.place))
        }
        self.anchors = anchors
    }

    func read(_ place: Place, _ group: String, _ features: inout PlaceFeatures) {
        let others = anchors.filter { $0.group != group && $0.place.id != place.id }
        if !others.isEmpty {
            let total = Double(others.count)
            if place.kind == .city { features[.near] = Double(min(3, others.count { isNear($0.place, place) })) / 3 }
            features[.nearCountry] = Double(others.count { $0.place.country == place.country }) / total
            if let code = place.regionCode {
                features[.nearRegion] = Double(others.count { $0.place.regionCode == code }) / total
            }
        }
        guard place.kind == .city else { return }
        let own = areas[group]
        let names = Double(max(1, areas.count - (own == nil ? 0 : 1)))
        func share(_ code: String) -> Double {
            Double(counts[code, default: 0] - (own?.contains(code) == true ? 1 : 0)) / names
        }
        features[.fitsCountry] = share(place.country)
        if let code = place.regionCode { features[.fitsRegion] = share(code) }
    }

    private func isNear(_ other: Place, _ place: Place) -> Bool {
        abs(other.coordinate.latitude - place.coordinate.latitude) < 1.4
            && other.coordinate.distance(to: place.coordinate) < Nearness.neighbourhood
    }
}
