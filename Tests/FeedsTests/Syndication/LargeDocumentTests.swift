import Foundation
import Model
import Testing

@testable import Feeds

@Suite struct LargeDocumentTests {
    private func decode(_ items: [String], behind: String = "") throws -> FeedAnswer {
        let feed = try SyndicationFeed(SourceSettings(name: "n", kind: "rss", url: "https://e.org/rss"))
        let text = "<rss><channel><title>T</title>\(items.joined(separator: "\n"))\(behind)</channel></rss>"
        #expect(text.utf8.count > 1 << 20)
        let request = FeedRequest(url: "https://e.org/rss")
        return try feed.decode(
            FeedResponse(request: request, body: Data(text.utf8)), for: PollContext(now: Date(timeIntervalSince1970: 0))
        )
    }

    private static let words = String(repeating: "word ", count: 200)

    @Test func manyItemsComeInOrder() throws {
        let answer = try decode(
            (1...1500).map {
                "<item><guid>\($0)</guid><title>\($0)</title><description>\(Self.words)</description></item>"
            })
        #expect(answer.events.map(\.id) == (1...1500).map { "\($0)" })
        #expect(answer.events.allSatisfy { $0.language == nil && $0.details == #"{"feed":"T"}"# })
        #expect(answer.issues.isEmpty)
    }

    @Test func whatStandsBehindTheItemsHoldsForAllOfThem() throws {
        let answer = try decode(
            (1...1500).map {
                "<item><guid>\($0)</guid><title>\($0)</title><description>\(Self.words)</description></item>"
            }, behind: "<language>de</language>")
        #expect(answer.events.map(\.id) == (1...1500).map { "\($0)" })
        #expect(answer.events.allSatisfy { $0.language == "de" && $0.details == #"{"feed":"T"}"# })
    }

    @Test func anItemThatIsLostCostsNoOtherOne() throws {
        var items = (1...1500).map {
            "<item><guid>\($0)</guid><title>\($0)</title><description>\(Self.words)</description></item>"
        }
        items[10] = "<item><title>\(String(repeating: "large ", count: (8 << 20) / 5))</title></item>"
        let answer = try decode(items)
        #expect(answer.events.map(\.id) == (1...1500).filter { $0 != 11 }.map { "\($0)" })
        #expect(answer.issues.map(\.reason) == ["too_large"])
    }

    @Test func itemsOfOneGuidAreToldApart() throws {
        let answer = try decode(
            (1...1500).map { number in
                let link = "<link>https://e.org/\(number)</link>"
                return "<item><guid>g\(number % 1400)</guid>\(link)<title>t</title>"
                    + "<description>\(Self.words)</description></item>"
            })
        #expect(Set(answer.events.map(\.id)).count == 1500)
        #expect(answer.issues.filter { $0.reason == "duplicate_id" }.count == 100)
    }

    @Test func faultsNameTheirItem() throws {
        var items = (1...1500).map {
            "<item><guid>\($0)</guid><title>t</title><description>\(Self.words)</description></item>"
        }
        items[10] = "<item/>"
        items[1490] = "<item/>"
        let answer = try decode(items)
        #expect(answer.events.count == 1498)
        #expect(answer.issues.map { $0.position.prefix(10) } == ["item 11 (l", "item 1491 "])
    }

    /// The id of an item without a guid depends on the items before it.
    @Test func linksThatAreUsedTwiceAreToldApart() throws {
        let answer = try decode(
            (1...1500).map { number in
                let link = "<link>https://e.org/\(number % 1400)</link>"
                return "<item>\(link)<title>\(number)</title><description>\(Self.words)</description></item>"
            })
        #expect(Set(answer.events.map(\.id)).count == 1500)
        #expect(answer.issues.filter { $0.reason == "duplicate_id" }.count == 100)
    }
}
