import Foundation
import Model
import Testing

@testable import Store

@Suite struct FullTextTests {
    private let words = EventQuery.words("chile")

    @Test func switchedOffNothingIsIndexedAndLookingForWordsIsRefused() throws {
        let test = try TestStore()
        try test.poll([quake("us1", title: "off Chile")])
        #expect(try test.store.setFullText(false))
        #expect(try !test.store.setFullText(false))
        try test.poll([quake("us1", updated: 1, title: "near the coast of Chile"), quake("us2", title: "Chile")])
        #expect(try test.rows("SELECT rowid FROM event_text WHERE event_text MATCH 'chile'").isEmpty)
        #expect(storeErrorCode { _ = try test.store.events(words) } == .noFullText)
        #expect(storeErrorCode { _ = try test.store.authors(words) } == .noFullText)
        #expect(try test.store.events(EventQuery()).count == 2)
    }

    @Test func switchedOnAgainEverythingIsIndexed() throws {
        let test = try TestStore()
        try test.store.setFullText(false)
        try test.poll([quake("us1", title: "off Chile"), quake("us2", title: "Peru")])
        #expect(try EventStore(path: test.path).setFullText(true))
        try test.poll([quake("us1", updated: 1, title: "Peru"), quake("us3", title: "Chile")])
        #expect(try test.store.events(words).map { $0.event.id } == ["us3"])
        try test.store.transaction { writer in
            try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('integrity-check')")
        }
    }
}

extension EventQuery {
    fileprivate static func words(_ text: String) -> EventQuery {
        var query = EventQuery()
        query.text = text
        return query
    }
}
