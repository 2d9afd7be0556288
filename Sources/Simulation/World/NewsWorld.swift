import Foundation
import Model

/// News items in one or two topics, which are reworded and disappear behind newer ones.
final class NewsWorld {
    struct Item {
        let number: Int
        let born: Date
        let topics: [String]
        let hasDate: Bool
        /// Titles, each with the time from which it applies.
        var titles: [(from: Date, title: String)]
    }

    /// Topics of the source with several topics. `wire` is a feed of its own whose guids are the same numbers.
    static let topics = ["world", "science", "local"]
    private static let listed = 18

    private var items: [Item] = []

    init(seed: UInt64, from start: Date, to end: Date) {
        var chance = Chance(seed: seed, purpose: "news")
        var time = start.addingTimeInterval(-3 * 86_400)
        while true {
            time = Date(timeIntervalSince1970: (time.timeIntervalSince1970 + chance.within(1200...5400)).rounded())
            guard time < end else { break }
            let number = items.count
            let place = ["Town", "Town", "Port", "Villa"][chance.below(4)] + " \(chance.below(60))"
            let spot = chance.happens(0.8) ? " at \(place)" : ""
            var titles: [(from: Date, title: String)] = []
            var from = time
            for version in 1...(1 + chance.below(3)) {
                // A later version may have another subject.
                let subject = chance.pick(["Flood", "Quake", "Market", "Election", "Storm"])
                titles.append((from, "\(subject)\(spot) (item \(number), v\(version))"))
                from = from.addingTimeInterval(chance.within(1800...36_000).rounded())
            }
            let topics = chance.shuffled(Self.topics + ["wire"]).prefix(1 + chance.below(2))
            items.append(
                Item(
                    number: number, born: time, topics: Array(topics), hasDate: !chance.happens(0.06),
                    titles: titles.filter { $0.from <= end }))
        }
    }

    /// The provider of a topic's items.
    static func provider(of topic: String) -> String {
        topic == "wire" ? "https://news.test/wire.xml" : "https://news.test/{topic}.xml"
    }

    /// A topic's feed at a time.
    func document(_ topic: String, at time: Date, hasBadItem: Bool) -> WorldDocument {
        var expectedEvents: [ExpectedEvent] = []
        var texts: [String] = []
        for item in items.reversed() where item.born <= time && item.topics.contains(topic) {
            guard let title = item.titles.last(where: { $0.from <= time })?.title else { continue }
            let guid = "item-\(item.number)"
            let date = item.hasDate ? item.born : nil
            texts.append(Documents.text(of: Documents.Item(guid: guid, title: title, date: date)))
            expectedEvents.append(ExpectedEvent(Self.provider(of: topic), [guid], time: date, title: title))
            if texts.count == Self.listed { break }
        }
        if hasBadItem { texts.insert("<item><guid isPermaLink=\"false\">empty</guid></item>", at: texts.count / 2) }
        var document = WorldDocument(body: Documents.rss(texts: texts), expectedEvents: expectedEvents)
        document.badItems = hasBadItem ? 1 : 0
        return document
    }
}
