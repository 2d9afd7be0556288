import Foundation
import Model
import Reading

/// An event in the names of USGS (earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php), from which dialects write.
///
/// What only the feeds of USGS tell, such as the type of the magnitude, is read from the details that the event keeps.
struct USGSFeature: Sendable {
    let stored: StoredEvent
    private var numbers: [String: Double] = [:]
    private var texts: [String: String] = [:]

    init(_ stored: StoredEvent) {
        self.stored = stored
        guard stored.event.provider == "usgs", stored.event.details != "{}" else { return }
        let found = try? JSONParser().withValue(of: Data(stored.event.details.utf8)) {
            root throws(ReadingError) -> ([String: Double], [String: String]) in
            var numbers: [String: Double] = [:]
            var texts: [String: String] = [:]
            for (key, value) in root.members {
                if let number = value.double { numbers[key.string] = number }
                if let text = value.string, !text.isEmpty { texts[key.string] = text.safeToShow }
            }
            return (numbers, texts)
        }
        guard let found else { return }
        (numbers, texts) = found
    }

    // MARK: - What the record knows

    /// The value of a number of USGS, such as `nst`, `gap`, `rms` and `dmin`; nil: unknown.
    func number(_ name: String) -> Double? { numbers[name] }

    /// The type of the magnitude as USGS writes it, such as `mww`; nil: unknown.
    var magnitudeType: String? { texts["magType"] }

    /// The network that gave origin and magnitude, such as `us`; without one, the provider.
    var network: String { texts["net"] ?? stored.event.provider }

    /// The id of the event at its network or provider.
    var code: String { texts["code"] ?? stored.event.id }

    /// The time of the event; its first sight where the feed gives none.
    var time: Date { stored.event.time ?? stored.firstSeen }

    /// When the provider last changed the event; its last visible change where the feed does not say.
    var updated: Date { stored.event.updated ?? stored.lastChanged }

    /// The provider's word for the state; `deleted` of an event that is withdrawn.
    var status: String? { stored.withdrawal == nil ? stored.event.status : "deleted" }

    /// The kind of event with spaces: `quarry blast`.
    var type: String { String(stored.event.category.rawValue.map { $0 == "_" ? " " : $0 }) }

    // MARK: - GeoJSON

    /// The feature as one JSON object on one line, with the properties of USGS in the order of USGS; null is unknown.
    /// - Parameter base: The address of the service.
    func json(base: String) -> String {
        let event = stored.event
        var feature = JSONWriter()
        feature.member("type", "Feature")
        feature.member("properties", raw: properties(base: base))
        if let point = event.location?.coordinate {
            let position: [Double?] = [point.longitude, point.latitude, event.depth]
            let text = position.compactMap { $0?.jsonText }.joined(separator: ",")
            feature.member("geometry", raw: "{\"type\":\"Point\",\"coordinates\":[\(text)]}")
        } else {
            feature.member("geometry", raw: "null")
        }
        feature.member("id", stored.publicID)
        return feature.finish()
    }

    private func properties(base: String) -> String {
        let event = stored.event
        let item = "\(base)/collections/events/items/\(stored.publicID)"
        let isEarthquake = event.category == .earthquake && event.location != nil
        let detail = "\(base)/fdsnws/event/1/query?eventid=\(stored.publicID)&format=geojson"
        var writer = JSONWriter()
        writer.member("mag", raw: Self.real(event.magnitude))
        writer.member("place", raw: Self.json(event.place))
        writer.member("time", raw: "\(time.milliseconds)")
        writer.member("updated", raw: "\(updated.milliseconds)")
        writer.member("tz", raw: Self.json(numbers["tz"]))
        writer.member("url", XMLText.webAddress(event.link) ?? item)
        writer.member("detail", isEarthquake ? detail : item)
        writer.member("felt", raw: Self.json(numbers["felt"]))
        for name in ["cdi", "mmi"] { writer.member(name, raw: Self.real(numbers[name])) }
        writer.member("alert", raw: Self.json(texts["alert"]))
        writer.member("status", raw: Self.json(status))
        for name in ["tsunami", "sig"] { writer.member(name, raw: Self.json(numbers[name])) }
        writer.member("net", network)
        writer.member("code", code)
        // Commas part the ids, and an id of another kind of feed may have one.
        let ids = ([event.id] + event.aliases).map { $0.replacing(",", with: "%2C") + "," }
        writer.member("ids", "," + ids.joined())
        writer.member("sources", texts["sources"] ?? ",\(network),")
        writer.member("types", raw: Self.json(texts["types"]))
        writer.member("nst", raw: Self.json(numbers["nst"]))
        for name in ["dmin", "rms", "gap"] { writer.member(name, raw: Self.real(numbers[name])) }
        writer.member("magType", raw: Self.json(magnitudeType))
        writer.member("type", type)
        writer.member("title", event.title)
        return writer.finish()
    }

    /// A decimal number of USGS, always with a fraction: GDAL takes the types of columns from the first features.
    private static func real(_ number: Double?) -> String { number?.description ?? "null" }

    private static func json(_ number: Double?) -> String { number?.jsonText ?? "null" }

    private static func json(_ text: String?) -> String { text?.jsonQuoted ?? "null" }
}
