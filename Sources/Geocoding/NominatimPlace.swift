import Model
import Reading

/// One place of a Nominatim answer in the format `jsonv2` or the older `json`
/// (<https://nominatim.org/release-docs/latest/api/Output/>).
struct NominatimPlace {
    private let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// The place as an offer for the question.
    func offer(to query: PlaceQuery) -> Offer {
        guard let latitude = number("lat"), let longitude = number("lon"),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude), !coordinate.isNowhere
        else { return .unfit(reason: "no position") }
        let address = value["address"]
        let area = address?.members.filter { member in !(member.key == "road" || member.key == "house_number") }
        let areas = (area ?? []).prefix(40).compactMap { $0.value.string.map { HTMLText.bounded($0, 300) } }
        let country = address?["country_code"]?.string?.uppercased()
        let precision: Location.Precision
        switch size {
        case .precision(let known): precision = known
        case .small:
            // Farms and localities have names such as Nowhere and Everywhere; they count only if the country is known.
            guard query.context.country != nil else { return .unfit(reason: "doubtful match") }
            precision = .city
        case .street:
            let road = HTMLText.bounded(address?["road"]?.string ?? name, 300)
            guard NamedWords.share(road, query.text, besides: areas) else {
                return .unfit(reason: "doubtful match")
            }
            precision = .point
        case .unfit: return .unfit(reason: "not a settlement or an area")
        case .tooLarge: return .unfit(reason: "larger than a country")
        }
        let importance = number("importance")
        return .place(
            Candidate(
                coordinate: coordinate, precision: precision, confidence: Self.confidence(importance), name: name,
                areas: areas, country: country, regions: regions(of: country), weight: importance, placeID: placeID,
                names: [text("display_name") ?? ""]))
    }

    /// Confidence, 0.4…0.9, from importance, which measures how well-known a place is (0…1, before 2022 up to 1.2).
    private static func confidence(_ importance: Double?) -> Double { min(0.9, 0.4 + max(0, importance ?? 0) / 2) }
}

// MARK: - Size

extension NominatimPlace {
    /// The size of a place, for what it can be the answer to.
    private enum Size {
        /// A settlement, an area or a mountain.
        case precision(Location.Precision)
        /// Smaller than a hamlet.
        case small
        /// A street or a house.
        case street
        /// Something else with a name: a shop, a stream.
        case unfit
        /// An ocean or a continent.
        case tooLarge
    }

    private static let islands: Set<String> = ["archipelago", "island", "region"]
    private static let mountains: Set<String> = ["peak", "volcano"]

    /// The size by main tag and search rank (<https://nominatim.org/release-docs/latest/customize/Ranking/>).
    private var size: Size {
        let category = text("category") ?? text("class") ?? ""
        let type = text("type") ?? ""
        if category == "natural" { return Self.mountains.contains(type) ? .precision(.point) : .unfit }
        let isStreet = category == "highway" || category == "building"
        guard category == "place" || (category == "boundary" && type == "administrative") || isStreet else {
            return .unfit
        }
        guard let rank = number("place_rank") ?? Self.rank(ofType: category == "place" ? type : "") else {
            return .unfit
        }
        if rank >= 26 { return .street }
        if isStreet { return .unfit }
        if category == "place", Self.islands.contains(type) { return .precision(.region) }
        switch rank {
        case ..<4: return .tooLarge
        case ..<5: return .precision(.country)
        // Berlin and Paris are also divisions.
        case ..<13: return .precision(["city", "town"].contains(text("addresstype")) ? .city : .region)
        case ..<21: return .precision(.city)
        default: return .small
        }
    }

    /// The search rank by type, for the older format, which has no rank; from Nominatim's settings/address-levels.json.
    private static func rank(ofType type: String) -> Double? {
        switch type {
        case "country": 4
        case "state", "province": 8
        case "county", "district": 12
        case "city", "municipality", "town", "village", "suburb", "hamlet", "island": 16
        case "house": 30
        default: nil
        }
    }

    private var name: String {
        if let name = text("name"), !name.isEmpty { return name }
        return String((text("display_name") ?? "").prefix { $0 != "," })
    }

    /// The id, such as `osm:node/123`; nil for postcodes, which have none.
    private var placeID: String? {
        guard let type = text("osm_type"), ["node", "way", "relation"].contains(type), let id = number("osm_id"),
            let whole = Int64(exactly: id)
        else { return nil }
        return "osm:\(type)/\(whole)"
    }

    /// The second parts of the ISO 3166-2 codes on all levels: `NM` of `"ISO3166-2-lvl4": "US-NM"`.
    private func regions(of country: String?) -> Set<String> {
        guard let country, let address = value["address"] else { return [] }
        var regions: Set<String> = []
        for (key, value) in address.members where key.string.hasPrefix("ISO3166-2") {
            if let code = value.string?.uppercased(), code.hasPrefix("\(country)-") {
                regions.insert(String(code.dropFirst(country.count + 1)))
            }
        }
        return regions
    }
}

// MARK: - Fields

extension NominatimPlace {
    private func text(_ key: StaticString) -> String? {
        // No place has a longer name, and the comparison of words takes quadratic time.
        value[key]?.string.map { HTMLText.bounded($0, 1_000) }
    }

    /// A number, possibly written as a string.
    private func number(_ key: StaticString) -> Double? {
        value[key].flatMap { $0.double ?? $0.string.flatMap { NumberReader.double($0) } }
    }
}
