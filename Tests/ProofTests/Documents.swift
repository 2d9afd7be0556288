import Foundation
import Model

/// Feeds for the proofs, built from parts that are serialized once.
enum Documents {
    /// A feature of a USGS feed; times are milliseconds since 1970.
    static func feature(_ id: String, time: Int64, updated: Int64, magnitude: Double) -> Data {
        Data(
            """
            {"type":"Feature","properties":{"mag":\(magnitude),"place":"12 km N of Somewhere, Chile","time":\(time),\
            "updated":\(updated),"tz":null,"url":"https://earthquake.usgs.gov/earthquakes/eventpage/\(id)",\
            "detail":"https://earthquake.usgs.gov/earthquakes/feed/v1.0/detail/\(id).geojson","felt":null,"cdi":null,\
            "mmi":null,"alert":null,"status":"reviewed","tsunami":0,"sig":300,"net":"us","code":"\(id)",\
            "ids":",\(id),","sources":",us,","types":",origin,phase-data,","nst":null,"dmin":null,"rms":0.5,"gap":60,\
            "magType":"mb","type":"earthquake","title":"M \(magnitude) - 12 km N of Somewhere, Chile"},\
            "geometry":{"type":"Point","coordinates":[-70.5,-20.5,12.5]},"id":"\(id)"}
            """.utf8)
    }

    /// A USGS summary feed.
    static func usgs(_ features: [Data], generated: Int64) -> Data {
        var body = Data(
            """
            {"type":"FeatureCollection","metadata":{"generated":\(generated),\
            "url":"https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_month.geojson","title":"USGS",\
            "status":200,"api":"1.14.1","count":\(features.count)},"features":[
            """.utf8)
        for (number, feature) in features.enumerated() {
            if number > 0 { body.append(0x2C) }
            body.append(feature)
        }
        body.append(contentsOf: "]}".utf8)
        return body
    }

    /// An RSS feed with these guids and titles; all items have the same time.
    static func rss(_ items: [(guid: String, title: String)], at time: Date) -> Data {
        let texts = items.map { item in
            """
            <item><title>\(item.title)</title><guid isPermaLink="false">\(item.guid)</guid>\
            <link>https://news.test/\(item.guid)</link><dc:date>\(time.rfc3339)</dc:date></item>
            """
        }
        return Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title>
            \(texts.joined(separator: "\n"))
            </channel></rss>
            """.utf8)
    }
}
