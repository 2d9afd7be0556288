/// The names in a running text that may be places, judged by the words around them.
///
/// A name is the longest run of up to six words in the table whose first and last are capitalised. It counts unless a
/// rule of `refusal` refuses it for good; the other rules are features. Scripts without capitals are not searched.
struct MentionScan {
    /// The names that may be places, in the order of the text.
    private(set) var places: [Mention] = []

    let tokens: [TextToken]
    private let areas: DocumentAreas
    private let areaNames: AreaNames
    private let language: String?
    let lowercaseWords: Set<String>
    private let persons: Set<String>
    private var namesakes: Set<String> = []
    /// Indices of the names' last tokens.
    private var ends: Set<Int> = []

    /// Scans a text for its first `most` names.
    /// - Parameters:
    ///   - areas: Those of the text.
    ///   - language: The text's, as `TextLanguage` gives it.
    init(
        _ areas: DocumentAreas, resolver: Resolver, most: Int, language: String? = nil
    ) throws(GazetteerError) {
        self.areas = areas
        areaNames = resolver.names
        self.language = language
        let text = areas.text.content
        tokens = areas.text.tokens
        lowercaseWords = Set(tokens.lazy.filter { $0.isWord && !$0.isCapitalised }.map { $0.folded })
        persons = tokens.persons
        var finder = NameFinder(areas, resolver)
        let names = try finder.names(most: most)
        ends = Set(names.map { $0.tokens.upperBound })
        namesakes = Set(names.filter { isBehindName($0) || isSpeaker($0) }.map { $0.folded })
        let counts = Dictionary(names.map { ($0.folded, 1) }, uniquingKeysWith: +)
        for name in names where counts[name.folded, default: 0] > 1 && name.largestCity < Homonyms.knownAfar {
            // Hideki Matsuyama at the beginning of a sentence, where every word is capitalised.
            if isBehindName(name, evenFirst: true) { namesakes.insert(name.folded) }
        }
        let distances = MeasuredDistance.phrases(in: tokens, of: text)
        for var name in names {
            name.area = try finder.area(behind: name)
            name.support = name.area != nil ? .area : support(of: name)
            name.isMunicipal = isMunicipal(name)
            if name.isRegion { name.countriesBehind = finder.countryCodes(behind: name.tokens.upperBound) }
            if let measured = distances.last(where: { $0.name <= name.tokens.lowerBound }) {
                guard takeDistance(measured, to: &name, finder) else { continue }
            }
            if name.distance == nil, MeasuredDistance.isUnclear(before: name.tokens.lowerBound, in: tokens) { continue }
            name.isBeforeUnknown = isBeforeUnknown(name)
            name.isAcronym = isAcronym(name) && !text[name.range].contains(".")
            name.refusal = refusal(of: name)
            if name.refusal == .never || isElsewhere(name) { continue }
            note(&name)
            places.append(name)
        }
    }

    /// Whether the words around a name say where somebody or something comes from, or the way goes: `from Boston`,
    /// `from Boston to Lisbon`, `Boston-based`, `Boston man`, `born in Boston`.
    func isOrigin(_ name: Mention) -> Bool {
        if let before = tokens.word(before: name.tokens.lowerBound) {
            if ["from", "fled"].contains(tokens[before].folded) { return true }
            let way = tokens[max(0, before - 5)..<before]
            if tokens[before].folded == "to", way.contains(where: { $0.folded == "from" }) { return true }
            let isPast = tokens.word(before: before).map { PlaceWords.pasts.contains(tokens[$0].folded) } ?? false
            if tokens[before].folded == "in", isPast { return true }
        }
        if name.support == .none, let after = tokens.word(after: name.tokens.upperBound),
            PlaceWords.people.contains(tokens[after].folded)
        {
            return true
        }
        let hyphen = name.tokens.upperBound + 1
        guard hyphen + 1 < tokens.count, tokens[hyphen].isHyphen, tokens[hyphen].gap == .none else { return false }
        return PlaceWords.originTails.contains(tokens[hyphen + 1].folded)
    }

    /// Which of the places that were found are not where the event is, since the first paragraph names an unknown one for
    /// that. They tell what else happens, `Strike in Deir al-Balah as talks resume in Cairo`, or who is there: `Boston man
    /// found in Deir al-Balah`.
    func asides(among places: [Mention]) -> [Bool] {
        let end = tokens.indices.dropFirst().first { tokens[$0].gap == .paragraph } ?? tokens.count
        let found = places.map { $0.range }
        let unknown = capitalisesNouns ? nil : (0..<end).first { isUnknown(behind: $0, beside: found) }
        guard let unknown else { return places.map { _ in false } }
        let turn = (unknown..<end).first {
            PlaceWords.circumstances.contains(tokens[$0].folded) || tokens[$0].sign == ";"
        }
        return places.map { name in
            guard !name.isInHeadline, name.tokens.lowerBound < end else { return false }
            return isOrigin(name) || turn.map { $0 < name.tokens.lowerBound } ?? false
        }
    }

    /// Whether a token is a word such as `in` with a capitalised one behind it that begins none of the found places.
    private func isUnknown(behind cue: Int, beside found: [Range<String.Index>]) -> Bool {
        guard ["in", "near"].contains(tokens[cue].folded), var last = tokens.word(after: cue),
            tokens[last].isCapitalised, !PlaceWords.never.contains(tokens[last].folded),
            !PlaceWords.functionWords.contains(tokens[last].folded)
        else { return false }
        let first = last
        while let next = nextOfName(last) { last = next }
        let name = tokens.extent(of: first...last)
        return !found.contains { $0.overlaps(name) }
    }

    /// Whether the words around a name say that something is there.
    func standing(of name: Mention) -> Standing {
        let last = name.tokens.upperBound
        guard let cue = cue(before: name.tokens.lowerBound) else {
            return name.support == .area ? .attributive : .named
        }
        // `in Boston on Friday` counts; `in Boston bombing` does not.
        if name.support != .area, let after = tokens.word(after: last),
            !PlaceWords.functionWords.contains(tokens[after].folded),
            !PlaceWords.outcomes.contains(tokens[after].folded)
        {
            return .attributive
        }
        var index = cue
        while index > 0, !tokens[index].startsSentence {
            index -= 1
            if PlaceWords.reporting.contains(tokens[index].folded) { return .afar }
        }
        return .situated
    }

    /// The word such as `in` before a name; between them only words for a kind or a part of place (`in the rebel-held
    /// city of`), peoples, and a place with a possessive (`in Syria's`).
    private func cue(before first: Int) -> Int? {
        var index = first - 1
        while index >= max(0, first - Self.longestCue) {
            let token = tokens[index]
            if tokens[index + 1].gap == .paragraph { return nil }
            if PlaceWords.cues.contains(token.folded), !PlaceWords.directions.contains(token.folded) {
                return PlaceWords.motion.contains(token.folded) ? nil : index
            }
            let isPart =
                token.isHyphen || tokens.sign(at: index - 1) == "-" || tokens.sign(at: index + 1) == "-"
                || token.folded == "the" || token.folded == "of" || PlaceWords.directions.contains(token.folded)
                || PlaceWords.settlements.contains(token.folded) || PlaceWords.districtTails.contains(token.folded)
                || isAdjective(token) || token.isPossessive && ends.contains(index)
            guard isPart else { return nil }
            index -= 1
        }
        return nil
    }

    private static let longestCue = 8

    // MARK: - Judging

    /// The evidence for a name other than its area after it.
    private func support(of name: Mention) -> Support {
        let first = tokens[name.tokens.lowerBound]
        let end = name.tokens.upperBound
        if first.gap == .paragraph, first.isAllCaps, first.length > 3, end + 1 < tokens.count {
            let next = tokens[end + 1]
            if let sign = next.sign, Self.datelineSigns.contains(sign) { return .dateline }
            if next.isCapitalised, !next.isAllCaps { return .dateline }
        }
        if let before = tokens.word(before: name.tokens.lowerBound), PlaceWords.cues.contains(tokens[before].folded) {
            return .cue
        }
        if end + 2 < tokens.count, tokens[end + 1].isHyphen, tokens[end + 1].gap == .none,
            PlaceWords.hyphenTails.contains(tokens[end + 2].folded)
        {
            return .cue
        }
        return .none
    }

    /// Notes the distance before a name; false: the name is a part of a longer one from which it is measured, or the
    /// table has no such town in the area behind it.
    private func takeDistance(
        _ measured: MeasuredDistance.Phrase, to name: inout Mention, _ finder: NameFinder
    ) -> Bool {
        let (first, last) = (name.tokens.lowerBound, name.tokens.upperBound)
        guard first == measured.name else {
            var end = measured.name
            while end < first, let next = nextOfName(end) { end = next }
            name.isBehindMeasured = first == end + 2 && tokens.sign(at: end + 1) == ","
            // `10 km N of Old Springfield, Ohio`
            return end < first
        }
        guard nextOfName(last) == nil else { return false }
        if let behind = areas.largeArea(behind: name.range) {
            guard let area = name.area else { return false }
            // `Delta, B.C., MX` contradicts itself.
            let named = areas.largeArea(behind: behind.range)?.areas.map { $0.country } ?? []
            let wider = named + finder.countryCodes(behind: behind.last)
            guard wider.isEmpty || wider.contains(area.country) else { return false }
        }
        name.distance = measured.distance
        return true
    }

    /// The next capitalised word of a name; nil: the name ends, also before a day or month.
    func nextOfName(_ index: Int) -> Int? {
        guard var next = tokens.word(after: index) ?? hyphenated(index) else { return nil }
        while PlaceWords.particles.contains(tokens[next].folded), !tokens[next].isCapitalised {
            guard let following = tokens.word(after: next) else { return nil }
            next = following
        }
        return tokens[next].isCapitalised && !PlaceWords.never.contains(tokens[next].folded) ? next : nil
    }

    /// The word that a hyphen joins to a token.
    private func hyphenated(_ index: Int) -> Int? {
        guard index + 2 < tokens.count, tokens[index + 1].isHyphen, tokens[index + 1].gap == .none,
            tokens[index + 2].isWord, tokens[index + 2].gap == .none
        else { return nil }
        return index + 2
    }

    /// The rule by which a name is no place; nil: none.
    private func refusal(of name: Mention) -> Refusal? {
        let before = tokens.word(before: name.tokens.lowerBound).map { tokens[$0] }
        let after = tokens.word(after: name.tokens.upperBound).map { tokens[$0] }
        // `Hillary Clinton, U.S. …`
        if name.support == .area { return before.map { $0.isPersonal } ?? false ? .person : nil }
        if isGlued(name) { return .glued }
        if isOpposed(name) { return .never }
        if name.isSingleWord, !name.isDistrict {
            // A common word, or one that this text also writes in lower case. `Island` is Iceland, too.
            let isWord =
                PlaceWords.features.contains(name.folded)
                || !name.isCountry && PlaceWords.common.contains(name.folded)
            if isWord, !isUsedAsName(name, before, after) { return .never }
            if !name.isCountry || PlaceWords.wordCountries.contains(name.folded),
                lowercaseWords.contains(name.folded)
            {
                return .never
            }
            if isPerson(name) || isNamesake(name) { return .person }
        }
        if isThing(name) || isClub(name) { return .never }
        if isOrganisation(name) { return .organisation }
        if isContestant(name, before, after) { return .never }
        if isBeginning(name) { return .never }
        if let before, before.isCapitalised, !isAcceptable(before, before: name) {
            if before.isPersonal || PlaceWords.organisationHeads.contains(before.folded) { return .never }
            if !capitalisesNouns { return .wordBefore }
        }
        if let before, before.folded == "of", let head = tokens.word(before: name.tokens.lowerBound - 1),
            tokens[head].isCapitalised
        {
            // The University of Cincinnati is there, the Duke of Wellington is not.
            if ["college", "university"].contains(tokens[head].folded) { return .organisation }
            let isOther =
                PlaceWords.organisationHeads.contains(tokens[head].folded)
                || PlaceWords.titleHeads.contains(tokens[head].folded) || name.folded == "america"
            if isOther { return .never }
        }
        if isCompared(name) { return .never }
        let isInLonger = after.map { $0.isCapitalised && !isAcceptable($0, after: name) } ?? false
        if isInLonger, !name.isBeforeUnknown, !capitalisesNouns { return .wordBehind }
        // `St. Paul's Hospital`, but `St. Petersburg's mayor`
        let end = name.tokens.upperBound
        let isSaint = tokens[end].isPossessive && !name.isPossessive && name.folded.hasPrefix("st ")
        let isBeforeLowercase = end + 1 < tokens.count && tokens[end + 1].isWord && !tokens[end + 1].isCapitalised
        if isSaint, !isBeforeLowercase { return .never }
        return commonness(of: name) > 0 && !isUsedAsName(name, before, after) ? .commonWord : nil
    }

    /// Whether a common word is used as a name: `in Orange on Friday`, but not `in Orange shops` or `at University of`.
    private func isUsedAsName(_ name: Mention, _ before: TextToken?, _ after: TextToken?) -> Bool {
        guard name.support == .cue, !name.isInHeadline else { return false }
        // North Island
        if let before, before.isCapitalised, PlaceWords.directions.contains(before.folded) { return false }
        guard let after, after.folded != "of" else { return after == nil }
        return PlaceWords.outcomes.contains(after.folded) || PlaceWords.functionWords.contains(after.folded)
    }

    /// How common it is as a word of the text's language; for English the list made by hand is the better one.
    private func commonness(of name: Mention) -> Double {
        let isWord = name.isSingleWord && !name.isDistrict && !name.isArea && language != "en"
        return isWord ? CommonWords.commonness(of: name.folded, in: language) : 0
    }

    /// Whether it is a country or region in the name of an organisation, a gulf or a town that the table lacks, which may
    /// be anywhere: `Bank of America`, `Gulf of Lebanon`, `California Springs`.
    private func isElsewhere(_ name: Mention) -> Bool {
        name.isArea && (name.refusal == .organisation || name.refusal == .wordBehind)
    }

    /// Notes the words beside a name.
    private func note(_ name: inout Mention) {
        name.before = before(name.tokens.lowerBound)
        name.behind = behind(name.tokens.upperBound)
        // Houston is a family name, and better known as a city.
        let isKnown = name.largestCity >= Homonyms.knownAfar
        name.isGivenName = !isKnown && PlaceWords.givenNames.contains(name.folded)
        name.isFamilyName = !isKnown && PlaceWords.familyNames.contains(name.folded)
        if name.refusal == .commonWord { name.commonness = commonness(of: name) }
    }

    /// What the word before a name tells.
    private func before(_ first: Int) -> PlaceFeature? {
        guard let index = tokens.word(before: first) else { return nil }
        let word = tokens[index]
        let folded = word.folded
        if folded == "the" { return .theBefore }
        if folded == "of", let head = tokens.word(before: index).map({ tokens[$0] }) {
            let isOfPlace =
                PlaceWords.settlements.contains(head.folded) || PlaceWords.functionWords.contains(head.folded)
            return head.isCapitalised && !isOfPlace ? .partOfName : nil
        }
        if PlaceWords.directions.contains(folded) || PlaceWords.motion.contains(folded) { return nil }
        if PlaceWords.cues.contains(folded) { return .inBefore }
        guard word.isCapitalised, !PlaceWords.functionWords.contains(folded) else { return nil }
        return word.isPersonal ? .personBefore : capitalisesNouns ? nil : .capitalBefore
    }

    /// What the word behind a name tells.
    private func behind(_ last: Int) -> PlaceFeature? {
        guard let word = tokens.word(after: last).map({ tokens[$0] }) else { return nil }
        if PlaceWords.reporting.contains(word.folded) { return .verbBehind }
        guard word.isCapitalised else { return nil }
        if PlaceWords.publicBodies.contains(word.folded) { return .publicBehind }
        return capitalisesNouns || PlaceWords.titles.contains(word.folded) ? nil : .capitalBehind
    }

    /// Whether capitals beside a name prove nothing, since the language's nouns have them.
    private var capitalisesNouns: Bool { language == "de" }

    private func isPerson(_ name: Mention) -> Bool {
        let isGiven = PlaceWords.givenNames.contains(name.folded)
        let isFamily = PlaceWords.familyNames.contains(name.folded)
        // Of `Georgia Hall … in Georgia` the second is the state.
        let isBare =
            name.isArea
            ? (isGiven || isFamily) && cue(before: name.tokens.lowerBound) == nil : name.support < .dateline
        if persons.contains(name.folded), isBare { return true }
        guard isGiven || isFamily, !name.isCountry, name.support == .none else { return false }
        return !(isGiven && name.isRegion) && name.largestCity < Homonyms.knownAfar
    }

    /// Whether it is a bare name that elsewhere in the text follows a capitalised word, as a family name does.
    private func isNamesake(_ name: Mention) -> Bool {
        name.support == .none && !name.isCountry && namesakes.contains(name.folded)
    }

    private func isBehindName(_ name: Mention, evenFirst: Bool = false) -> Bool {
        guard name.isSingleWord, !name.isArea, !name.isInHeadline,
            let before = tokens.word(before: name.tokens.lowerBound)
        else { return false }
        let head = tokens[before]
        let isPlainWord = head.startsSentence && (!evenFirst || lowercaseWords.contains(head.folded))
        guard head.isCapitalised, !head.isAllCaps, !isPlainWord, !isAcceptable(head, before: name) else {
            return false
        }
        return tokens.word(after: name.tokens.upperBound).map { !tokens[$0].isCapitalised } ?? true
    }

    private func isAcceptable(_ word: TextToken, before name: Mention) -> Bool {
        let folded = word.folded
        // `Miss Venezuela`
        if PlaceWords.titles.contains(folded) {
            return name.isArea && !PlaceWords.organisationHeads.contains(folded)
        }
        if PlaceWords.functionWords.contains(folded) || PlaceWords.directions.contains(folded) { return true }
        let isAlsoName = PlaceWords.givenNames.contains(name.folded)
        if PlaceWords.givenNames.contains(folded) || word.length == 1 { return name.isCountry && !isAlsoName }
        if PlaceWords.organisationHeads.contains(folded) { return false }
        if name.isCountry && !isAlsoName || name.isInHeadline || isAdjective(word) { return true }
        if PlaceWords.never.contains(folded) { return true }
        // Another place, as in `Paris London`; `Lourdes Leon` is a person.
        return ends.contains(name.tokens.lowerBound - 1) && !PlaceWords.familyNames.contains(name.folded)
    }

    private func isAcceptable(_ word: TextToken, after name: Mention) -> Bool {
        let folded = word.folded
        if PlaceWords.publicBodies.contains(folded) || PlaceWords.functionWords.contains(folded) { return true }
        if isForeign(word, after: name) { return false }
        if PlaceWords.titles.contains(folded) || PlaceWords.directions.contains(folded) { return true }
        return name.support == .dateline || name.isInHeadline || isAdjective(word)
            || name.isKnownArea && !PlaceWords.givenNames.contains(name.folded)
    }

    /// Whether the word makes the name something else: a team, a street, a person.
    private func isForeign(_ word: TextToken, after name: Mention) -> Bool {
        let folded = word.folded
        if PlaceWords.organisationTails.contains(folded) || PlaceWords.features.contains(folded) { return true }
        // Paris Jackson and Indiana Jones, also in a headline.
        return name.isSingleWord && !name.isCountry && PlaceWords.surnames.contains(folded)
    }

    private func isBeforeUnknown(_ name: Mention) -> Bool {
        guard name.support != .area, !PlaceWords.givenNames.contains(name.folded),
            let after = tokens.word(after: name.tokens.upperBound), tokens[after].isCapitalised
        else { return false }
        return !isForeign(tokens[after], after: name) && !isAcceptable(tokens[after], after: name)
    }

    private func isAdjective(_ word: TextToken) -> Bool {
        PlaceWords.adjectives.contains(word.folded)
            || areaNames.entries(NameKey(folded: word.folded.utf8)).contains { $0.form == .demonym }
    }

    private static let datelineSigns: Set<Unicode.Scalar> = ["(", ":", "-", "–", "—"]
}
