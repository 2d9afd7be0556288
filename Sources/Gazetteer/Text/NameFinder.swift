import Foundation

/// Finds the names in a running text that the table knows, whether or not they mean places.
struct NameFinder {
    private let text: String
    private let tokens: [TextToken]
    private let areas: DocumentAreas
    private let table: CityTable
    private let areaNames: AreaNames
    /// Tokens of paragraphs whose words are nearly all capitalised.
    private let headlines: IndexSet
    private var folding = NameFolding()
    /// The cities with each name that was looked up, since texts repeat their names and capitalised words.
    private var read: [NameKey: [CityTable.Candidate]] = [:]

    private static let longestName = 6
    /// A shorter name besides a place's own is mostly a code or a word of another language.
    private static let shortestAlternate = 5
    private static let smallestAlternate: Int64 = 300_000

    /// - Parameter areas: Those of the text that is searched.
    init(_ areas: DocumentAreas, _ resolver: Resolver) {
        self.areas = areas
        text = areas.text.content
        tokens = areas.text.tokens
        table = resolver.table
        areaNames = resolver.names
        headlines = tokens.headlines
    }

    /// The first `most` names, in the order of the text.
    mutating func names(most: Int) throws(GazetteerError) -> [MentionScan.Mention] {
        var names: [MentionScan.Mention] = []
        var first = 0
        while first < tokens.count, names.count < most {
            var next = first + 1
            if tokens[first].isWord, tokens[first].isCapitalised {
                for last in lastTokens(from: first).reversed() {
                    guard let found = try look(at: first...last) else { continue }
                    names.append(found)
                    next = last + 1
                    break
                }
            }
            first = next
        }
        return names
    }

    /// The tokens with which a name that begins at `first` may end.
    private func lastTokens(from first: Int) -> [Int] {
        var found = [first]
        var words = 1
        var last = first
        while last + 1 < tokens.count {
            let current = tokens[last]
            let next = tokens[last + 1]
            if next.isWord {
                guard words < Self.longestName, next.gap != .paragraph else { break }
                if current.isWord, next.gap != .space { break }
                if current.isHyphen, next.gap != .none { break }
                words += 1
                if next.isCapitalised { found.append(last + 1) }
            } else {
                guard next.gap == .none, current.isWord else { break }
                if next.sign == "." {
                    guard current.length == 1 || ["st", "ste", "mt", "ft"].contains(current.folded) else { break }
                    if current.length == 1 { found.append(last + 1) }
                } else if !next.isHyphen {
                    break
                }
            }
            last += 1
        }
        return found
    }

    private mutating func look(at span: ClosedRange<Int>) throws(GazetteerError) -> MentionScan.Mention? {
        // `St. John's, Canada` is not St. John.
        if tokens[span.upperBound].isPossessive, let whole = try look(at: span, isPossessive: true) { return whole }
        return try look(at: span, isPossessive: false)
    }

    /// - Parameter isPossessive: Whether a possessive's `'s` is part of the name.
    private mutating func look(
        at span: ClosedRange<Int>, isPossessive: Bool
    ) throws(GazetteerError) -> MentionScan.Mention? {
        var range = tokens.extent(of: span)
        if isPossessive {
            let end = text.index(range.upperBound, offsetBy: 2, limitedBy: text.endIndex) ?? text.endIndex
            range = range.lowerBound..<end
        }
        folding.fold(String(text[range]))
        guard folding.bytes.count > 1 else { return nil }
        let key = NameKey(folded: folding.bytes)
        let folded = String(decoding: folding.bytes, as: UTF8.self)
        guard !PlaceWords.never.contains(folded) else { return nil }
        var name = MentionScan.Mention(
            tokens: span, range: range, folded: folded, key: key,
            isInHeadline: headlines.contains(span.lowerBound), isPossessive: isPossessive)
        for entry in areaNames.entries(key) where isMeant(entry, by: span, folded: folded) {
            if entry.area.kind == .country {
                name.isCountry = true
            } else {
                name.isRegion = true
                if entry.area.isState { name.isState = true }
                name.regionPopulation = max(name.regionPopulation, entry.area.population)
            }
        }
        let letters = folded.utf8.count { $0 != UInt8(ascii: " ") }
        for city in try cities(named: key) {
            if city.isAlternate {
                guard letters >= Self.shortestAlternate, city.population >= Self.smallestAlternate else { continue }
            }
            name.isSmaller = true
            name.largestCity = max(name.largestCity, city.population)
        }
        if !name.isSmaller, let tail = folded.split(separator: " ").last, tail.count < folded.count,
            PlaceWords.districtTails.contains(String(tail))
        {
            name.isDistrict = try !table.districts(named: key, limit: 1).isEmpty
            name.isSmaller = name.isDistrict
        }
        // `Cooke and Love counties`
        if !name.isArea, !name.isSmaller, let kind = areas.districtLists[range.lowerBound] {
            let key = NameKey(folded: (folded + " " + kind).utf8)
            name.isDistrict = try !table.districts(named: key, limit: 1).isEmpty
            name.isSmaller = name.isDistrict
        }
        return name.isArea || name.isSmaller ? name : nil
    }

    /// The largest cities with a name.
    private mutating func cities(named key: NameKey) throws(GazetteerError) -> [CityTable.Candidate] {
        if let known = read[key] { return known }
        let found = try table.cities(named: key, limit: 5)
        read[key] = found
        return found
    }

    /// Whether the name of an area is written as its form requires.
    private func isMeant(_ entry: AreaNames.Entry, by span: ClosedRange<Int>, folded: String) -> Bool {
        switch entry.form {
        case .name: folded.utf8.count > 2 || isWrittenAsCode(span)
        case .initials: isWrittenAsCode(span) && !isShouted(span) && isASCII(span)
        case .code: entry.area.kind == .region && isRegionCode(span) && (span.count == 1 || entry.area.mayHaveStops)
        case .demonym: false
        }
    }

    /// Whether the words beside it are in capitals, too, as in `TELL US MORE`.
    private func isShouted(_ span: ClosedRange<Int>) -> Bool {
        let beside = [tokens.word(before: span.lowerBound), tokens.word(after: span.upperBound)].compactMap { $0 }
        return beside.contains { tokens[$0].isAllCaps && tokens[$0].length > 3 }
    }

    private func isASCII(_ span: ClosedRange<Int>) -> Bool {
        text[tokens.extent(of: span)].utf8.allSatisfy { $0 < 0x80 }
    }

    private func isWrittenAsCode(_ span: ClosedRange<Int>) -> Bool {
        tokens[span.lowerBound].isAllCaps || tokens[span.lowerBound].length == 1
    }

    /// Whether it is written as a region's code: after a comma and a capitalised word, in capitals or with a full stop
    /// (`, Calif.`, `, N.C.`, `, TX`), or as in `in B.C.`.
    private func isRegionCode(_ span: ClosedRange<Int>) -> Bool {
        let first = span.lowerBound
        if span.count > 3, tokens[span.upperBound].sign == ".", let before = tokens.word(before: first),
            PlaceWords.cues.contains(tokens[before].folded)
        {
            return true
        }
        guard first >= 2, tokens[first - 1].sign == ",", tokens[first - 2].isCapitalised else { return false }
        return isWrittenAsCode(span)
            || tokens.sign(at: span.upperBound + 1) == "."
                && !AreaWords.otherAbbreviations.contains(tokens[first].folded)
    }

    /// The region or country with a city of this name that follows; nil: none follows.
    func area(behind name: MentionScan.Mention) throws(GazetteerError) -> Place? {
        guard name.isSmaller, let behind = areas.largeArea(behind: name.range) else { return nil }
        for area in behind.areas where area.isLargeArea {
            let region = area.kind == .region ? area.region : nil
            if try !table.cities(named: name.key, in: area.country, region: region, limit: 1).isEmpty { return area }
        }
        return nil
    }

    /// The countries whose code in capitals follows after a comma behind a token: `B.C., MX`.
    func countryCodes(behind token: Int) -> [String] {
        guard tokens.sign(at: token + 1) == ",", token + 2 < tokens.count else { return [] }
        let code = tokens[token + 2]
        guard code.isAllCaps, code.length == 2 else { return [] }
        return areaNames.entries(NameKey(folded: code.folded.utf8))
            .filter { $0.area.kind == .country && $0.form != .demonym }.map { $0.area.country }
    }
}
