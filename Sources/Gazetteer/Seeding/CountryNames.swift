import Foundation

/// Countries with their names in English and in their own languages, from Foundation's ICU data, and with further names
/// and codes of news and messages.
enum CountryNames {
    private static let file = WordFile("countries")

    /// ISO 3166-1 alpha-2 codes, and GeoNames' `XK` for Kosovo.
    static let codes = file.words("country codes")

    /// The parts of the United Kingdom.
    static let britishNations = file.words("British nations")

    /// A country with all its known names; nil for an unknown code.
    static func country(_ code: String) -> AreaRecord? { all[code] }

    /// Names in the languages that countryInfo lists (`de-CH,fr-CH,it-CH,rm`).
    static func names(of code: String, inLanguages list: String) -> [String] {
        let languages = list.split(separator: ",").compactMap { $0.split(separator: "-").first.map { String($0) } }
        return Set(languages).sorted().flatMap { name(of: code, in: $0).map(variants) ?? [] }
    }

    private static let all: [String: AreaRecord] = {
        let languages = languagesByCountry()
        var countries: [String: AreaRecord] = [:]
        for code in codes {
            guard let english = shortNames[code]?.first ?? name(of: code, in: "en") else { continue }
            var names = variants(english)
            if let icu = name(of: code, in: "en") { names += variants(icu) }
            for language in languages[code] ?? [] { names += name(of: code, in: language).map(variants) ?? [] }
            names += otherNames[code] ?? []
            countries[code] = AreaRecord(
                kind: .country, code: code, name: english, otherNames: names, abbreviations: otherCodes[code] ?? [])
        }
        return countries
    }()

    /// The languages of a country in ICU, in the notation of `Locale`: `fr`, `zh_Hans`.
    private static func languagesByCountry() -> [String: [String]] {
        var languages: [String: Set<String>] = [:]
        for identifier in Locale.availableIdentifiers {
            let parts = identifier.split(separator: "_")
            guard parts.count > 1, let country = parts.last, country.count == 2 else { continue }
            languages[String(country), default: []].insert(parts.dropLast().joined(separator: "_"))
        }
        return languages.mapValues { $0.sorted() }
    }

    /// Nil if ICU has no name and returns the code.
    private static func name(of code: String, in language: String) -> String? {
        let name = Locale(identifier: language).localizedString(forRegionCode: code)
        return name == code ? nil : name
    }

    /// The name, also with `and` for `&`, and without a part in parentheses: `Myanmar (Burma)`.
    private static func variants(_ name: String) -> [String] {
        var names = [name]
        if name.contains(" & ") { names.append(name.replacingOccurrences(of: " & ", with: " and ")) }
        if let bracket = name.firstIndex(of: "("), bracket > name.startIndex { names.append(String(name[..<bracket])) }
        return names
    }

    /// Common names of countries whose ICU name is unusual.
    private static let shortNames = file.table("short names")
    private static let otherCodes = file.table("other codes")
    private static let otherNames = file.table("other names")
}
