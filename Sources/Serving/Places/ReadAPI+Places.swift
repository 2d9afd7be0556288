import Gazetteer
import Model
import Reading

extension ReadAPI {
    /// The most places of an answer.
    private static let mostPlaces = 1000
    /// The longest text of `q`, in characters.
    private static let longestName = 100

    /// Answers `/basemap/places`: cities of the city table as labels of a map, or by the beginning of their name.
    func basemapPlaces(_ request: APIRequest) throws -> Reply {
        var parameters = try Parameters(request)
        let box = try EventParameters.box(&parameters)
        let accepted = "the beginning of a name, up to \(Self.longestName) characters"
        let beginning = try parameters.take("q", accepted: accepted) { text in
            text.unicodeScalars.count <= Self.longestName ? text : nil
        }
        let limit = try parameters.takeLimit(atMost: Self.mostPlaces)
        try endJSON(&parameters)
        return .read { _ in
            let found = try cities(in: box, beginning: beginning, limit: limit)
            return try validated(
                request, "places.\(found.generation)", form: "places", cacheControl: "max-age=600"
            ) { APIAnswer(Self.json(found), type: MediaType.json) }
        }
    }

    private func cities(in box: BoundingBox?, beginning: String?, limit: Int) throws -> MapPlaces.Answer {
        guard let places else { throw Self.notSeeded }
        do {
            return try places.cities(in: box, beginning: beginning, limit: limit)
        } catch let error as GazetteerError {
            // The message names the path.
            guard error.code != .notSeeded else { throw Self.notSeeded }
            throw Self.unreadableTable
        }
    }

    static let unreadableTable = Problem.unavailable(
        "the city table cannot be read; visiventd geocode says why")

    private static let notSeeded = Problem.missing(
        "there is no city table, so no places are known; seed one with: visiventd seed cities FILE")

    /// `[longitude, latitude, population, "name", "country"]` for each.
    private static func json(_ found: MapPlaces.Answer) -> String {
        let places = found.cities.map { city in
            let (east, north) = (city.coordinate.longitude.metre, city.coordinate.latitude.metre)
            let names = "\(city.name.jsonQuoted),\(city.country.jsonQuoted)"
            return "[\(east.jsonText),\(north.jsonText),\(city.population),\(names)]"
        }
        return JSONWriter.object([
            "places": .array(places), "truncated": found.isCut, "attribution": found.attribution,
        ]) + "\n"
    }
}

extension ParameterEntry {
    /// The parameters of `/basemap/places`.
    static let ofPlaces: [ParameterEntry] =
        all.filter { $0.name == "bbox" } + [
            ParameterEntry(
                "q", #"{"type":"string","minLength":1,"maxLength":100,"pattern":"^[^\\x00]+$"}"#,
                "The beginning of a name, folded as the city table folds names"),
            ParameterEntry(
                "limit", #"{"type":"integer","minimum":1,"default":100}"#,
                "The most places, 100 by default, 1000 at most"),
            onlyJSON,
        ]
}

extension Double {
    /// Degrees to about a metre.
    fileprivate var metre: Double { (self * 1e5).rounded() / 1e5 }
}
