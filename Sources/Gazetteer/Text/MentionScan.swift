import Foundation
import Model

/// The names in one running text that are taken for places, judged by the words around them.
///
/// A name is the longest run of up to six words, the first and the last capitalised, that the table knows. It is taken
/// unless one of the rules of `isPlace` refuses it. Scripts without capitals are not searched.
struct MentionScan {
    /// What speaks for a name being a place, weakest first.
    enum Support: Comparable {
        /// Nothing but the name.
        case none
        /// A word before it that places follow (`in`, `near`), or `-based` after it.
        case cue
        /// It opens the text in capitals, as a dateline does.
        case dateline
        /// Its country or region follows after a comma.
        case area
    }

    /// A name that the table knows.
    struct Mention {
        /// Its first and last token.
        let tokens: ClosedRange<Int>
        /// Where it stands.
        let range: Range<String.Index>
        /// The folded name.
        let folded: String
        /// Its key in the table.
        let key: NameKey
        /// Whether (nearly) all words of its paragraph are capitalised, so that capitals tell nothing.
        let isInHeadline: Bool
        /// Whether a country has this name.
        var isCountry = false
        /// Whether a first-level division has this name.
        var isRegion = false
        /// Whether a second-level division or a city has this name.
        var isSmaller = false
        /// Inhabitants of the largest city of this name; 0: unknown, or no city.
        var largestCity: Int64 = 0
        /// What speaks for it.
        var support = Support.none

        /// Whether it is a country or region, which are known well enough to stand beside unknown names.
        var isArea: Bool { isCountry || isRegion }
        /// Whether it is one word.
        var isSingleWord: Bool { !folded.contains(" ") }
    }

    /// The names taken for places, in the order of the text.
    private(set) var places: [Mention] = []

    private let text: String
    private let tokens: [TextToken]
    private let table: CityTable
    private let areaNames: AreaNames
    private let lowercaseWords: Set<String>
    /// Tokens of paragraphs whose words are (nearly) all capitalised.
    private let headlines: IndexSet
    private var folding = NameFolding()
    private var persons: Set<String> = []
    private var namesakes: Set<String> = []
    /// Last tokens of the names found.
    private var ends: Set<Int> = []

    private static let longestName = 6
    /// A short name of a place besides its own is mostly a code or a word of another language.
    private static let shortestAlternate = 5
    private static let smallestAlternate: Int64 = 300_000
    /// Cities this large are known by name alone, whoever else has it.
    static let wellKnown: Int64 = 500_000

    /// Scans a text for `most` names.
    init(_ text: String, table: CityTable, areaNames: AreaNames, most: Int) throws(GazetteerError) {
        self.text = text
        self.table = table
        self.areaNames = areaNames
        tokens = TextToken.tokens(of: text)
        lowercaseWords = Set(tokens.lazy.filter { $0.isWord && !$0.isCapitalised }.map { $0.folded })
        headlines = Self.headlines(of: tokens)
        persons = findPersons()
        let names = try findNames(most: most)
        ends = Set(names.map { $0.tokens.upperBound })
        namesakes = Set(names.filter { isBehindName($0) }.map { $0.folded })
        let counts = Dictionary(names.map { ($0.folded, 1) }, uniquingKeysWith: +)
        for name in names where counts[name.folded, default: 0] > 1 && name.largestCity < Self.wellKnown {
            // Hideki Matsuyama, at the head of a sentence, where any word has a capital.
            if isBehindName(name, evenFirst: true) { namesakes.insert(name.folded) }
        }
        for var name in names {
            name.support = try support(of: name)
            if isPlace(name) { places.append(name) }
        }
    }

    private static func headlines(of tokens: [TextToken]) -> IndexSet {
        var found = IndexSet()
        let starts = tokens.indices.filter { tokens[$0].gap == .paragraph } + [tokens.count]
        for (start, end) in zip(starts, starts.dropFirst()) {
            let words = tokens[start..<end].filter { $0.length > 3 }
            let isHeadline = words.count > 4 && words.count(where: { $0.isCapitalised }) * 10 >= words.count * 7
            if isHeadline { found.insert(integersIn: start..<end) }
        }
        return found
    }

    // MARK: - Names

    private mutating func findNames(most: Int) throws(GazetteerError) -> [Mention] {
        var names: [Mention] = []
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

    /// Where a name that begins with this token may end.
    private func lastTokens(from first: Int) -> [Int] {
        var found = [first]
        var words = 1
        var last = first
        while last + 1 < tokens.count {
            let current = tokens[last]
            let next = tokens[last + 1]
            if current.isPossessive { break }
            if next.isWord {
                guard words < Self.longestName, next.gap != .paragraph else { break }
                if current.isWord, next.gap != .space { break }
                if Self.isHyphen(current), next.gap != .none { break }
                words += 1
                if next.isCapitalised { found.append(last + 1) }
            } else {
                guard next.gap == .none, current.isWord else { break }
                if next.sign == "." {
                    guard current.length == 1 || ["st", "ste", "mt", "ft"].contains(current.folded) else { break }
                    if current.length == 1 { found.append(last + 1) }
                } else if !Self.isHyphen(next) {
                    break
                }
            }
            last += 1
        }
        return found
    }

    private mutating func look(at span: ClosedRange<Int>) throws(GazetteerError) -> Mention? {
        let range = tokens[span.lowerBound].range.lowerBound..<tokens[span.upperBound].range.upperBound
        folding.fold(String(text[range]))
        guard folding.bytes.count > 1 else { return nil }
        let key = NameKey(folded: folding.bytes)
        let folded = String(decoding: folding.bytes, as: UTF8.self)
        guard !PlaceWords.never.contains(folded) else { return nil }
        var name = Mention(
            tokens: span, range: range, folded: folded, key: key,
            isInHeadline: headlines.contains(span.lowerBound))
        for entry in areaNames.entries(key) where isMeant(entry, by: span, folded: folded) {
            if entry.area.kind == .country { name.isCountry = true } else { name.isRegion = true }
        }
        let letters = folded.utf8.count { $0 != UInt8(ascii: " ") }
        for city in try table.cities(named: key, limit: 5) {
            if city.isAlternate {
                guard letters >= Self.shortestAlternate, city.population >= Self.smallestAlternate else { continue }
            }
            name.isSmaller = true
            name.largestCity = max(name.largestCity, city.population)
        }
        if !name.isSmaller, let tail = folded.split(separator: " ").last, tail.count < folded.count,
            PlaceWords.districtTails.contains(String(tail))
        {
            name.isSmaller = try !table.districts(named: key, limit: 1).isEmpty
        }
        return name.isArea || name.isSmaller ? name : nil
    }

    /// Whether an area's name is written as that sort of name is.
    private func isMeant(_ entry: AreaNames.Entry, by span: ClosedRange<Int>, folded: String) -> Bool {
        switch entry.form {
        case .name: folded.utf8.count > 2 || isWrittenAsCode(span)
        case .initials: isWrittenAsCode(span) && !isShouted(span) && isASCII(span)
        case .code: entry.area.kind == .region && isRegionCode(span)
        case .demonym: false
        }
    }

    /// Whether the words beside it are in capitals too, as in `TELL US MORE`.
    private func isShouted(_ span: ClosedRange<Int>) -> Bool {
        let beside = [word(before: span.lowerBound), word(after: span.upperBound)].compactMap { $0 }
        return beside.contains { tokens[$0].isAllCaps && tokens[$0].length > 3 }
    }

    private func isASCII(_ span: ClosedRange<Int>) -> Bool {
        text[tokens[span.lowerBound].range.lowerBound..<tokens[span.upperBound].range.upperBound].utf8
            .allSatisfy { $0 < 0x80 }
    }

    private func isWrittenAsCode(_ span: ClosedRange<Int>) -> Bool {
        tokens[span.lowerBound].isAllCaps || tokens[span.lowerBound].length == 1
    }

    /// `, Calif.`, `, N.C.`, `, TX`: after a comma and a capitalised word, in capitals or with a full stop; `in B.C.`.
    private func isRegionCode(_ span: ClosedRange<Int>) -> Bool {
        let first = span.lowerBound
        if span.count > 3, tokens[span.upperBound].sign == ".", let before = word(before: first),
            PlaceWords.cues.contains(tokens[before].folded)
        {
            return true
        }
        guard first >= 2, tokens[first - 1].sign == ",", tokens[first - 2].isCapitalised else { return false }
        return isWrittenAsCode(span) || sign(at: span.upperBound + 1) == "."
    }

    // MARK: - Neighbours

    private func sign(at index: Int) -> Unicode.Scalar? { tokens.indices.contains(index) ? tokens[index].sign : nil }

    /// The word before a token, over the full stop of an initial or a title; nil when a sign parts them.
    private func word(before index: Int) -> Int? {
        guard index > 0, tokens[index].gap == .space else { return nil }
        let before = tokens[index - 1]
        if before.isWord { return before.isPossessive ? nil : index - 1 }
        guard before.sign == ".", before.gap == .none, index > 1 else { return nil }
        let word = tokens[index - 2]
        return word.isWord && (word.length == 1 || PlaceWords.abbreviations.contains(word.folded)) ? index - 2 : nil
    }

    /// The word after a token; nil when a sign or a possessive parts them.
    private func word(after index: Int) -> Int? {
        guard index + 1 < tokens.count, !tokens[index].isPossessive else { return nil }
        let next = tokens[index + 1]
        return next.isWord && next.gap == .space ? index + 1 : nil
    }

    /// Words of the names of persons: what follows a title, a given name or an initial, and the given names themselves.
    private func findPersons() -> Set<String> {
        var found: Set<String> = []
        for index in tokens.indices where tokens[index].isWord && tokens[index].isCapitalised {
            guard let before = word(before: index), tokens[before].isCapitalised else { continue }
            let head = tokens[before]
            let isGiven = PlaceWords.givenNames.contains(head.folded)
            let isInitial = head.length == 1 && before == index - 2
            guard isGiven || isInitial || PlaceWords.titles.contains(head.folded) else { continue }
            let own = tokens[index].folded
            if isGiven, !PlaceWords.publicBodies.contains(own), !PlaceWords.organisationTails.contains(own),
                !PlaceWords.features.contains(own), !PlaceWords.titles.contains(own),
                !PlaceWords.functionWords.contains(own)
            {
                found.insert(head.folded)
            }
            found.insert(own)
            var last = index
            while let next = word(after: last), tokens[next].isCapitalised, next < index + 3 {
                found.insert(tokens[next].folded)
                last = next
            }
        }
        return found
    }

    // MARK: - Judging

    private mutating func support(of name: Mention) throws(GazetteerError) -> Support {
        let first = tokens[name.tokens.lowerBound]
        let end = name.tokens.upperBound
        if try isFollowedByItsArea(name) { return .area }
        if first.gap == .paragraph, first.isAllCaps, first.length > 3, end + 1 < tokens.count {
            let next = tokens[end + 1]
            if let sign = next.sign, Self.datelineSigns.contains(sign) { return .dateline }
            if next.isCapitalised, !next.isAllCaps { return .dateline }
        }
        if let before = word(before: name.tokens.lowerBound), PlaceWords.cues.contains(tokens[before].folded) {
            return .cue
        }
        if end + 2 < tokens.count, Self.isHyphen(tokens[end + 1]), tokens[end + 1].gap == .none,
            PlaceWords.hyphenTails.contains(tokens[end + 2].folded)
        {
            return .cue
        }
        return .none
    }

    /// Whether `, Region` or `, Country` follows and has a city of this name.
    private mutating func isFollowedByItsArea(_ name: Mention) throws(GazetteerError) -> Bool {
        let start = name.tokens.upperBound + 2
        guard name.isSmaller, start < tokens.count, tokens[start - 1].sign == ",", tokens[start].isCapitalised else {
            return false
        }
        for last in lastTokens(from: start).reversed() {
            folding.fold(String(text[tokens[start].range.lowerBound..<tokens[last].range.upperBound]))
            let folded = String(decoding: folding.bytes, as: UTF8.self)
            let areas = areaNames.entries(NameKey(folded: folding.bytes)).filter {
                isMeant($0, by: start...last, folded: folded)
            }
            for entry in areas {
                let region = entry.area.kind == .region ? entry.area.region : nil
                let cities = try table.cities(named: name.key, in: entry.area.country, region: region, limit: 1)
                if !cities.isEmpty { return true }
            }
            if !areas.isEmpty { return false }
        }
        return false
    }

    /// Whether a name is taken for a place.
    private func isPlace(_ name: Mention) -> Bool {
        let before = word(before: name.tokens.lowerBound).map { tokens[$0] }
        let after = word(after: name.tokens.upperBound).map { tokens[$0] }
        // `Hillary Clinton, U.S. …`
        if name.support == .area { return before.map { !isPersonal($0) } ?? true }
        if isGlued(name) { return false }
        if name.isSingleWord {
            // A word like any other, or one that this text also writes small.
            // Island is Iceland, too.
            if PlaceWords.features.contains(name.folded) || !name.isCountry && PlaceWords.common.contains(name.folded) {
                guard name.support == .cue, !name.isInHeadline else { return false }
                // `in Orange on Friday`, but neither `in Orange shops` nor `at University of`.
                if let after, after.folded == "of" || !PlaceWords.functionWords.contains(after.folded) { return false }
            }
            if !name.isCountry, lowercaseWords.contains(name.folded) { return false }
            if isPerson(name) || isNamesake(name) { return false }
        }
        if let before, before.isCapitalised, !isAcceptable(before, before: name) { return false }
        if let before, before.folded == "of", let head = word(before: name.tokens.lowerBound - 1),
            tokens[head].isCapitalised, PlaceWords.organisationHeads.contains(tokens[head].folded)
        {
            return false
        }
        if let after, after.isCapitalised, !isAcceptable(after, after: name) { return false }
        // St. Paul's Hospital
        if tokens[name.tokens.upperBound].isPossessive, name.folded.hasPrefix("st ") { return false }
        return true
    }

    /// Part of a compound (`Anglo-French`), a handle, a tag or an address.
    private func isGlued(_ name: Mention) -> Bool {
        if name.isCountry || name.support == .cue { return false }
        let first = name.tokens.lowerBound
        if tokens[first].gap == .none, let before = sign(at: first - 1), Self.glue.contains(before) { return true }
        let next = name.tokens.upperBound + 1
        guard let after = sign(at: next), tokens[next].gap == .none, Self.glue.contains(after) else { return false }
        return next + 1 < tokens.count && tokens[next + 1].gap == .none
    }

    private func isPerson(_ name: Mention) -> Bool {
        let isGiven = PlaceWords.givenNames.contains(name.folded)
        let isFamily = PlaceWords.familyNames.contains(name.folded)
        if persons.contains(name.folded), name.isArea ? isGiven || isFamily : name.support < .dateline { return true }
        guard isGiven || isFamily, !name.isCountry, name.support == .none else { return false }
        return !(isGiven && name.isRegion) && name.largestCity < Self.wellKnown
    }

    /// A bare name that elsewhere in the text stands behind a capitalised word as a family name does.
    private func isNamesake(_ name: Mention) -> Bool {
        name.support == .none && !name.isCountry && namesakes.contains(name.folded)
    }

    private func isBehindName(_ name: Mention, evenFirst: Bool = false) -> Bool {
        guard name.isSingleWord, !name.isArea, !name.isInHeadline, let before = word(before: name.tokens.lowerBound)
        else { return false }
        let head = tokens[before]
        let isPlainWord = head.startsSentence && (!evenFirst || lowercaseWords.contains(head.folded))
        guard head.isCapitalised, !head.isAllCaps, !isPlainWord, !isAcceptable(head, before: name) else {
            return false
        }
        return word(after: name.tokens.upperBound).map { !tokens[$0].isCapitalised } ?? true
    }

    /// A title, a given name or an initial.
    private func isPersonal(_ word: TextToken) -> Bool {
        guard word.isCapitalised else { return false }
        return word.length == 1 || PlaceWords.titles.contains(word.folded)
            || PlaceWords.givenNames.contains(word.folded)
    }

    private func isAcceptable(_ word: TextToken, before name: Mention) -> Bool {
        let folded = word.folded
        if PlaceWords.titles.contains(folded) { return name.isArea }
        if PlaceWords.functionWords.contains(folded) || PlaceWords.directions.contains(folded) { return true }
        let isAlsoName = PlaceWords.givenNames.contains(name.folded)
        if PlaceWords.givenNames.contains(folded) || word.length == 1 { return name.isCountry && !isAlsoName }
        if PlaceWords.organisationHeads.contains(folded) { return false }
        if name.isCountry && !isAlsoName || name.isInHeadline || isAdjective(word) { return true }
        return PlaceWords.never.contains(folded) || ends.contains(name.tokens.lowerBound - 1)
    }

    private func isAcceptable(_ word: TextToken, after name: Mention) -> Bool {
        let folded = word.folded
        if PlaceWords.publicBodies.contains(folded) || PlaceWords.functionWords.contains(folded) { return true }
        if PlaceWords.organisationTails.contains(folded) || PlaceWords.features.contains(folded) { return false }
        if PlaceWords.titles.contains(folded) || PlaceWords.directions.contains(folded) { return true }
        if name.support == .dateline || name.isInHeadline || isAdjective(word) { return true }
        return name.isArea && !PlaceWords.givenNames.contains(name.folded)
    }

    private func isAdjective(_ word: TextToken) -> Bool {
        PlaceWords.adjectives.contains(word.folded)
            || areaNames.entries(NameKey(folded: word.folded.utf8)).contains { $0.form == .demonym }
    }

    private static func isHyphen(_ token: TextToken) -> Bool {
        token.sign == "-" || token.sign == "\u{2010}" || token.sign == "\u{2011}"
    }

    private static let datelineSigns: Set<Unicode.Scalar> = ["(", ":", "-", "–", "—"]

    private static let glue: Set<Unicode.Scalar> = ["-", "\u{2010}", "\u{2011}", "@", "#", "_", "&", "\\"]
}
