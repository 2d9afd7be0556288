import Foundation
import Model

/// Reads the features of the candidates of a document's mentions.
struct CandidateFeatures {
    private let document: DocumentFacts
    private let mentions: [DocumentMention]
    private let neighbours: Neighbours
    /// The candidates inside the areas behind a name.
    private let senses: [String: Set<String>]
    private var groups: [Group] = []
    /// Index of each mention's group.
    private var groupOf: [Int] = []
    /// The mentions that stand before their area: `Paris, Texas`.
    private let towns: [Int]
    /// Whether each mention and the next are items of a list.
    private let isListed: [Bool]

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

    /// The mentions that share a meaning.
    private struct Group {
        /// The evidence without the group's own name.
        let evidence: DocumentEvidence
        /// The only country of this evidence.
        let localCountry: String?
        /// Whether the text says of one of them that it is a place.
        var isSupported = false

        init(_ evidence: DocumentEvidence) {
            self.evidence = evidence
            localCountry = evidence.localCountry
        }
    }

    /// What stands beside a mention, read once for all its candidates.
    private struct Surroundings {
        /// Whether the name has a word for a kind of area.
        let hasKindWord: Bool
        /// Whether the words around it tell that it is a region.
        let isCalledRegion: Bool
        /// The candidates inside the area behind the same name elsewhere.
        let sense: Set<String>?
        /// The town whose area stands here.
        let town: DocumentMention?
        /// The names beside it in a list, and the countries of the cities that they mean.
        let mates: [DocumentMention], mateCountries: [String]
        /// The district with a town in the text, or the town in such a district.
        let pair: Place?
        /// Whether a large city of the name lies in the only country that the text names.
        let hasNamesakeNamed: Bool
    }

    init(_ document: DocumentFacts, _ mentions: [DocumentMention]) {
        self.document = document
        self.mentions = mentions
        var senses: [String: Set<String>] = [:]
        var towns: [Int] = []
        for (index, mention) in mentions.enumerated() {
            guard let ids = mention.inside else { continue }
            towns.append(index)
            // `Ontario, Oregon` tells nothing about Ontario elsewhere in the text.
            if ids.isEmpty, mention.candidates.contains(where: { $0.place.isState }) { continue }
            senses[mention.name.folded, default: []].formUnion(ids)
        }
        self.senses = senses
        self.towns = towns
        var known: [String: Int] = [:]
        for mention in mentions {
            let group = known[mention.group] ?? groups.count
            if group == groups.count {
                known[mention.group] = group
                groups.append(Group(document.evidence.without(mention.name.folded)))
            }
            groupOf.append(group)
            if let scanned = mention.scanned, scanned.support > .none { groups[group].isSupported = true }
        }
        isListed = zip(mentions, mentions.dropFirst()).map { first, second in
            first.range.upperBound < second.range.lowerBound
                && document.text.afterListSign(first.range.upperBound) == second.range.lowerBound
        }
        neighbours = Neighbours(
            mentions, groups: groupOf, senses: senses, document.evidence, document.context)
    }

    /// The candidates of a mention with their features.
    func scored(_ index: Int) -> [ScoredCandidate] {
        let mention = mentions[index]
        let group = groups[groupOf[index]]
        let beside = surroundings(of: index)
        let rivals = Rivals(mention.candidates)
        var shared = PlaceFeatures()
        readWords(mention, group, &shared)
        return mention.candidates.map { candidate in
            let place = candidate.place
            var features = shared
            readName(candidate, mention, beside, &features)
            rivals.read(candidate, &features)
            readAreasBeside(place, mention, beside, &features)
            readDocument(candidate, group, beside, &features)
            readHome(place, &features)
            neighbours.read(candidate, groupOf[index], &features)
            if place.kind == .city { readCity(place, mention, &features) } else { readArea(place, mention, &features) }
            return ScoredCandidate(place: place, features: features)
        }
    }

    private func surroundings(of index: Int) -> Surroundings {
        let mention = mentions[index]
        let name = mention.name.folded
        let countries = groups[groupOf[index]].evidence.countries
        let isRegion = mention.candidates.contains { $0.place.kind == .region }
        let town = towns.last { $0 < index && mentions[$0].isInside(mention.range) }
        let mates = [index - 1, index + 1].filter { other in
            mentions.indices.contains(other) && isListed[min(index, other)] && groupOf[other] != groupOf[index]
        }
        return Surroundings(
            hasKindWord: AreaWords.split(name) != nil,
            isCalledRegion: isRegion
                && (document.text.isCalledRegion(mention.range) || document.areas.isBesideState(mention.range)),
            sense: senses[name], town: town.map { mentions[$0] }, mates: mates.map { mentions[$0] },
            mateCountries: mates.compactMap { neighbours.country(of: groupOf[$0]) },
            pair: document.pairs.districts[name] ?? document.pairs.towns[name],
            hasNamesakeNamed: countries.count == 1
                && mention.candidates.contains { candidate in
                    candidate.isNamedCity && candidate.place.population >= Homonyms.knownCity
                        && countries[candidate.place.country] != nil
                })
    }

    // MARK: - The candidate itself

    private func readName(
        _ candidate: PlaceCandidate, _ mention: DocumentMention, _ beside: Surroundings,
        _ features: inout PlaceFeatures
    ) {
        let place = candidate.place
        switch place.kind {
        case .city: features[.city] = 1
        case .district:
            features[.district] = 1
            features.set(.bareDistrict, if: !beside.hasKindWord)
            if !beside.hasKindWord, candidate.isAdded {
                features[.districtElsewhere] = 1
                features[.givenName] = 0
                features[.familyName] = 0
            }
        case .region: features[.region] = 1
        case .country: features[.country] = 1
        }
        features.set(.kindWord, if: beside.hasKindWord && place.kind != .city)
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

    private func readAreasBeside(
        _ place: Place, _ mention: DocumentMention, _ beside: Surroundings, _ features: inout PlaceFeatures
    ) {
        if let ids = mention.inside {
            features[ids.contains(place.id) ? .insideAreaBehind : .outsideAreaBehind] = 1
        } else if let sense = beside.sense {
            features[sense.contains(place.id) ? .insideAreaElsewhere : .outsideAreaElsewhere] = 1
        }
        let isAcronym = mention.scanned?.isAcronym ?? false
        features.set(.acronym, if: isAcronym && beside.town == nil && place.kind != .country)
        if let town = beside.town, let ids = town.inside {
            let isMeant =
                ids.isEmpty && place.isState
                || town.candidates.contains { ids.contains($0.place.id) && $0.place.lies(in: place) }
            features[isMeant ? .behindOwnTown : .notBehindTown] = 1
        }
        if place.isLargeArea {
            features.set(.listMateArea, if: beside.mates.contains { $0.candidates.contains { $0.isLike(place) } })
        } else {
            features.set(.listMate, if: beside.mateCountries.contains(place.country))
        }
        features.set(.districtAndTown, if: beside.pair?.id == place.id)
        features.set(.calledArea, if: beside.isCalledRegion && place.kind == .region)
    }

    // MARK: - The document

    private func readDocument(
        _ candidate: PlaceCandidate, _ group: Group, _ beside: Surroundings, _ features: inout PlaceFeatures
    ) {
        let place = candidate.place
        let evidence = group.evidence
        let total = Double(max(1, evidence.total))
        if let count = candidate.regionCode.flatMap({ evidence.regions[$0] }) {
            features[.regionNamed] = 1
            features[.regionShare] = min(1, Double(count) / total)
        }
        if let count = evidence.countries[place.country] {
            features[.countryNamed] = 1
            features[.countryShare] = Double(count) / total
        } else if evidence.total > 0 {
            features.set(.namesakeNamed, if: place.kind == .city && beside.hasNamesakeNamed)
            switch place.kind {
            case .city: features[.otherCountries] = 1
            case .district, .region: features[.otherCountriesArea] = 1
            case .country: features[.otherCountriesCountry] = 1
            }
        }
        if evidence.total <= 0, place.kind == .city { features[.nothingNamed] = document.length }
        guard let country = group.localCountry else { return }
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

    private func readWords(_ mention: DocumentMention, _ group: Group, _ features: inout PlaceFeatures) {
        guard let scanned = mention.scanned else {
            features[.given] = 1
            return
        }
        features.set(.opening, if: scanned.support == .dateline)
        features.set(.givenName, if: scanned.isGivenName)
        features.set(.familyName, if: scanned.isFamilyName)
        if let before = scanned.before { features[before] = 1 }
        if let behind = scanned.behind { features[behind] = 1 }
        features.set(.cueElsewhere, if: scanned.support == .none && group.isSupported)
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
    private let candidates: [PlaceCandidate]
    /// Whether one of them is a country or region with this name.
    private let hasArea: Bool

    init(_ candidates: [PlaceCandidate]) {
        self.candidates = candidates
        hasArea = candidates.contains { $0.isNamedArea }
    }

    func read(_ candidate: PlaceCandidate, _ features: inout PlaceFeatures) {
        features.set(.only, if: candidates.count == 1)
        if candidate.place.kind != .city {
            readArea(candidate.place, &features)
        } else if hasArea {
            readCity(candidate, &features)
        }
    }

    private func readCity(_ candidate: PlaceCandidate, _ features: inout PlaceFeatures) {
        let place = candidate.place
        features.set(.areaElsewhere, if: candidates.contains { $0.isNamedArea && !place.lies(in: $0.place) })
        guard candidate.isOwnName, place.isFamousCity else { return }
        // Mexico is the country rather than its capital or its state.
        let hasCountry = candidates.contains {
            $0.isNamedArea && $0.place.kind == .country && place.lies(in: $0.place)
        }
        let hasRegion = candidates.contains {
            $0.isNamedArea && $0.place.kind == .region && $0.place.country == place.country
        }
        if hasRegion, !hasCountry { features[place.feature == "PPLC" ? .capitalOfArea : .millionOfArea] = 1 }
    }

    private func readArea(_ place: Place, _ features: inout PlaceFeatures) {
        var inside: Int64 = 0
        for city in candidates where city.isNamedCity {
            if city.place.lies(in: place) {
                inside = max(inside, city.place.population)
            } else if city.place.population > place.population {
                features[.smallerThanCity] = 1
            }
        }
        features[.shareOfCity] = min(1, Double(inside) / Double(max(1, place.population)))
        guard place.kind == .region else { return }
        let famous = candidates.first { $0.isNamedCity && $0.place.isFamousCity && $0.place.country == place.country }
        if let famous { features[famous.place.feature == "PPLC" ? .areaOfCapital : .areaOfMillion] = 1 }
    }
}

extension PlaceCandidate {
    /// Whether it is a country or region with this name.
    fileprivate var isNamedArea: Bool { place.isLargeArea && form == .name }

    /// Whether it is a city with this name as its own.
    fileprivate var isNamedCity: Bool { place.kind == .city && isOwnName }
}
