/// A state or province whose name and abbreviations are built in.
public struct StateName: Sendable, Hashable {
    /// ISO 3166-1 alpha-2 code of its country: `US`, `CA` or `AU`.
    public let country: String
    /// GeoNames' admin1 code: letters in the USA, two digits in Canada and Australia.
    public let code: String
    /// The English name.
    public let name: String
    /// Further names, such as `Labrador`; mostly empty.
    public let otherNames: [String]
    /// The postal code, then abbreviations of newspapers (Associated Press and Canadian Press styles); never empty.
    /// Abbreviations that fold to the same (`N.Y.` and `NY`) stand once.
    public let abbreviations: [String]

    /// Code of the area in the city table, country and code with a full stop: `US.CA`.
    public var areaCode: String { "\(country).\(code)" }
}

/// The states of the USA and Australia and the provinces of Canada. Datelines and messages write their abbreviations
/// after cities, and MaxMind's table shares their codes with GeoNames.
public enum StateNames {
    /// All states, by country: USA, Canada, Australia; built in, not read from a table.
    public static let all: [StateName] = unitedStates + canada + australia

    /// ISO 3166-1 alpha-2 codes of the countries whose region codes in MaxMind's table are GeoNames' (after
    /// `geoNamesCode`).
    public static let countries: Set<String> = ["US", "CA", "AU"]

    /// GeoNames' admin1 code for a postal code in a country, both in upper case (`ON` in `CA` is `08`); nil if there is
    /// none.
    public static func geoNamesCode(country: String, postal: String) -> String? {
        all.first { $0.country == country && $0.abbreviations.first == postal }?.code
    }

    private static func state(
        _ country: String, _ code: String, _ name: String, _ abbreviations: [String], also otherNames: [String] = []
    ) -> StateName {
        StateName(country: country, code: code, name: name, otherNames: otherNames, abbreviations: abbreviations)
    }

    private static let unitedStates = [
        state("US", "AL", "Alabama", ["AL", "Ala."]),
        state("US", "AK", "Alaska", ["AK"]),
        state("US", "AZ", "Arizona", ["AZ", "Ariz."]),
        state("US", "AR", "Arkansas", ["AR", "Ark."]),
        state("US", "CA", "California", ["CA", "Calif.", "Cal."]),
        state("US", "CO", "Colorado", ["CO", "Colo."]),
        state("US", "CT", "Connecticut", ["CT", "Conn."]),
        state("US", "DE", "Delaware", ["DE", "Del."]),
        state("US", "DC", "Washington, D.C.", ["DC"], also: ["District of Columbia"]),
        state("US", "FL", "Florida", ["FL", "Fla."]),
        state("US", "GA", "Georgia", ["GA"]),
        state("US", "HI", "Hawaii", ["HI"]),
        state("US", "ID", "Idaho", ["ID"]),
        state("US", "IL", "Illinois", ["IL", "Ill."]),
        state("US", "IN", "Indiana", ["IN", "Ind."]),
        state("US", "IA", "Iowa", ["IA"]),
        state("US", "KS", "Kansas", ["KS", "Kan.", "Kans."]),
        state("US", "KY", "Kentucky", ["KY"]),
        state("US", "LA", "Louisiana", ["LA"]),
        state("US", "ME", "Maine", ["ME"]),
        state("US", "MD", "Maryland", ["MD"]),
        state("US", "MA", "Massachusetts", ["MA", "Mass."]),
        state("US", "MI", "Michigan", ["MI", "Mich."]),
        state("US", "MN", "Minnesota", ["MN", "Minn."]),
        state("US", "MS", "Mississippi", ["MS", "Miss."]),
        state("US", "MO", "Missouri", ["MO"]),
        state("US", "MT", "Montana", ["MT", "Mont."]),
        state("US", "NE", "Nebraska", ["NE", "Neb.", "Nebr."]),
        state("US", "NV", "Nevada", ["NV", "Nev."]),
        state("US", "NH", "New Hampshire", ["NH"]),
        state("US", "NJ", "New Jersey", ["NJ"]),
        state("US", "NM", "New Mexico", ["NM", "N. Mex."]),
        state("US", "NY", "New York", ["NY"], also: ["New York State"]),
        state("US", "NC", "North Carolina", ["NC"]),
        state("US", "ND", "North Dakota", ["ND", "N. Dak."]),
        state("US", "OH", "Ohio", ["OH"]),
        state("US", "OK", "Oklahoma", ["OK", "Okla."]),
        state("US", "OR", "Oregon", ["OR", "Ore.", "Oreg."]),
        state("US", "PA", "Pennsylvania", ["PA", "Penn."]),
        state("US", "RI", "Rhode Island", ["RI"]),
        state("US", "SC", "South Carolina", ["SC"]),
        state("US", "SD", "South Dakota", ["SD", "S. Dak."]),
        state("US", "TN", "Tennessee", ["TN", "Tenn."]),
        state("US", "TX", "Texas", ["TX", "Tex."]),
        state("US", "UT", "Utah", ["UT"]),
        state("US", "VT", "Vermont", ["VT"]),
        state("US", "VA", "Virginia", ["VA"]),
        state("US", "WA", "Washington", ["WA", "Wash."], also: ["Washington State"]),
        state("US", "WV", "West Virginia", ["WV", "W.Va.", "W. Va."]),
        state("US", "WI", "Wisconsin", ["WI", "Wis.", "Wisc."]),
        state("US", "WY", "Wyoming", ["WY", "Wyo."]),
    ]

    private static let canada = [
        state("CA", "01", "Alberta", ["AB", "Alta."]),
        state("CA", "02", "British Columbia", ["BC"]),
        state("CA", "03", "Manitoba", ["MB", "Man."]),
        state("CA", "04", "New Brunswick", ["NB"]),
        state(
            "CA", "05", "Newfoundland and Labrador", ["NL", "Nfld.", "NF"],
            also: ["Newfoundland", "Labrador", "Newfoundland & Labrador"]),
        state("CA", "13", "Northwest Territories", ["NT", "NWT"]),
        state("CA", "07", "Nova Scotia", ["NS"]),
        state("CA", "14", "Nunavut", ["NU"]),
        state("CA", "08", "Ontario", ["ON", "Ont."]),
        state("CA", "09", "Prince Edward Island", ["PE", "PEI"]),
        state("CA", "10", "Quebec", ["QC", "Que.", "PQ"]),
        state("CA", "11", "Saskatchewan", ["SK", "Sask."]),
        state("CA", "12", "Yukon", ["YT"], also: ["Yukon Territory"]),
    ]

    private static let australia = [
        state("AU", "01", "Australian Capital Territory", ["ACT"]),
        state("AU", "02", "New South Wales", ["NSW"]),
        state("AU", "03", "Northern Territory", ["NT"]),
        state("AU", "04", "Queensland", ["QLD"]),
        state("AU", "05", "South Australia", ["SA"]),
        state("AU", "06", "Tasmania", ["TAS"]),
        state("AU", "07", "Victoria", ["VIC"]),
        state("AU", "08", "Western Australia", ["WA"]),
    ]
}
