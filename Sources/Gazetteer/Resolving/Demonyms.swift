/// English adjectives and nouns for the people and things of a country.
///
/// They stand for the country as a whole, so no place in it is looked for, but are evidence of where a story is.
enum Demonyms {
    /// Words by code of the country or region, plural forms included.
    static var all: [(code: String, names: [String])] { WordFile("demonyms").namesByCode("demonyms") }
}
