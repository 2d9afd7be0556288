import Foundation
import Model
import Simulation
import Store
import Testing

/// The writes of sources that are due at once share a transaction, in a simulation as in the daemon.
@Suite struct SharedWriteTests {
    @Test func aWriteThatTheStoreRefusesFailsAlone() throws {
        let sources = ["a", "b", "c"].map {
            SourceSettings(
                name: $0, kind: "rss", url: "https://\($0).test/feed.xml", refreshInterval: .seconds(600), offset: .zero
            )
        }
        let feed = Documents.rss([Documents.Item(guid: "1", title: "News", date: InProcessDaemon.start)])
        let daemon = try InProcessDaemon(sources) { _ in .body(feed) }
        try daemon.store.tamper("DELETE FROM source WHERE name = 'b'")
        try daemon.advance(.seconds(60))
        #expect(daemon.storeFailures.map(\.code) == [.unknownSource])
        #expect(daemon.reports.map(\.source) == ["a", "c"])
        #expect(daemon.reports.allSatisfy { $0.end.failure == nil })
        #expect(try daemon.number("SELECT count(*) FROM events_v1") == 2)
    }
}
