package import Foundation
import Model

/// Small documents in the formats of feeds, for tests and simulations: UTF-8, deterministic. Texts are inserted
/// without escaping.
package enum Documents {
    /// One feature of a USGS feed, a reviewed earthquake in Chile.
    package struct Quake {
        /// The preferred id, such as `us7000abcd`.
        package var id: String
        /// All ids, the preferred one included; empty: `id` alone.
        package var ids: [String] = []
        /// Time of the earthquake, written to the millisecond.
        package var time: Date
        /// Time of the last update, written to the millisecond; nil: `time`.
        package var updated: Date?
        /// Magnitude (`mb`), written as it is.
        package var magnitude = 5.0
    }

    /// A summary feed in USGS GeoJSON.
    /// - Parameters:
    ///   - quakes: The features in this order, from which their positions follow.
    ///   - generated: Time of the feed, written to the millisecond.
    ///   - period: The last part of the feed's URL, such as `all_day`.
    ///   - count: Number of features that the feed claims; nil: the true one.
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
        /// The identifier, not a permalink; also the last part of the link. It must be fit for a URL and for XML.
        package var guid: String
        /// The title, fit for XML.
        package var title: String
        /// The `pubDate`, in whole seconds; nil: none.
        package var date: Date?

        /// Creates an item with these values, which are not checked; its description is the title and `, in full.`.
        package init(guid: String, title: String, date: Date?) {
            self.guid = guid
            self.title = title
            self.date = date
        }
    }

    /// An RSS 2.0 feed of the channel `News` with the items in this order.
    package static func rss(_ items: [Item]) -> Data { rss(texts: items.map { text(of: $0) }) }

    /// An item of such a feed.
    static func text(of item: Item) -> String {
        let date = item.date.map { "<pubDate>\(rfc822($0))</pubDate>" } ?? ""
        return """
            <item><title>\(item.title)</title><description>\(item.title), in full.</description>\
            <link>https://news.test/\(item.guid)</link><guid isPermaLink="false">\(item.guid)</guid>\(date)</item>
            """
    }

    /// The feed with these texts as its items.
    static func rss(texts: [String]) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0"><channel><title>News</title><link>https://news.test/</link>
            \(texts.joined(separator: "\n"))
            </channel></rss>
            """.utf8)
    }

    /// An Atom index of CAP documents at these URLs in this order, each entry with the date `updated`, in whole
    /// seconds.
    package static func capIndex(_ urls: [String], updated: Date) -> Data { capIndex(urls.map { ($0, updated) }) }

    /// The same with a date for each document.
    static func capIndex(_ documents: [(url: String, updated: Date)]) -> Data {
        let entries = documents.map { url, updated in
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

    /// A CAP 1.2 alert of a flood in one circle (47.5, 9.25, radius 12 km), sent in whole seconds; the headline
    /// contains the identifier.
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
