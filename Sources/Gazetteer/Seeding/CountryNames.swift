import Foundation

/// Countries with their names in English and in their own languages, from Foundation's ICU data, and with further names
/// and codes of news and messages.
enum CountryNames {
    /// ISO 3166-1 alpha-2 codes, and GeoNames' `XK` for Kosovo.
    static let codes = """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW \
        BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI \
        FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN \
        IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME \
        MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF \
        PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV \
        SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK \
        YE YT ZA ZM ZW
        """.split(separator: " ").map { String($0) }

    /// The parts of the United Kingdom.
    static let britishNations = ["England", "Scotland", "Wales", "Northern Ireland"]

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
            guard let english = shortNames[code] ?? name(of: code, in: "en") else { continue }
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
    private static let shortNames = [
        "CD": "Democratic Republic of the Congo", "CG": "Republic of the Congo", "CN": "China", "HK": "Hong Kong",
        "MM": "Myanmar", "MO": "Macao", "TR": "Turkey",
    ]

    private static let otherCodes = [
        "AE": ["UAE"], "CD": ["DRC"], "GB": ["UK"], "KP": ["DPRK"], "PG": ["PNG"], "US": ["USA"],
    ]

    private static let otherNames = [
        "AE": ["Emirates"],
        "BA": ["Bosnia", "Bosnia-Hercegovina"],
        "BN": ["Brunei Darussalam"],
        "BO": ["Plurinational State of Bolivia"],
        "BS": ["Bahamas"],
        "CD": ["DR Congo", "D.R. Congo", "Congo-Kinshasa", "Democratic Republic of Congo", "Congo", "Zaire"],
        "CG": ["Congo-Brazzaville", "Congo Republic", "Republic of Congo", "Congo"],
        "CI": ["Ivory Coast", "Cote d'Ivoire"],
        "CN": ["People's Republic of China", "Mainland China", "中国", "中國"],
        "CV": ["Cabo Verde"],
        "CZ": ["Czech Republic"],
        "FK": ["Falklands", "Malvinas"],
        "FM": ["Federated States of Micronesia"],
        "GB": ["Britain", "Great Britain", "United Kingdom of Great Britain and Northern Ireland"],
        "GM": ["The Gambia"],
        "IE": ["Republic of Ireland", "Eire"],
        "IR": ["Islamic Republic of Iran"],
        "KP": ["Democratic People's Republic of Korea"],
        "KR": ["Republic of Korea"],
        "LA": ["Lao", "Lao PDR"],
        "LC": ["Saint Lucia"],
        "MK": ["Macedonia", "FYROM"],
        "MM": ["Burma"],
        "MO": ["Macau"],
        "NL": ["Holland"],
        "PS": ["Palestine", "Palestinian Territory", "Occupied Palestinian Territories"],
        "RU": ["Russian Federation"],
        "SY": ["Syrian Arab Republic"],
        "SZ": ["Swaziland"],
        "TL": ["East Timor"],
        "TR": ["Turkiye"],
        "TW": ["Republic of China"],
        "TZ": ["United Republic of Tanzania"],
        "US": ["United States of America", "America", "United States"],
        "VA": ["Vatican", "Holy See"],
        "VE": ["Bolivarian Republic of Venezuela"],
        "VG": ["British Virgin Islands"],
        "VI": ["US Virgin Islands"],
        "VN": ["Viet Nam"],
        "XK": ["Kosovo"],
    ]
}
