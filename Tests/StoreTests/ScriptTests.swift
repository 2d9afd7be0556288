import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Queries and streams find in every script what a keyword finds there.
@Suite struct ScriptTests {
    /// Texts in scripts without spaces between words, and with emoji.
    private static let unspaced = [
        "東京で震度5強の地震、津波の心配なし", "トランプ氏がTwitterで速報M7地震です", "ばしょがわかったがい、ガンダムとかんだ",
        "ﾌｼﾞｻﾝ噴火の恐れ", "四川发生6.1级地震 伤亡不明", "花蓮外海地震、規模7.2", "เกิดแผ่นดินไหวขนาด 5.2 ที่เชียงใหม่",
        "ภูเขาไฟระเบิดในวันนี้", "រញ្ជួយ\u{200B}ដីនៅកម្ពុជា", "မြန်မာနိုင်ငံ ငလျင်လှုပ်ခတ်", "ແຜ່ນດິນໄຫວຢູ່ລາວ",
        "now🌋! go👍🏽", "𰻞𰻞面と𠮷野家",
    ]
    /// Texts in scripts with spaces, with words that are whole there.
    private static let spaced = [
        ("Strong quake off Tokyo, Twitter says", ["tokyo", "QUAKE", "twit*"]),
        ("포항에서 규모 5.4 지진 발생", ["지진", "포항*", "발생"]), ("زلزال يضرب تركيا", ["زلزال", "يضرب"]),
        ("नेपाल में भूकंप", ["भूकंप", "नेपाल"]), ("বাংলাদেশে ভূমিকম্প", ["ভূমিকম্প"]), ("བོད་ལ་ས་ཡོམ་བརྒྱབ", ["ས་ཡོམ"]),
        ("Извержение вулкана", ["вулкана", "изверж*"]), ("רעידת אדמה בים המלח", ["אדמה"]),
        ("Έκρηξη ηφαιστείου", ["ηφαιστείου"]), ("Động đất ở Kon Tum", ["đất"]),
    ]

    private static func filled() throws -> TestStore {
        let test = try TestStore()
        let titles = unspaced + spaced.map(\.0)
        try test.poll(titles.enumerated().map { article("\($0)", title: $1) }, from: "news")
        return test
    }

    private static func all(_ test: TestStore) throws -> [StoredEvent] {
        var query = EventQuery()
        query.limit = nil
        return try test.store.events(query)
    }

    private static func query(_ text: String) -> EventQuery {
        var query = EventQuery()
        (query.text, query.limit) = (text, nil)
        return query
    }

    private static func found(_ text: String, in test: TestStore) throws -> [String] {
        try test.store.events(query(text)).map(\.event.id).sorted()
    }

    /// Compares the query of a word with its keyword, and with the events that a stream would tell of.
    private static func expectAgreement(_ word: String, _ test: TestStore, _ events: [StoredEvent]) throws -> Int {
        let keyword = KeywordFilter([word])
        let found = try Self.found(word, in: test)
        #expect(found == events.filter { keyword.matches($0.event.title) }.map(\.event.id).sorted(), "\(word)")
        let matcher = EventMatcher(query(word))
        #expect(found == events.filter { matcher.matches($0) }.map(\.event.id).sorted(), "\(word)")
        return found.count
    }

    @Test("Any piece of a text without spaces is found where a keyword finds it")
    func pieces() throws {
        let test = try Self.filled()
        let events = try Self.all(test)
        try #require(events.count == Self.unspaced.count + Self.spaced.count)
        var count = 0
        for text in Self.unspaced {
            let scalars = Array(text.unicodeScalars)
            for start in scalars.indices {
                for length in [1, 2, 3, 6] where start + length <= scalars.count {
                    let piece = scalars[start..<start + length]
                    guard !piece.contains(where: \.properties.isWhitespace) else { continue }
                    count += try Self.expectAgreement(piece.map { String($0) }.joined(), test, events)
                }
            }
        }
        #expect(count > 500)
    }

    @Test("Words are found in scripts with spaces, too")
    func wholeWords() throws {
        let test = try Self.filled()
        let events = try Self.all(test)
        for (text, words) in Self.spaced {
            for word in words {
                let found = try Self.found(word, in: test)
                let matcher = EventMatcher(Self.query(word))
                #expect(found == events.filter { matcher.matches($0) }.map(\.event.id).sorted(), "\(word)")
                let expected = events.filter { KeywordFilter([word]).matches($0.event.title) }
                #expect(expected.contains { $0.event.title == text }, "\(word)")
                #expect(Set(expected.map(\.event.id)).isSubset(of: found), "\(word)")
            }
        }
    }

    @Test(arguments: [
        ("地震 m7", 1), ("地震 7.2", 1), ("地震*", 4), ("twitter", 2), ("津波 花蓮", 0), ("が\u{3099}", 0), ("か\u{3099}んた", 0),
        ("かん", 1), ("がん", 0), ("👍", 1),
    ])
    func wordsAreSoughtTogether(text: String, count: Int) throws {
        #expect(try Self.found(text, in: Self.filled()).count == count)
    }

    @Test func rewordedAndRemovedTextsLeaveNoWords() throws {
        let test = try TestStore()
        func rows() throws -> Int {
            let match = try #require(EventQuery.matchExpression("地震"))
            return try test.rows("SELECT rowid FROM event_text WHERE event_text MATCH '\(match)'").count
        }
        try test.poll([quake("us1", title: "東京で地震"), quake("us2", title: "地震 🌋")])
        #expect(try rows() == 2)
        try test.poll([quake("us1", updated: 1, title: "Chile")])
        #expect(try rows() == 1)
        _ = try test.store.truncate(asOf: start.addingTimeInterval(100 * 3600))
        #expect(try rows() == 0)
        try test.store.transaction { writer in
            try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('integrity-check')")
        }
    }

    @Test("Equal words in other bytes leave no words behind when they are erased", arguments: [false, true])
    func otherBytes(isAuthor: Bool) throws {
        let (composed, decomposed) = ("\u{C9C0}\u{C9C4}", "\u{110C}\u{1175}\u{110C}\u{1175}\u{11AB}")
        try #require(composed == decomposed)
        let test = try TestStore()
        func report(_ word: String, _ minute: Double) -> Event {
            var event = quake("us1", updated: minute, title: isAuthor ? "Chile" : "M 5.0 \(word)")
            if isAuthor { event.author = Author(name: word) }
            return event
        }
        func rows(_ word: String) throws -> Int {
            // The number keeps the two apart: equal statements are prepared once.
            try test.rows(
                "SELECT rowid FROM event_text WHERE event_text MATCH '\"\(word)\"' LIMIT \(word.utf8.count)"
            ).count
        }
        try test.poll([report(composed, 1)])
        #expect(try rows(composed) == 1)
        try test.poll([report(decomposed, 2)], at: start + 120)
        #expect(try rows(composed) == 0)
        #expect(try rows(decomposed) == 1)
        let deletion = Withdrawal(
            provider: "usgs", id: "us1", reason: .deleted, time: start + 600, evidence: "deleted", erases: true)
        try test.poll([], at: start + 600, withdrawals: [deletion])
        #expect(try rows(composed) == 0)
        #expect(try rows(decomposed) == 0)
    }

    @Test("Of few events to split each is indexed anew; of many all are, which leaves nothing of texts long gone")
    func fewAndMany() throws {
        for isFew in [true, false] {
            let old = try OldFile()
            let before = try EventStore(path: old.path, version: 1)
            try before.maintain { connection in
                let columns = """
                    source_id, time_ms, time_source, first_seen_ms, first_seen_is_provisional, age_base_ms, last_changed_ms,
                    revision, change_seq, category, weight, is_erased, title, details
                    """
                for number in 3...(isFew ? 20 : 8) {
                    try connection.run(
                        """
                        INSERT INTO event (id, public_id, provider, upstream_id, \(columns))
                        SELECT \(number), 'c\(number)', provider, 'c\(number)', \(columns) FROM event WHERE id = 2
                        """)
                }
                try connection.run("UPDATE event SET title = '東京で地震' WHERE id = 1")
                try connection.run("INSERT INTO event_text (event_text) VALUES ('rebuild')")
                try connection.run("INSERT INTO event_text (rowid, title) VALUES (99, 'leftover')")
            }
            try before.close()
            let store = try EventStore(path: old.path)
            #expect(try store.read { try EventWords.splitPercent(on: $0) } == (isFew ? 5 : 12))
            let left = try rows(store, "SELECT rowid FROM event_text WHERE event_text MATCH 'leftover'")
            #expect(left == (isFew ? [["99"]] : []))
            for (text, count) in [("地震", 1), ("quito", 1), ("hail", isFew ? 19 : 7)] {
                #expect(try store.events(Self.query(text)).count == count, "\(text)")
            }
        }
        let empty = try TestStore()
        #expect(try empty.store.read { try EventWords.splitPercent(on: $0) } == 0)
    }

    @Test(
        "Indexed as before schema 11, or by SQLite alone, texts are found after the migration; with full_text off later"
    )
    func migration() throws {
        for isOn in [true, false] {
            let old = try OldFile()
            let before = try EventStore(path: old.path, version: 1)
            try before.maintain { connection in
                try connection.run("UPDATE event SET title = '東京で地震 🌋' WHERE id = 1")
                try connection.run("INSERT INTO event_text (event_text) VALUES ('\(isOn ? "rebuild" : "delete-all")')")
                if !isOn { try connection.run("INSERT INTO meta (key, value) VALUES ('full_text', '0')") }
            }
            try before.close()
            let store = try EventStore(path: old.path)
            if !isOn { try store.setFullText(true) }
            for (text, ids) in [("地震", ["a"]), ("🌋", ["a"]), ("hail", ["b"]), ("quito", ["a"])] {
                #expect(try store.events(Self.query(text)).map(\.event.id) == ids, "\(text)")
            }
            try store.transaction { writer in
                try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('integrity-check')")
            }
        }
    }
}
