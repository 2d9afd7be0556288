import Foundation
import Model

/// Reads the features of the candidates of a document's mentions.
struct CandidateFeatures {
    private let document: DocumentFacts
    private let mentions: [DocumentMention]
    private let neighbours: Neighbours
    /// The candidates inside the areas behind a name.
    private let senses: [String: Set<String>]
    /// Indices of the mentions of each group.
    private let groups: [String: [Int]]
    /// The evidence for each group, which is without its own mentions.
    private let evidences: [String: DocumentEvidence]

    /// What is known of the document beside its mentions.
    struct DocumentFacts {
        let text: DocumentText
        let areas: DocumentAreas
        let context: PlaceContext
        let dateline: Place?
        let language: String?
        let evidence: DocumentEvidence
        let pairs: DistrictTowns
        /// The number of cities in the table.
        let cityCount: Int

        /// The length of the text: 1 from a thousand bytes on. A title that names no area tells less than a story.
        var length: Double { min(1, Double(text.content.utf8.count) / 1000) }
    }

    init(_ document: DocumentFacts, _ mentions: [DocumentMention]) {
        self.document = document
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
        evidences = groups.mapValues { document.evidence.without(mentions[$0[0]].name.folded) }
        neighbours = Neighbours(mentions, senses: senses, document.evidence, document.context)
    }

    /// The candidates of a mention with their features.
    func scored(_ index: Int) -> [ScoredCandidate] {
        let mention = mentions[index]
        let rivals = Rivals(mention.candidates)
        let isCalled =
            document.text.isCalledRegion(mention.range) || document.areas.isBesideState(mention.range)
        var shared = PlaceFeatures()
        readWords(mention, &shared)
        return mention.candidates.map { candidate in
            let place = candidate.place
            var features = shared
            readName(candidate, mention, &features)
            rivals.read(candidate, &features)
            readAreasBeside(place, index, &features)
            features.set(.calledArea, if: isCalled && place.kind == .region)
            readDocument(place, mention, &features)
            readHome(place, &features)
            neighbours.read(place, mention.group, &features)
            if place.kind == .city { readCity(place, mention, &features) } else { readArea(place, mention, &features) }
            return ScoredCandidate(place: place, features: features)
        }
    }

    // MARK: - The candidate itself

    private func readName(_ candidate: PlaceCandidate, _ mention: DocumentMention, _ features: inout PlaceFeatures) {
        let place = candidate.place
        let hasKindWord = AreaWords.split(mention.name.folded) != nil
        switch place.kind {
        case .city: features[.city] = 1
        case .district:
            features[.district] = 1
            features.set(.bareDistrict, if: !hasKindWord)
            if !hasKindWord, candidate.isAdded {
                features[.districtElsewhere] = 1
                features[.givenName] = 0
                features[.familyName] = 0
            }
        case .region: features[.region] = 1
        case .country: features[.country] = 1
        }
        features.set(.kindWord, if: hasKindWord && place.kind != .city)
        switch candidate.form {
        case .name: break
        case .code: features[.code] = 1
        case .demonym: features[.demonym] = 1
        case .alternate:
            features.set(.otherName, if: !candidate.isVariant)
            features.set(.shortOtherName, if: !candidate.isVariant && mention.name.folded.utf8.count < 5)
        }
    }

    /// What concerns cities alone; the other features are read.
    private func readCity(_ place: Place, _ mention: DocumentMention, _ features: inout PlaceFeatures) {
        let size = place.size
        features[.people] = size / 7
        features[.large] = min(1, max(0, size - 5))
        features[.village] = max(0, 4.2 - size)
        features.set(.section, if: place.feature == "PPLX")
        features[.peopleNamed] = features[.people] * features[.regionNamed]
        features[.nothingNamedLarge] = features[.nothingNamed] * features[.large]
        features[.fitsHome] = features[.fitsRegion] * features[.homeRegion]
        if features[.regionNamed] == 0, features[.homeRegion] == 0, !place.isFamousCity {
            features[.sparse] = min(1.7, max(0, 6 - log10(Double(max(1, document.cityCount)))))
        }
        guard let scanned = mention.scanned else { return }
        features.set(.cueCity, if: scanned.support == .cue)
        features.set(.headlineBare, if: scanned.isInHeadline && scanned.support == .none)
        features.set(.behindMeasured, if: scanned.isBehindMeasured)
        let isNoun = scanned.isSingleWord && scanned.support == .none
        features.set(.noun, if: isNoun && document.language == "de")
    }

    /// What concerns areas alone; the other features are read.
    private func readArea(_ place: Place, _ mention: DocumentMention, _ features: inout PlaceFeatures) {
        features[.areaPeople] = place.size / 8
        features.set(.state, if: place.isState)
        features[.kindWordNamed] = features[.kindWord] * features[.regionNamed]
        features[.shareOfCityCountry] = features[.shareOfCity] * features[.country]
        guard let scanned = mention.scanned else { return }
        features.set(.municipalArea, if: scanned.isMunicipal && place.isLargeArea)
        features.set(.beforeUnknownArea, if: scanned.isBeforeUnknown)
        let countries = scanned.countriesBehind
        features.set(
            .otherCountryBehind, if: place.kind == .region && !countries.isEmpty && !countries.contains(place.country))
    }

    // MARK: - Areas beside the name

    private func readAreasBeside(_ place: Place, _ index: Int, _ features: inout PlaceFeatures) {
        let mention = mentions[index]
        let name = mention.name.folded
        if case .inside(let ids) = mention.areaBehind {
            features[ids.contains(place.id) ? .insideAreaBehind : .outsideAreaBehind] = 1
        } else if let sense = senses[name] {
            features[sense.contains(place.id) ? .insideAreaElsewhere : .outsideAreaElsewhere] = 1
        }
        if let town = mentions[..<index].last(where: { $0.isInside(mention.range) }),
            case .inside(let ids) = town.areaBehind
        {
            let isMeant =
                ids.isEmpty && place.isState
                || town.candidates.contains { ids.contains($0.place.id) && $0.place.lies(in: place) }
            features[isMeant ? .behindOwnTown : .notBehindTown] = 1
        }
        let mates = listMates(index)
        if place.isLargeArea {
            features.set(.listMateArea, if: mates.contains { mentions[$0].candidates.contains { $0.isLike(place) } })
        } else {
            let cities = mates.lazy.compactMap { neighbours.place(of: mentions[$0].group) }
            features.set(.listMate, if: cities.contains { $0.country == place.country })
        }
        features.set(.districtAndTown, if: (pairs.districts[name] ?? pairs.towns[name])?.id == place.id)
    }

    private var pairs: DistrictTowns { document.pairs }

    /// The other names beside it in a list.
    private func listMates(_ index: Int) -> [Int] {
        [index - 1, index + 1].filter { other in
            guard mentions.indices.contains(other), mentions[other].group != mentions[index].group else { return false }
            let (first, second) = (mentions[min(index, other)].range, mentions[max(index, other)].range)
            return first.upperBound < second.lowerBound
                && document.text.afterListSign(first.upperBound) == second.lowerBound
        }
    }

    // MARK: - The document

    private func readDocument(_ place: Place, _ mention: DocumentMention, _ features: inout PlaceFeatures) {
        let evidence = evidences[mention.group] ?? document.evidence
        let total = Double(max(1, evidence.total))
        if let count = place.regionCode.flatMap({ evidence.regions[$0] }) {
            features[.regionNamed] = 1
            features[.regionShare] = min(1, Double(count) / total)
        }
        if let count = evidence.countries[place.country] {
            features[.countryNamed] = 1
            features[.countryShare] = Double(count) / total
        } else if evidence.total > 0 {
            switch place.kind {
            case .city: features[.otherCountries] = 1
            case .district, .region: features[.otherCountriesArea] = 1
            case .country: features[.otherCountriesCountry] = 1
            }
        }
        if evidence.total <= 0, place.kind == .city { features[.nothingNamed] = document.length }
        guard let country = evidence.localCountry else { return }
        let isKnown = place.feature == "PPLC" || place.population >= Homonyms.knownCity
        if place.kind == .city {
            let isElsewhere = features[.regionNamed] == 0 && !isKnown
            features.set(.outsideLocal, if: place.country != country || isElsewhere)
        } else {
            features.set(.outsideLocalArea, if: place.country != country)
        }
    }

    private func readHome(_ place: Place, _ features: inout PlaceFeatures) {
        if let dateline = document.dateline, place.kind == .city {
            let distance = dateline.coordinate.distance(to: place.coordinate)
            features.set(.datelineNear, if: distance < Nearness.reach)
        }
        guard place.country == document.context.country else { return }
        if let region = document.context.region, place.kind != .country {
            features.set(.homeRegion, if: place.region == region)
        } else {
            features[.homeCountry] = 1
        }
    }

    // MARK: - The words around it

    private func readWords(_ mention: DocumentMention, _ features: inout PlaceFeatures) {
        guard let scanned = mention.scanned else {
            features[.given] = 1
            return
        }
        features.set(.opening, if: scanned.support == .dateline)
        features.set(.givenName, if: scanned.isGivenName)
        features.set(.familyName, if: scanned.isFamilyName)
        if let before = scanned.before { features[before] = 1 }
        if let behind = scanned.behind { features[behind] = 1 }
        let others = (groups[mention.group] ?? []).lazy.compactMap { mentions[$0].scanned }
        features.set(.cueElsewhere, if: scanned.support == .none && others.contains { $0.support > .none })
        switch scanned.refusal {
        case nil, .never: break
        case .glued: features[.glued] = 1
        case .person: features[.person] = 1
        case .organisation: features[.organisation] = 1
        case .wordBefore: features[.wordBefore] = 1
        case .wordBehind: features[.wordBehind] = 1
        case .commonWord: features[.commonWord] = scanned.commonness
        }
    }
}

extension PlaceCandidate {
    /// Whether it is an area of the same kind by name, of a division in the same country.
    fileprivate func isLike(_ area: Place) -> Bool {
        form == .name && place.kind == area.kind && (area.kind == .country || place.country == area.country)
    }
}

extension Place {
    /// log10 of its inhabitants; 0: unknown.
    fileprivate var size: Double { log10(Double(max(1, population))) }
}

/// What the candidates of a mention tell about each other.
private struct Rivals {
    private let count: Int
    private let cities: [Place]
    private let famous: [Place]
    private let areas: [Place]

    init(_ candidates: [PlaceCandidate]) {
        count = candidates.count
        cities = candidates.filter { $0.place.kind == .city && $0.isOwnName }.map { $0.place }
        famous = cities.filter { $0.isFamousCity }
        areas = candidates.filter { $0.place.isLargeArea && $0.form == .name }.map { $0.place }
    }

    func read(_ candidate: PlaceCandidate, _ features: inout PlaceFeatures) {
        let place = candidate.place
        features.set(.only, if: count == 1)
        switch place.kind {
        case .city:
            features.set(.areaElsewhere, if: areas.contains { !place.lies(in: $0) })
            // Mexico is the country rather than its capital or its state.
            let hasCountry = areas.contains { $0.kind == .country && place.lies(in: $0) }
            let hasRegion = areas.contains { $0.kind == .region && $0.country == place.country }
            if hasRegion, !hasCountry, candidate.isOwnName, place.isFamousCity {
                features[place.feature == "PPLC" ? .capitalOfArea : .millionOfArea] = 1
            }
        case .region, .country, .district:
            let inside = cities.filter { $0.lies(in: place) }.map { $0.population }.max() ?? 0
            features[.shareOfCity] = min(1, Double(inside) / Double(max(1, place.population)))
            features.set(
                .smallerThanCity, if: cities.contains { $0.population > place.population && !$0.lies(in: place) })
            if place.kind == .region, let city = famous.first(where: { $0.country == place.country }) {
                features[city.feature == "PPLC" ? .areaOfCapital : .areaOfMillion] = 1
            }
        }
    }
}
