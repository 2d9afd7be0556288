/// Common knowledge about words, to tell a place's name from a word, a person or an organisation: the lists of
/// `places.txt` and `names.txt`, and (`PlaceWords+Organisations`) of `organisations.txt`.
///
/// All words are folded (`NameFolding`). The lists reflect English-language news in general, with some words of
/// neighbouring languages; no name is there for a single text.
enum PlaceWords {
    private static let file = WordFile("places")
    private static let names = WordFile("names")

    /// Common words that are also places: each needs a place word before it, or its country or region after it.
    static let common = file.folded("common")

    /// Words that are no place in running text, whatever the table has: calendar, languages, pronouns, firms.
    static let never = file.folded("never")

    /// Given names common in the news.
    static let givenNames = names.folded("given names")

    /// Family names that are also towns.
    static let familyNames = names.folded("family names")

    /// Family names behind a name that is a given name then: `Indiana Jones`.
    static let surnames = familyNames.union(names.folded("surnames"))

    /// Words that begin a sentence and are not part of a name.
    static let functionWords = file.folded("function words")

    /// Words that precede places.
    static let cues = file.folded("cues")

    /// Those of `cues` that tell where somebody is going to or coming from.
    static let motion = file.folded("motion")

    /// Words of saying and of reason: a sentence with one speaks of a place from afar.
    static let reporting = file.folded("reporting")

    /// Verbs of what an event does, in headlines: `Bus crash in Mosul kills two`.
    static let outcomes = file.folded("outcomes")

    /// Words behind the number of those whom an event hit.
    static let losses = file.folded("losses")

    /// Words for a populated place.
    static let settlements = file.folded("settlements")

    /// Words before a name for a part of the place.
    static let directions = areaDirections.union(file.folded("text directions"))

    /// Those of `directions` that may be part of an area's name.
    static let areaDirections = file.folded("directions")

    /// Words in small letters within a name, before its next capitalised word.
    static let particles = file.folded("particles")

    /// Adjectives of areas larger or smaller than a country, besides `Demonyms`; not part of the name that follows.
    static let adjectives = file.folded("adjectives")

    /// Titles and offices, which precede a person's name.
    static let titles = file.folded("titles")

    /// Words after a name that make it something that may be elsewhere (`London Road`).
    static let features = file.folded("features")

    /// Words after a name that leave it a place: its police, its mayor, its airport; also days and months.
    static let publicBodies = file.folded("public bodies")

    /// Abbreviations whose full stop does not end a sentence.
    static let abbreviations = file.folded("abbreviations")

    /// The last words of districts' names.
    static let districtTails = file.folded("district tails")

    /// Verbs behind the name of a speaker: `Edison said`.
    static let speaking = file.folded("speaking")

    /// What two things have in common that are compared: `twice the population of Lyon`.
    static let measures = file.folded("measures")

    /// Words before `measures` for how often one is in the other.
    static let multiples = file.folded("multiples")

    /// Adjectives of comparisons: `as large as Paris`.
    static let sizes = file.folded("sizes")

    /// Second parts of words such as `London-based`, in which the name remains a place.
    static let hyphenTails = file.folded("hyphen tails")

    /// Those of `hyphenTails` that tell where somebody or something comes from.
    static let originTails = file.folded("origin tails")

    /// Words behind a bare name for those who come from there: `Boston man`.
    static let people = file.folded("people")

    /// Words before `in` for what was there long ago: `born in`.
    static let pasts = file.folded("pasts")

    /// Words before what else happens: `as talks resume in Cairo`.
    static let circumstances = file.folded("circumstances")
}
