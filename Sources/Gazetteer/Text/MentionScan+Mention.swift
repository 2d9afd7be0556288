extension MentionScan {
    /// Evidence that a name is a place, weakest first.
    enum Support: Comparable {
        /// The name alone.
        case none
        /// A word that precedes places (`in`, `near`), or `-based` after the name.
        case cue
        /// The name opens the text in capitals, like a dateline.
        case dateline
        /// Its country or region follows after a comma or an opening bracket.
        case area
    }

    /// Whether the words around a name say that something is there.
    enum Standing: Sendable {
        /// The name alone: `Boston bombing`.
        case named
        /// A word such as `in` precedes, and a noun follows: `in Boston bombing`.
        case attributive
        /// A word such as `in` precedes, but the sentence is about the place from afar: `trial for the attack in
        /// Boston`.
        case afar
        /// Something is there: `bomb in the Syrian city of Idlib`.
        case situated
    }

    /// A rule by which a name is no place, or hardly one.
    enum Refusal {
        /// A common word, a team, the beginning of a longer name, what something is compared with: never a place.
        case never
        /// What the text may mean as a place all the same.
        case glued, person, organisation, wordBefore, wordBehind, commonWord
    }

    /// A name that the table knows.
    struct Mention {
        /// Indices of its first and last token.
        let tokens: ClosedRange<Int>
        /// Position of the name in the text.
        let range: Range<String.Index>
        /// The folded name.
        let folded: String
        /// Its key in the table.
        let key: NameKey
        /// Whether nearly all words of its paragraph are capitalised, so that capitals prove nothing.
        let isInHeadline: Bool
        /// Whether the name itself ends with `'s`: `St. John's`.
        let isPossessive: Bool
        /// Whether a country has this name.
        var isCountry = false
        /// Whether a first-level division has this name.
        var isRegion = false
        /// Whether one of these is a state of the USA or Australia or a province of Canada.
        var isState = false
        /// Countries by their code behind the division's comma; empty: none.
        var countriesBehind: [String] = []
        /// Inhabitants of the largest of these divisions; 0: unknown or none.
        var regionPopulation: Int64 = 0
        /// Whether a second-level division or a city has this name.
        var isSmaller = false
        /// Whether it is the name of a second-level division with its word (`Hall County`), or in a list of such (`Hall
        /// and Lake counties`).
        var isDistrict = false
        /// Inhabitants of the largest city of this name; 0: unknown or none.
        var largestCity: Int64 = 0
        /// Evidence that it is a place.
        var support = Support.none
        /// Whether the words beside it are those of a town: `City of Turkey`, `Lebanon High School`.
        var isMunicipal = false
        /// Whether a capitalised word follows that is unknown beside it: a body of a town (`Dublin Arts Council`), or
        /// something else (`Paris Hilton`).
        var isBeforeUnknown = false
        /// Whether it looks as an abbreviation of something else: `URI`.
        var isAcronym = false
        /// The country or region behind its comma, if the table has a city of the name there.
        var area: Place?
        /// The distance that the text measures from it.
        var distance: MeasuredDistance?
        /// Whether it stands behind the comma of a name from which a distance is measured: `5 km N of Amboy, Washington`.
        var isBehindMeasured = false

        /// The rule by which it is hardly a place; nil: none.
        var refusal: Refusal?
        /// What the words before and behind it tell.
        var before: PlaceFeature?, behind: PlaceFeature?
        /// Whether it is better known as a given or family name.
        var isGivenName = false, isFamilyName = false
        /// How common it is as a word of the text's language, where the rule for such words refuses it.
        var commonness = 0.0

        /// Whether it is a country or region.
        var isArea: Bool { isCountry || isRegion }
        /// Whether it is a country, a district with its word, or a region known well enough to stand beside unknown words;
        /// Lima and Sofia are regions because of their city.
        var isKnownArea: Bool {
            isCountry || isDistrict || isRegion && (largestCity == 0 || largestCity * 5 < regionPopulation)
        }
        /// Whether it is a single word.
        var isSingleWord: Bool { !folded.contains(" ") }
    }
}
