import Engine
import Foundation
import Model
import Store
import Testing

@testable import Simulation

/// A month of news whose sources learn their homes, with the real engine, feeds, store and scheduler under simulated
/// time: deaths and the sizes of batches change no home.
@Suite struct LearnedHomeSimulationTests {
    private static let sources = ["town", "nation", "world", "moved"].map { name in
        SourceSettings(
            name: name, kind: "rss", url: "https://\(name).test/feed.xml", refreshInterval: .seconds(6 * 3600),
            offset: .seconds(60), maxAge: .seconds(60 * 86_400))
    }

    /// The votes for the areas that an item's title names.
    private static func votes(_ title: String) -> [String: Double] {
        guard let region = title.split(separator: " ").first(where: { $0.contains(".") }) else { return [:] }
        return [String(region.prefix { $0 != "." }): 1.97, String(region): 1.83]
    }

    /// An item an hour; the third source names another country each time, the last one moves after half of the month.
    private static func title(_ source: String, _ number: Int) -> String {
        let region =
            switch source {
            case "town": number % 5 == 0 ? "US.TX" : "US.LA"
            case "nation": "GB.\(["ENG", "SCT", "WLS"][number % 3])"
            case "moved": number < 360 ? "CL.12" : "NZ.E7"
            default: "\(["FR", "US", "IQ", "CN", "RU"][number % 5]).01"
            }
        return number % 7 == 3 ? "Item \(number) names nothing" : "Item \(number) in \(region)"
    }

    /// Runs the month; every life ends after the given number of stored effects, the last one lives on.
    /// - Parameter batch: The most events of a batch.
    private static func month(
        dying lifetimes: [Int], batch: Int = LookUp.batch
    ) throws -> (daemon: InProcessDaemon, deaths: Int) {
        let start = InProcessDaemon.start
        let site = ScriptedSite()
        for source in sources {
            site.documents[source.url] = { order in
                let newest = Int(clamping: order.context.now.timeIntervalSince(start)) / 3600
                let items = (max(0, newest - 40)...newest).map { number in
                    Documents.Item(
                        guid: "\(source.name)-\(number)", title: title(source.name, number),
                        date: start.addingTimeInterval(Double(3600 * number)))
                }
                return Documents.rss(items)
            }
        }
        let driver = GeocodeDriver(
            [], table: { _ in .unresolved(reason: "no place named") }, homeVotes: { votes($0.title) },
            service: { _, _ in
                GeocodeDriver.Reaction(reply: .failure(Failure(.network, .timeout, "no answer")), delay: .zero)
            })
        driver.batch = batch
        let daemon = try InProcessDaemon(sources, geocoding: driver) { site.answer($0) }
        var deaths = 0
        for lifetime in lifetimes {
            daemon.lifetime = lifetime
            try daemon.advance(.seconds(30 * 86_400) - daemon.now.uptime)
            guard daemon.isDead else { break }
            deaths += 1
            try daemon.restart()
        }
        daemon.lifetime = nil
        try daemon.advance(.seconds(30 * 86_400) - daemon.now.uptime)
        return (daemon, deaths)
    }

    private static func homes(_ daemon: InProcessDaemon) throws -> [String: LearnedHome] {
        Dictionary(uniqueKeysWithValues: try daemon.store.sources().map { ($0.name, $0.home) })
    }

    @Test func neitherDeathsNorSizesOfBatchesChangeAHome() throws {
        let (whole, _) = try Self.month(dying: [])
        let homes = try Self.homes(whole)
        #expect(homes["town"]?.context == PlaceContext(country: "US", region: "LA"))
        #expect(homes["nation"]?.context == PlaceContext(country: "GB"))
        #expect(homes["world"]?.context == PlaceContext())
        #expect(homes["moved"]?.context == PlaceContext(country: "NZ", region: "E7"))

        // Recomputed from the events alone, in the order of their rows.
        for source in Self.sources {
            var home = LearnedHome()
            let titles = try whole.rows(
                """
                SELECT e.title FROM event e JOIN source s ON s.id = e.source_id
                WHERE s.name = '\(source.name)' ORDER BY e.id
                """)
            for row in titles {
                home.count(Self.votes(row[0]))
            }
            #expect(homes[source.name] == home, "\(source.name)")
            #expect(home.events > LearnedHome.most / 3, "\(source.name)")
        }

        for (batch, lives) in [(LookUp.batch, 60), (5, 60), (1, 0)] {
            let (other, deaths) = try Self.month(dying: (0..<lives).map { 7 + $0 * 13 % 41 }, batch: batch)
            #expect(deaths >= lives / 3, "\(deaths)")
            #expect(try other.rows("SELECT count(*) FROM events_v1") == whole.rows("SELECT count(*) FROM events_v1"))
            let found = try Self.homes(other)
            for (name, home) in homes { #expect(found[name] == home, "\(name), batches of \(batch)") }
        }
    }
}
