/// Names of areas that English-language news uses and official lists lack.
enum AreaAliases {
    /// Other names of countries and regions, by code.
    static let names: [(code: String, names: [String])] = [
        ("AE", ["Emirates"]),
        ("AX", ["Åland"]),
        ("CD", ["DR Congo", "Congo", "Congo-Kinshasa"]),
        ("CG", ["Congo-Brazzaville"]),
        ("CI", ["Côte d'Ivoire"]),
        ("CN", ["People's Republic of China"]),
        ("CV", ["Cabo Verde"]),
        ("CZ", ["Czechia"]),
        ("FM", ["Federated States of Micronesia"]),
        ("GB", ["Britain", "Great Britain"]),
        ("GS", ["South Georgia"]),
        ("IE", ["Republic of Ireland"]),
        ("KP", ["Democratic People's Republic of Korea"]),
        ("KR", ["Republic of Korea"]),
        ("LA", ["Lao PDR"]),
        ("MK", ["North Macedonia"]),
        ("MM", ["Burma"]),
        ("MO", ["Macau"]),
        ("NL", ["Holland"]),
        ("PS", ["Palestine", "Palestinian Territories"]),
        ("RU", ["Russian Federation"]),
        ("SX", ["St. Maarten"]),
        ("SY", ["Syrian Arab Republic"]),
        ("SZ", ["Eswatini"]),
        ("TL", ["Timor-Leste"]),
        ("TR", ["Türkiye"]),
        ("US", ["America", "United States of America"]),
        ("VA", ["Vatican City", "Holy See"]),
        ("VI", ["US Virgin Islands", "Virgin Islands"]),
        ("VN", ["Viet Nam"]),
        ("AU.01", ["Australian Capital Territory"]),
        ("CA.05", ["Newfoundland"]),
        ("DE.08", ["Rhineland-Palatinate"]),
        ("ES.54", ["Castile-La Mancha"]),
        ("ES.55", ["Castile and León"]),
        ("US.DC", ["District of Columbia", "Washington DC"]),
    ]

    /// Names that are initials. Running text writes them without lower-case letters; `us` is a pronoun.
    static let initials: [(code: String, names: [String])] = [
        ("AE", ["UAE"]), ("CD", ["DRC"]), ("CN", ["PRC"]), ("GB", ["UK"]), ("KP", ["DPRK"]), ("NZ", ["NZ"]),
        ("US", ["US", "USA"]),
    ]

    /// Former countries that stand in lists; their names are parts of other names.
    static let formerCountries: Set<String> = ["AN", "CS"]
}
