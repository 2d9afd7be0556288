import Foundation

/// Builds answers in the formats of MapQuest and Nominatim.
enum GeocoderDocument {
    /// The answer to a text; without places, the service's answer to unknown text.
    static func answer(_ places: [GeocoderScript.Place], to text: String, by service: GeocoderScript.Service) -> Data {
        switch service {
        case .mapquest:
            return mapquest(0, [], asked: text, places.isEmpty ? [middleOfTheUSA] : places.map { location($0) })
        case .nominatim:
            return data(places.enumerated().map { number, place in self.place(place, number: number) })
        }
    }

    /// An error inside HTTP 200.
    static func error(_ code: Int, _ message: String, by service: GeocoderScript.Service) -> Data {
        switch service {
        case .mapquest:
            return mapquest(code, [message], asked: "", [])
        case .nominatim:
            let error: [String: Any] = ["code": code, "message": message]
            return data(["error": error])
        }
    }

    /// An HTML page with a title.
    static func page(_ title: String) -> Data {
        Data("<html>\n<head>\n<title>\(title)</title>\n</head>\n<body>\n<h1>\(title)</h1>\n</body>\n</html>\n".utf8)
    }

    // Callers pass dictionaries, arrays, texts and numbers only, which always serialize.
    private static func data(_ object: Any) -> Data {
        (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data()
    }
}

// MARK: - MapQuest

extension GeocoderDocument {
    private static func mapquest(
        _ status: Int, _ messages: [String], asked: String, _ locations: [[String: Any]]
    ) -> Data {
        let copyright = ["text": "scripted", "imageUrl": "http://example.org/logo.gif", "imageAltText": "scripted"]
        let info: [String: Any] = ["statuscode": status, "copyright": copyright, "messages": messages]
        let options: [String: Any] = ["maxResults": 10, "thumbMaps": false, "ignoreLatLngInput": false]
        let result: [String: Any] = ["providedLocation": ["location": asked], "locations": locations]
        let document: [String: Any] = ["info": info, "options": options, "results": [result]]
        return data(document)
    }

    /// MapQuest's answer to gibberish.
    private static var middleOfTheUSA: [String: Any] {
        location(.init("", latitude: 39.78373, longitude: -100.445882, country: "US", kind: .country))
    }

    private static func location(_ place: GeocoderScript.Place) -> [String: Any] {
        let (code, quality): (String, String) =
            switch place.kind {
            case .city: ("A5XAX", "CITY")
            case .county: ("A4XAX", "COUNTY")
            case .state: ("A3XAX", "STATE")
            case .country: ("A1XAX", "COUNTRY")
            case .street: ("B1AAX", "STREET")
            }
        let point = ["lat": place.latitude, "lng": place.longitude]
        return [
            "street": place.kind == .street ? place.name : "", "adminArea6": "", "adminArea6Type": "Neighborhood",
            "adminArea5": place.kind == .city ? place.name : "", "adminArea5Type": "City",
            "adminArea4": place.kind == .county ? place.name : "", "adminArea4Type": "County",
            "adminArea3": place.region, "adminArea3Type": "State", "adminArea1": place.country,
            "adminArea1Type": "Country", "postalCode": "", "geocodeQualityCode": code, "geocodeQuality": quality,
            "dragPoint": false, "sideOfStreet": "N", "linkId": "0", "unknownInput": "", "type": "s", "latLng": point,
            "displayLatLng": point,
        ]
    }
}

// MARK: - Nominatim

extension GeocoderDocument {
    private static func place(_ place: GeocoderScript.Place, number: Int) -> [String: Any] {
        let (category, type, rank, level): (String, String, Int, String) =
            switch place.kind {
            case .city: ("boundary", "administrative", 16, "city")
            case .county: ("boundary", "administrative", 12, "county")
            case .state: ("boundary", "administrative", 8, "state")
            case .country: ("boundary", "administrative", 4, "country")
            case .street: ("highway", "residential", 26, "road")
            }
        var address = [level: place.name, "country_code": place.country.lowercased()]
        if !place.region.isEmpty { address["ISO3166-2-lvl4"] = "\(place.country)-\(place.region)" }
        let (latitude, longitude) = ("\(place.latitude)", "\(place.longitude)")
        return [
            "place_id": 1000 + number, "licence": "scripted", "osm_type": "relation", "osm_id": 1 + number,
            "lat": latitude, "lon": longitude, "category": category, "type": type, "place_rank": rank,
            "importance": place.importance, "addresstype": level, "name": place.name, "display_name": place.name,
            "address": address, "boundingbox": [latitude, latitude, longitude, longitude],
        ]
    }
}
