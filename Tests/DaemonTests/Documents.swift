import Engine
import Foundation
import Model

/// Small documents of each kind, made for a test.
enum Documents {
    /// One feature of a USGS feed.
    struct Quake {
        var id: String
        /// All names; empty: `id` alone.
        var ids: [String] = []
        var time: Date
        var updated: Date?
        var magnitude = 5.0
    }

    /// A USGS summary feed.
    static func usgs(_ quakes: [Quake], generated: Date, period: String = "all_day", count: Int? = nil) -> Data {
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
    struct Item {
        var guid: String
        var title: String
        /// Nil: no `pubDate`.
        var date: Date?
    }

    /// An RSS 2.0 feed.
    static func rss(_ items: [Item]) -> Data {
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

    /// An Atom index of CAP documents.
    static func capIndex(_ urls: [String], updated: Date) -> Data {
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

    /// A CAP alert of one place.
    static func capAlert(_ identifier: String, sent: Date) -> Data {
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

    /// `Sun, 01 Mar 2026 00:00:00 GMT`; the day of the week is left out, as many feeds do.
    static func rfc822(_ date: Date) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = date.rfc3339
        let parts = text.prefix(10).split(separator: "-")
        return "\(parts[2]) \(months[(Int(parts[1]) ?? 1) - 1]) \(parts[0]) \(text.dropFirst(11).prefix(8)) GMT"
    }
}

/// A search of Twitter's API v2 over a list of messages: pages, `since_id`, `until_id`.
final class ScriptedSearch {
    private let messages: [(id: Int64, time: Date)]
    /// Messages handed out, which X bills.
    private(set) var billed = 0

    /// Messages one second apart, the newest at `time`.
    init(_ count: Int, newest time: Date) {
        messages = (0..<count).map { number -> (id: Int64, time: Date) in
            let written = time.addingTimeInterval(Double(-number))
            return (id: (written.milliseconds - 1_288_834_974_657) << 22, time: written)
        }
    }

    /// The upstream ids of all messages.
    var ids: [String] { messages.map { "\($0.id)" } }

    /// The answer to a request of the search.
    func answer(_ order: FetchOrder) -> ScriptedAnswer {
        var parameters: [String: String] = [:]
        for item in URLComponents(string: order.url)?.queryItems ?? [] { parameters[item.name] = item.value }
        let since = parameters["since_id"].flatMap { Int64($0) } ?? 0
        let until = parameters["until_id"].flatMap { Int64($0) } ?? .max
        let first = parameters["next_token"].flatMap { Int($0) } ?? 0
        let size = parameters["max_results"].flatMap { Int($0) } ?? 10
        let found = messages.filter { $0.id > since && $0.id < until }
        let page = found.dropFirst(first).prefix(size)
        billed += page.count
        let data = page.map { message in
            """
            {"id":"\(message.id)","text":"lava number \(message.id)","author_id":"11",\
            "created_at":"\(message.time.rfc3339)"}
            """
        }
        let next = first + size < found.count ? ",\"next_token\":\"\(first + size)\"" : ""
        return .body(
            Data(
                """
                {"data":[\(data.joined(separator: ","))],\
                "includes":{"users":[{"id":"11","name":"The Observatory","username":"obs"}]},\
                "meta":{"result_count":\(page.count)\(next)}}
                """.utf8))
    }
}
