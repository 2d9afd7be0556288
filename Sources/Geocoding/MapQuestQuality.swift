import Model

/// The content of MapQuest's `geocodeQualityCode`, such as `A5XAX`
/// (<https://developer.mapquest.com/documentation/api/geocoding/quality-codes.html>).
struct MapQuestQuality {
    /// The kind of the matched place: the first letter and digit.
    enum Granularity: String {
        case point = "P1"
        case address = "L1"
        case intersection = "I1"
        case block = "B1"
        case middleBlock = "B2"
        case nearestBlock = "B3"
        case country = "A1"
        case state = "A3"
        case county = "A4"
        case city = "A5"
        case neighbourhood = "A6"
        case postcode = "Z1"
        case longPostcode = "Z2"
        case longerPostcode = "Z3"
        case smallPostcode = "Z4"

        /// The exactness of a place of this kind.
        var precision: Location.Precision {
            switch self {
            case .point, .address, .intersection, .block, .middleBlock, .nearestBlock: .point
            case .city, .neighbourhood, .postcode, .longPostcode, .longerPostcode, .smallPostcode: .city
            case .state, .county: .region
            case .country: .country
            }
        }
    }

    /// How well a part of the address matches; `X`: not asked for, or not compared.
    enum Fit: Character {
        case exact = "A"
        case good = "B"
        case approximate = "C"
        case absent = "X"

        /// The resulting confidence, 0…1. An exact match may still be a namesake.
        var confidence: Double {
            switch self {
            case .exact: 0.9
            case .good: 0.7
            case .approximate: 0.5
            case .absent: 0.3
            }
        }
    }

    /// The kind of the matched place.
    let granularity: Granularity
    /// How well the street matches.
    let street: Fit
    /// How well city, county, state and country match.
    let area: Fit
    /// How well the postcode matches.
    let postcode: Fit

    /// Fails for a code that the documentation does not list.
    init?(_ code: String) {
        let letters = Array(code.uppercased())
        guard letters.count == 5, let granularity = Granularity(rawValue: String(letters[..<2])),
            let street = Fit(rawValue: letters[2]), let area = Fit(rawValue: letters[3]),
            let postcode = Fit(rawValue: letters[4])
        else { return nil }
        self.granularity = granularity
        self.street = street
        self.area = area
        self.postcode = postcode
    }

    /// The confidence of the worst of the compared parts, 0…1.
    var confidence: Double {
        [street, area, postcode].filter { $0 != .absent }.map { $0.confidence }.min() ?? Fit.absent.confidence
    }

    /// Whether the match is approximate at best, or nothing was compared.
    var isDoubtful: Bool { confidence <= Fit.approximate.confidence }
}
