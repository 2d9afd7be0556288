/// Names of areas that English-language news uses and official lists lack.
enum AreaAliases {
    private static let file = WordFile("aliases")

    /// Other names of countries and regions, by code.
    static let names = file.namesByCode("aliases")

    /// Names that are initials. Running text writes them without lower-case letters; `us` is a pronoun.
    static let initials = file.namesByCode("initials")

    /// Former countries that stand in lists; their names are parts of other names.
    static let formerCountries = Set(file.words("former countries"))
}
