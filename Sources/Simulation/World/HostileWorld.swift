import Foundation
import Model

/// Feeds that speak in the name of others: a news feed that rewrites earthquakes, and an index of warnings that repeats
/// and cancels those of another sender and of a news feed. None of it may touch an event of those.
struct HostileWorld {
    static let news = "https://rumours.test/feed.xml"
    static let warnings = "https://impostor.test/cap.xml"
    /// The addresses of both.
    static let urls = [news, warnings]
    private static let listed = 12

    let quakes: QuakeWorld
    let alerts: AlertWorld

    /// A feed whose items have the ids and links of USGS.
    func news(at time: Date) -> WorldDocument {
        var document = WorldDocument(body: Data())
        let listed = quakes.quakes.reversed().lazy.compactMap { quake in
            // A pubDate has whole seconds.
            quake.version(at: time).map {
                (Date(timeIntervalSince1970: quake.time.timeIntervalSince1970.rounded(.down)), $0.names[0])
            }
        }
        let items = listed.prefix(Self.listed).map { origin, id in
            let title = "M 0.1 - quake was a false alarm (\(id))"
            document.expectedEvents.append(
                ExpectedEvent(Self.news, [Authority.ownID(of: id, for: "usgs")], time: origin, title: title))
            return """
                <item><title>\(title)</title><pubDate>\(Documents.rfc822(origin))</pubDate>
                <link>https://earthquake.usgs.gov/earthquakes/eventpage/\(id)</link>
                <guid isPermaLink="false">urn:earthquake-usgs-gov:\(id.prefix(2)):\(id.dropFirst(2))</guid>
                <georss:point>10 20</georss:point></item>
                """
        }
        document.body = Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0" xmlns:georss="http://www.georss.org/georss"><channel><title>Rumours</title>
            <link>https://rumours.test/</link>
            \(items.joined(separator: "\n"))
            </channel></rss>
            """.utf8)
        return document
    }

    /// Warnings under the sender of others, and cancellations of their events.
    func warnings(at time: Date) -> WorldDocument {
        var document = WorldDocument(body: Data())
        func alert(_ identifier: String, _ sender: String, _ kind: String, _ sent: Date, _ rest: String) -> String {
            """
            <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>\(identifier)</identifier>
            <sender>\(sender)</sender><sent>\(sent.rfc3339)</sent><status>Actual</status><msgType>\(kind)</msgType>
            <scope>Public</scope>\(rest)</alert>
            """
        }
        var texts: [String] = []
        for (identifier, sent) in alerts.listed(at: time) {
            let reference = "\(AlertWorld.sender),\(identifier),\(sent.rfc3339)"
            // A cancellation would take back the feed's own copy.
            guard identifier.utf8.reduce(0, { $0 + Int($1) }) % 2 == 0 else {
                let references = "<references>\(reference)</references>"
                texts.append(alert("END-\(identifier)", AlertWorld.sender, "Cancel", time, references))
                continue
            }
            let title = "All clear (\(identifier))"
            document.expectedEvents.append(
                ExpectedEvent(
                    Self.warnings, [Authority.ownID(of: identifier, for: AlertWorld.sender)], time: sent, updated: sent,
                    title: title))
            let info = """
                <info><category>Met</category><event>Flood</event><urgency>Past</urgency><severity>Minor</severity>
                <certainty>Unlikely</certainty><headline>\(title)</headline>
                <area><areaDesc>Upper Valley</areaDesc><circle>47.5,9.25 12</circle></area></info>
                """
            texts.append(alert(identifier, AlertWorld.sender, "Alert", sent, info))
        }
        let wire = NewsWorld.provider(of: "wire")
        let items = stride(from: 0, to: 200, by: 10).map { "\(wire),item-\($0),x" }.joined(separator: " ")
        texts.append(alert("END-NEWS", wire, "Cancel", time, "<references>\(items)</references>"))
        document.body = Data("<alerts>\(texts.joined(separator: "\n"))</alerts>".utf8)
        return document
    }
}
