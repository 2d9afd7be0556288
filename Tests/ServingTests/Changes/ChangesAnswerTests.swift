import Foundation
import Model
import Reading
import Store
import Testing

@testable import Serving

/// Pages of `/changes`.
@Suite struct ChangesAnswerTests {
    /// The page as `["1 new us1", …]` and its `next`, `oldest` and `newest`.
    private func page(
        _ record: TestRecord, _ query: String? = nil
    ) throws -> (changes: [String], next: Int64?, oldest: Int64?, newest: Int64?) {
        let body = record.body("/changes", query)
        return try JSONParser().withValue(of: Data(body.utf8)) { root throws(ReadingError) in
            var changes: [String] = []
            for change in root["changes"]?.elements ?? root.elements {
                if let words = changeWords(change.text) { changes.append(words) }
            }
            return (changes, root["next"]?.int64, root["oldest"]?.int64, root["newest"]?.int64)
        }
    }

    @Test func pagesFollowOneAnother() throws {
        let record = try TestRecord()
        try record.poll((1...5).map { version("us\($0)", magnitude: Double($0)) })
        let first = try page(record, "limit=3")
        #expect(first.changes == ["1 new us1", "2 new us2", "3 new us3"])
        #expect(first.next == 3 && first.oldest == 1 && first.newest == 5)
        let second = try page(record, "after=3&limit=3")
        #expect(second.changes == ["4 new us4", "5 new us5"] && second.next == 5)
        #expect(try page(record, "after=5").changes.isEmpty)
        // The filter leaves fewer, and the cursor passes what it leaves out.
        let strong = try page(record, "after=0&limit=3&min_magnitude=3")
        #expect(strong.changes == ["3 new us3"] && strong.next == 3)
        let none = try page(record, "after=0&limit=2&min_magnitude=3")
        #expect(none.changes.isEmpty && none.next == 2 && none.newest == 5)
    }

    @Test func withoutACursorThePageBeginsWithTheOldest() throws {
        let record = try TestRecord()
        #expect(try page(record).next == 0)
        try record.poll((1...5).map { version("us\($0)") })
        try record.cut(upTo: 3)
        let page = try page(record)
        #expect(page.changes == ["4 new us4", "5 new us5"] && page.oldest == 4)
    }

    @Test func aCursorThatIsNotInTheLogIsGone() throws {
        let record = try TestRecord()
        try record.poll((1...5).map { version("us\($0)") })
        try record.cut(upTo: 3)
        for cursor in [0, 2, 6] {
            #expect(record.answer("/changes", "after=\(cursor)").status == 410)
            let body = record.body("/changes", "after=\(cursor)")
            #expect(body.contains("after=5") && body.contains("\"found\":\"\(cursor)\""))
        }
        #expect(record.answer("/changes", "after=3").status == 200)
        #expect(record.answer("/changes", "after=3").header("cache-control") == "no-store")
    }

    @Test func theFaultOfTheStoreGoesToTheLog() throws {
        let record = try TestRecord()
        #expect(record.answer("/changes").fault == nil && record.answer("/changes", "limit=0").fault == nil)
        try record.store.close()
        let answer = record.answer("/changes")
        #expect(answer.status == 500 && answer.fault?.code == .other)
    }

    @Test(arguments: ["after=-1", "after=x", "limit=0", "limit=1001", "limit=", "cursor=1", "min_magnitude=x"])
    func badParametersAreRefused(query: String) throws {
        let answer = try TestRecord().answer("/changes", query)
        #expect(answer.status == 400)
        #expect(answer.headers.first { $0.name == "content-type" }?.value == "application/problem+json")
    }
}
