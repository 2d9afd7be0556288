import Foundation
import Model
import Store

extension ReadAPI {
    /// The events of a document for Google Earth when no `limit` is given, and the most.
    private static let (usualPlacemarks, mostPlacemarks) = (500, 2_000)

    /// The newest events as KML. It takes the conditions of items; without `located` those with a coordinate come.
    func kml(_ request: APIRequest, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        var query = try EventParameters.query(&parameters, in: nil)
        let limit = try parameters.takeLimit(atMost: Self.mostPlacemarks, usual: Self.usualPlacemarks)
        try parameters.end()
        query.isLocated = query.isLocated ?? true
        let asked = query
        return validated(request, version(of: asked, now: now), form: "kml", selecting: asked) { store, _ in
            var document = KMLDocument(asked, limit: limit)
            return APIAnswer(headers: [("content-type", MediaType.kml)], body: try document.body(from: store))
        }
    }

    /// A KML document that makes a program load `/events.kml` each minute and for each place that it shows. It
    /// takes the parameters of that address but `bbox`, which the program gives. A `limit` above the most is refused,
    /// since nobody would see that fewer come.
    func networkLink(_ request: APIRequest, from store: EventStore) throws -> APIAnswer {
        var parameters = try Parameters(request)
        try parameters.refuse("bbox", accepted: "no value here, since the view on the map gives it")
        let asked = try EventParameters.query(&parameters, in: nil)
        _ = try parameters.takeWhole("limit", in: 1...Int64(Self.mostPlacemarks))
        try parameters.end()
        try checkNames(of: asked, in: store)
        let items = parameters.items
        return try validated(request, "network-link", form: "kml") {
            let query = items.isEmpty ? "" : "?" + QueryItem.query(of: items)
            let address = XMLText.element("href", "\(request.base)/events.kml\(query)")
            let text = """
                \(KMLWriter.start)<NetworkLink><name>Events</name><flyToView>0</flyToView><Link>\(address)\
                <refreshMode>onInterval</refreshMode><refreshInterval>60</refreshInterval>\
                <viewRefreshMode>onStop</viewRefreshMode><viewRefreshTime>1</viewRefreshTime>\
                <viewFormat>bbox=[bboxWest],[bboxSouth],[bboxEast],[bboxNorth]</viewFormat></Link></NetworkLink></kml>

                """
            return APIAnswer(text, type: MediaType.kml)
        }
    }
}
