import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// The datelines of the captures are those of `Fixtures/datelines.tsv`: all are found, none is invented.
@Suite struct DatelineTableTests {
    private struct Label {
        var file: String
        /// Number of the item, from 1; nil: every item of the file.
        var item: Int?
        /// The place; nil if the item has none.
        var place: String?
    }

    private func labels() throws -> [Label] {
        let table = String(decoding: try Fixtures.data("datelines.tsv"), as: UTF8.self)
        return try table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            try #require(cells.count == 3, "\(line)")
            #expect(cells[1] == "*" || Int(cells[1]) != nil, "\(line)")
            return Label(file: cells[0], item: Int(cells[1]), place: cells[2] == "-" ? nil : cells[2])
        }
    }

    /// The places of all items in feed order, from the real decoder.
    private func places(in file: String) throws -> [String?] {
        let kind = try #require(FeedRegistry.all.first { $0.kind.name == "rss" })
        var settings = SourceSettings(name: "capture", kind: "rss", url: "file:/capture")
        for option in kind.kind.options { settings.options[option.key] = option.defaultValue }
        let feed = try kind.init(settings)
        let response = FeedResponse(request: FeedRequest(url: settings.url), body: try Captures.data(file))
        let answer = try feed.decode(response, for: PollContext(now: Date(milliseconds: 1_790_000_000_000)))
        #expect(answer.issues.allSatisfy { !$0.costsItem })
        return answer.events.map { $0.place }
    }

    @Test(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func everyLabelHolds() throws {
        let labels = try labels()
        for file in Set(labels.map { $0.file }).sorted() {
            let found = try places(in: file)
            let own = labels.filter { $0.file == file }
            if let whole = own.first(where: { $0.item == nil }) {
                #expect(own.count == 1, "\(file) is labelled twice")
                for (index, place) in found.enumerated() { #expect(place == whole.place, "\(file) item \(index + 1)") }
            } else {
                // Every item has a label, so that invented datelines show as well as missed ones.
                #expect(own.compactMap { $0.item } == found.indices.map { $0 + 1 }, "\(file)")
                for label in own {
                    guard let item = label.item, found.indices.contains(item - 1) else { continue }
                    #expect(found[item - 1] == label.place, "\(file) item \(item)")
                }
            }
        }
    }

    @Test(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func everyReutersCaptureIsLabelled() throws {
        let labelled = Set(try labels().map { $0.file })
        for file in try Captures.files(in: "rss") where file.hasPrefix("reuters") {
            #expect(labelled.contains("rss/\(file)"), "\(file)")
        }
    }
}
