package import Foundation
import Model

/// Small documents in the formats of feeds, for tests and simulations. Texts are inserted without escaping.
package enum Documents {
    /// One feature of a USGS feed.
    package struct Quake {
        /// The preferred id.
        package var id: String
        /// All ids, the preferred one included; empty: `id` alone.
        package var ids: [String]
        package var time: Date
        /// The last update; nil: `time`.
        package var updated: Date?
        package var magnitude: Double

        /// Creates a feature, by default of magnitude 5.
        package init(id: String, ids: [String] = [], time: Date, updated: Date? = nil, magnitude: Double = 5) {
            self.id = id
            self.ids = ids
            self.time = time
            self.updated = updated
            self.magnitude = magnitude
        }
    }

    /// A summary feed in USGS GeoJSON. Positions follow from the order of the features. `count` is the number of
    /// features that the feed claims; nil: the true one.
    package static func usgs(
        _ quakes: [Quake], generated: Date, period: String = "all_day", count: Int? = nil
    ) -> Data {
        let features = quakes.enumerated().map { number, quake -> String in
            let longitude = -70 - Double(number % 90) / 10
            let latitude = -20 - Double(number % 40) / 10
            let names = (quake.ids.isEmpty ? [quake.id] : quake.ids).joined(separator: ",")
            return """
                {"type":"Feature","properties":{"mag":\(quake.magnitude),"place":"\(number) km N of Somewhere, Chile",\
                "time":\(quake.time.milliseconds),"updated":\((quake.updated ?? quake.time).milliseconds),"tz":null,\
                "url":"https://earthquake.usgs.gov/earthquakes/eventpage/\(quake.id)","felt":null,"status":"reviewed",\
                "tsunami":0,"sig":300,"net":"us","ids":",\(names),","sources":",us,","nst":null,"magType":"mb",\
                "type":"earthquake","title":"M \(quake.magnitude) - \(number) km N of Somewhere, Chile"},\
                "geometry":{"type":"Point","coordinates":[\(longitude),\(latitude),12.5]},\
                "id":"\(quake.id)"}
                """
        }
        return Data(
            """
            {"type":"FeatureCollection","metadata":{"generated":\(generated.milliseconds),\
            "url":"https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/\(period).geojson","title":"USGS",\
            "status":200,"api":"1.14.1","count":\(count ?? quakes.count)},\
            "features":[\(features.joined(separator: ",\n"))]}
            """.utf8)
    }

    /// One item of an RSS feed.
    package struct Item {
        /// The identifier, not a permalink; also the last part of the link.
        package var guid: String
        package var title: String
        /// The `pubDate`, in whole seconds; nil: none.
        package var date: Date?

        /// Creates an item; its description repeats the title.
        package init(guid: String, title: String, date: Date?) {
            self.guid = guid
            self.title = title
            self.date = date
        }
    }

    /// An RSS 2.0 feed with the items in this order.
    package static func rss(_ items: [Item]) -> Data {
        let texts = items.map { item -> String in
            let date = item.date.map { "<pubDate>\(rfc822($0))</pubDate>" } ?? ""
            return """
                <item><title>\(item.title)</title><description>\(item.title), in full.</description>\
                <link>https://news.test/\(item.guid)</link><guid isPermaLink="false">\(item.guid)</guid>\(date)</item>
                """
        }
        return Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0"><channel><title>News</title><link>https://news.test/</link>
            \(texts.joined(separator: "\n"))
            </channel></rss>
            """.utf8)
    }

    /// An Atom index of CAP documents in this order, each entry with the date `updated`.
    package static func capIndex(_ urls: [String], updated: Date) -> Data {
        let entries = urls.map { url in
            """
            <entry><id>\(url)</id><title>warning</title><updated>\(updated.rfc3339)</updated>\
            <link type="application/cap+xml" href="\(url)"/></entry>
            """
        }
        return Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom"><id>https://alerts.test/index.xml</id><title>Index</title>
            \(entries.joined(separator: "\n"))
            </feed>
            """.utf8)
    }

    /// A CAP 1.2 alert of a flood in one circle; the headline contains the identifier.
    package static func capAlert(_ identifier: String, sent: Date) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>\(identifier)</identifier>
            <sender>river@example.org</sender><sent>\(sent.rfc3339)</sent><status>Actual</status>
            <msgType>Alert</msgType><scope>Public</scope>
            <info><category>Met</category><event>Flood</event><urgency>Expected</urgency><severity>Moderate</severity>
            <certainty>Likely</certainty><headline>Flood warning \(identifier)</headline>
            <area><areaDesc>Upper Valley</areaDesc><circle>47.5,9.25 12</circle></area></info></alert>
            """.utf8)
    }

    /// A date as in `01 Mar 2026 00:00:00 GMT`: RFC 822 without the day of the week, as in many feeds.
    package static func rfc822(_ date: Date) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = date.rfc3339
        let parts = text.prefix(10).split(separator: "-")
        return "\(parts[2]) \(months[(Int(parts[1]) ?? 1) - 1]) \(parts[0]) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
