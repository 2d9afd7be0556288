import Model

/// The areas named in a document, their positions, and which of them follow a name.
struct DocumentAreas {
    /// All names of areas, in the order of the text.
    let hits: [AreaHit]
    /// The words in lists of districts (`[DocumentWord].districtLists`).
    let districtLists: [String.Index: String]
    let text: DocumentText
    private let hitAt: [String.Index: Int]
    /// Positions of states whose name no large city has.
    private let plainStates: Set<String.Index>

    init(in text: DocumentText, resolver: Resolver) throws(GazetteerError) {
        self.text = text
        let words = DocumentWord.words(of: text.tokens)
        districtLists = words.districtLists
        hits = try AreaHit.all(in: words, lists: districtLists, names: resolver.names, table: resolver.table)
        var hitAt: [String.Index: Int] = [:]
        for (index, hit) in hits.enumerated() { hitAt[hit.range.lowerBound] = index }
        self.hitAt = hitAt
        var plainStates: Set<String.Index> = []
        var isPlain: [String: Bool] = [:]
        for hit in hits where hit.form == .name && hit.areas.allSatisfy({ $0.isState }) {
            if isPlain[hit.name] == nil {
                let cities = try resolver.table.cities(named: NameKey(folded: hit.name.utf8), limit: 4)
                isPlain[hit.name] = cities.allSatisfy { $0.population < Homonyms.knownAfar }
            }
            if isPlain[hit.name] == true { plainStates.insert(hit.range.lowerBound) }
        }
        self.plainStates = plainStates
    }

    /// The name of an area that begins at a position.
    func hit(at start: String.Index) -> AreaHit? { hitAt[start].map { hits[$0] } }

    /// The area that follows a name after a comma or an opening bracket; nil: none.
    func area(behind name: Range<String.Index>) -> AreaHit? {
        text.afterComma(name.upperBound).flatMap { hit(at: $0) }
    }

    /// The same, if it is a country or region by its own name without a possessive: not `Enzo Verona, Italy's coach`.
    func largeArea(behind name: Range<String.Index>) -> AreaHit? {
        area(behind: name).flatMap { hit in
            let isLarge = hit.form != .demonym && hit.areas.contains { $0.isLargeArea }
            return isLarge && !text.tokens[hit.last].isPossessive ? hit : nil
        }
    }

    /// The areas that follow a name, each behind the one before; at most three.
    func qualifiers(after range: Range<String.Index>) -> [AreaHit] {
        var found: [AreaHit] = []
        while found.count < 3, let hit = area(behind: found.last?.range ?? range) { found.append(hit) }
        return found
    }

    /// Whether another area follows as the next item of a list: `Delaware, Ohio and Texas`. `Ohio, USA` is no list,
    /// since the second contains the first; nor is `Ohio, and Lima, Peru`, since the second has a qualifier of its own.
    func isListed(_ area: AreaHit) -> Bool {
        let end = area.range.upperBound
        guard let next = text.afterListSign(end), let index = hitAt[next] else { return false }
        if area.areas.contains(where: { inner in hits[index].areas.contains { inner.lies(in: $0) } }) { return false }
        return !text.isAndNext(end) || qualifiers(after: hits[index].range).isEmpty
    }

    /// Whether a name and a state beside it belong to a list: `Washington, Oregon and Idaho`.
    func isBesideState(_ name: Range<String.Index>) -> Bool {
        if let next = text.afterListSign(name.upperBound), plainStates.contains(next) { return true }
        return hits.contains { hit in
            plainStates.contains(hit.range.lowerBound) && hit.range.upperBound <= name.lowerBound
                && text.isRightBehind(hit.range, name.lowerBound, within: 6)
                && text.afterListSign(hit.range.upperBound) == name.lowerBound
        }
    }

    /// Whether a comma precedes directly, and before it a capitalised word that is not a country.
    func isBehindTown(_ start: String.Index) -> Bool {
        guard text.isBehindCapitalised(start) else { return false }
        return !hits.contains { hit in
            hit.areas.contains { $0.kind == .country } && text.isRightBehind(hit.range, start)
        }
    }

    /// Whether a name that may mean an area and the area after it are two: `Moscow, Kiev agree`, `China, Russia`.
    ///
    /// A state follows a town even if the table lacks the town: `Cairo, Illinois`, `Peru, Indiana`. It does not if the
    /// name is another state of its country (`California, Texas sue`) or one that no town has (`UK, Ontario`).
    static func arePair(_ mention: DocumentMention, _ areas: [Place]) -> Bool {
        let own = mention.candidates.map { $0.place }.filter { $0.isLargeArea }
        let isCountry = own.contains { $0.kind == .country }
        guard isCountry || (!own.isEmpty && areas.allSatisfy { $0.kind == .region }) else { return false }
        if mention.name.isAbbreviation || (isCountry && mention.name.folded.contains(" ")) { return true }
        // Montana is a state of the USA and a province of Bulgaria.
        let isState = areas.contains { area in area.isState && !own.contains { $0.country == area.country } }
        return !(isState && areas.allSatisfy { $0.kind == .region })
    }
}

extension Place {
    /// Whether the place is a country or a first-level division.
    var isLargeArea: Bool { kind == .country || kind == .region }

    /// Whether the place is a state or province that is written after its towns without the country.
    var isState: Bool { kind == .region && StateNames.countries.contains(country) }

    /// Whether the code has a full stop after each letter, as that of a name of two words: `N.C.`; `M.D.` is no Maryland.
    var mayHaveStops: Bool { name.contains(" ") }

    /// Whether the place is a capital or a city of a million, so that its name needs no qualifier.
    var isFamousCity: Bool {
        kind == .city && (feature == "PPLC" || population >= DocumentEvidence.famousCity)
    }
}
