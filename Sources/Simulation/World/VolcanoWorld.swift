import Foundation
import Model

/// The weekly reports of the Global Volcanism Program as CAP and as KML, corrected once a week.
final class VolcanoWorld {
    private struct Volcano {
        let name: String
        let country: String
        let number: Int
        let latitude: Double
        let longitude: Double
    }

    private struct Issue {
        let issued: Date
        /// First and last day of the reported week.
        let days: (first: Date, last: Date)
        let volcanoes: [Int]
        /// When it is corrected.
        let corrected: Date
    }

    private static let volcanoes = [
        Volcano(name: "Etna", country: "Italy", number: 211_060, latitude: 37.748, longitude: 14.999),
        Volcano(name: "Fuego", country: "Guatemala", number: 342_090, latitude: 14.473, longitude: -90.88),
        Volcano(name: "Merapi", country: "Indonesia", number: 263_250, latitude: -7.54, longitude: 110.446),
        Volcano(name: "Sabancaya", country: "Peru", number: 354_006, latitude: -15.787, longitude: -71.857),
        Volcano(name: "Aira", country: "Japan", number: 282_080, latitude: 31.593, longitude: 130.657),
        Volcano(name: "Erebus", country: "Antarctica", number: 390_020, latitude: -77.53, longitude: 167.17),
        Volcano(name: "Yasur", country: "Vanuatu", number: 257_100, latitude: -19.532, longitude: 169.447),
        Volcano(name: "Dukono", country: "Indonesia", number: 268_010, latitude: 1.6992, longitude: 127.8783),
        Volcano(name: "Shiveluch", country: "Russia", number: 300_270, latitude: 56.653, longitude: 161.36),
        Volcano(name: "Great Sitkin", country: "United States", number: 311_120, latitude: 52.076, longitude: -176.13),
    ]

    private var issues: [Issue] = []
    private static let day = 86_400.0

    init(seed: UInt64, from start: Date, to end: Date) {
        var chance = Chance(seed: seed, purpose: "volcanoes")
        // 1970-01-01 was a Thursday, the day of issue.
        let first = (start.timeIntervalSince1970 / (7 * Self.day)).rounded(.down) * 7 * Self.day
        for week in -1...6 {
            let thursday = Date(timeIntervalSince1970: first + Double(week) * 7 * Self.day)
            let issued = thursday.addingTimeInterval(chance.within(7200...40_000).rounded())
            guard issued <= end else { break }
            let numbers = chance.shuffled(Array(Self.volcanoes.indices)).prefix(5 + chance.below(4)).sorted()
            issues.append(
                Issue(
                    issued: issued, days: (thursday - 8 * Self.day, thursday - 2 * Self.day), volcanoes: numbers,
                    corrected: issued.addingTimeInterval(chance.within(80_000...300_000).rounded())))
        }
    }

    private func current(at time: Date) -> (issue: Issue, sent: Date, version: Int)? {
        guard let issue = issues.last(where: { $0.issued <= time }) else { return nil }
        return issue.corrected <= time ? (issue, issue.corrected, 2) : (issue, issue.issued, 1)
    }

    /// The CAP file at a time; nil: before the first issue.
    func cap(at time: Date) -> WorldDocument? {
        guard let (issue, sent, version) = current(at: time) else { return nil }
        let identifier = "GVP-Weekly-" + String(issue.issued.rfc3339.prefix(10)).replacing("-", with: "")
        var document = WorldDocument(body: Data())
        let infos = issue.volcanoes.map { number -> String in
            let volcano = Self.volcanoes[number]
            let title = "Volcanic activity report for \(volcano.name) (\(volcano.country)), \(Self.words(issue.days))"
            let slug = Self.slug(volcano.name)
            document.expectedEvents.append(
                ExpectedEvent(
                    "gvp", ["\(slug)@\(issue.days.first.rfc3339.prefix(10))", "\(identifier) \(slug)"], time: sent,
                    updated: sent, title: title))
            return """
                <info><category>Geo</category><event>Volcano</event><urgency>Unknown</urgency>
                <severity>Unknown</severity><certainty>Observed</certainty>
                <eventCode><valueName>Volcano Name</valueName><value>\(volcano.name)</value></eventCode>
                <senderName>Global Volcanism Program</senderName><headline>\(title)</headline>
                <description>Ash rose above \(volcano.name), version \(version).</description>
                <area><areaDesc>\(volcano.country)</areaDesc>\
                <circle>\(volcano.latitude),\(volcano.longitude) 0</circle></area></info>
                """
        }
        document.body = Data(
            """
            <?xml version="1.0" encoding="ISO-8859-1"?>
            <alert xmlns="urn:oasis:names:tc:emergency:cap:1.1"><identifier>\(identifier)</identifier>
            <sender>gvp@si.edu</sender><sent>\(sent.rfc3339)</sent><status>Actual</status><msgType>Alert</msgType>
            <scope>Public</scope>
            \(infos.joined(separator: "\n"))
            </alert>
            """.utf8)
        document.lastModified = sent
        return document
    }

    /// The KML file at a time; nil: before the first issue.
    func kml(at time: Date) -> WorldDocument? {
        guard let (issue, sent, version) = current(at: time) else { return nil }
        var document = WorldDocument(body: Data())
        let placemarks = issue.volcanoes.map { number -> String in
            let volcano = Self.volcanoes[number]
            let heading = "Report for \(Self.words(issue.days))"
            let start = issue.days.first.rfc3339.prefix(10)
            document.expectedEvents.append(
                ExpectedEvent(
                    "gvp", ["\(Self.slug(volcano.name))@\(start)", "vn\(volcano.number)@\(start)"],
                    time: issue.days.last, updated: issue.days.last, title: "\(volcano.name): \(heading)",
                    words: "version \(version)"))
            return """
                <Placemark><name>\(volcano.name)</name>\
                <Point><coordinates>\(volcano.longitude),\(volcano.latitude),0</coordinates></Point>
                <description><![CDATA[<table><tr><td><a href="http://www.volcano.si.edu/">GVP</a></td></tr>
                <tr><td><b>\(volcano.name)</b><br /><b>\(heading)</b><br /><b>New Activity / Unrest</b></td></tr>
                <tr><td><p align="justify">Ash rose above \(volcano.name), version \(version).</p></td></tr></table>
                <a href="http://www.volcano.si.edu/volcano.cfm?vn=\(volcano.number)">More</a>]]></description>
                </Placemark>
                """
        }
        document.body = Data(
            """
            <?xml version='1.0' encoding='UTF-8'?>
            <kml xmlns='http://www.opengis.net/kml/2.2'><Document>
            \(placemarks.joined(separator: "\n"))
            </Document></kml>
            """.utf8)
        document.lastModified = sent
        return document
    }

    /// `18 February-24 February 2026`, with the year on both sides if the years differ.
    private static func words(_ days: (first: Date, last: Date)) -> String {
        let first = Self.words(days.first)
        let last = Self.words(days.last)
        let start = first.year == last.year ? first.day : "\(first.day) \(first.year)"
        return "\(start)-\(last.day) \(last.year)"
    }

    private static func words(_ day: Date) -> (day: String, year: Int64) {
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        let (year, month, number) = CivilDate.from(daysSince1970: day.milliseconds / 86_400_000)
        return ("\(number) \(months[Int(month) - 1])", year)
    }

    private static func slug(_ name: String) -> String { name.lowercased().replacing(" ", with: "-") }
}
