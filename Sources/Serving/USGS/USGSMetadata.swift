import Foundation
import Model
import Reading

/// What a GeoJSON document in the form of USGS says about itself
/// (earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php).
struct USGSMetadata: Sendable {
    /// The present minute.
    let generated: Date
    /// The address of the document.
    let url: String
    let title: String
    /// The version of the interface.
    let api: String

    /// The member `metadata` of a document with so many features.
    func json(count: Int) -> String {
        JSONWriter.object([
            "generated": .raw("\(generated.milliseconds)"), "url": url, "title": title, "status": 200, "api": api,
            "count": count,
        ])
    }
}
