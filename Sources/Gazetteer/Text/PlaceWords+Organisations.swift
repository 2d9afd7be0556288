/// Words that make a place's name that of something else: an organisation, a team, a thing.
extension PlaceWords {
    private static let organisations = WordFile("organisations")

    /// Words in lower case before a bare name that make it a ship or the like.
    static let vessels = organisations.folded("vessels")

    /// Titles and documents before `of` and a name: `Duke of Wellington`, `Treaty of Lisbon`.
    static let titleHeads = organisations.folded("title heads")

    /// Words before a name, or before `of` and a name, that make it an organisation, a ship or a sea.
    static let organisationHeads = organisations.folded("organisation heads")

    /// Words after a name that make it a newspaper, a team, a firm, a university or an agreement.
    static let organisationTails = organisations.folded("organisation tails")

    /// Words at the end of a longer name with the same effect (`Texas Christian University`).
    static let institutions = organisations.folded("institutions")

    /// Words after a name that a town has and a country has not.
    static let municipalTails = organisations.folded("municipal tails")

    /// Words after a bare name that make it a club, unless a public body follows (`Norwich City Council`).
    static let clubTails = organisations.folded("club tails")

    /// Words beside a bare name that make it a team.
    static let contests = organisations.folded("contests")

    /// Lower-case words after a bare name for things named after a place of discovery or agreement.
    static let namedAfterPlaces = organisations.folded("named after places")

    /// Countries whose names are also words; they are no place in a text that writes the word in lower case.
    static let wordCountries = organisations.folded("word countries")

    /// Things, animals and plants with the name of a place.
    static let things = organisations.folded("things")
}
