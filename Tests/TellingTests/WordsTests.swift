import Foundation
import Model
import Testing

@testable import Telling

@Suite struct WordsTests {
    private func message(
        _ kind: MessageKind = .announced, _ event: StoredEvent? = quake(), reason: Reason = .new, before: Said? = nil,
        watch: Watch = lisbon()
    ) -> Announcement {
        var message = Announcement(
            of: event?.publicID ?? "x", kind, reason, to: desk, watches: [watch], sequence: 1, changed: noon, at: noon)
        (message.publicID, message.event, message.before) = (event?.publicID, event, before)
        return message
    }

    private static let line = "M 5.4 · 34 km NW of Lisboa · 3 min ago · automatic"

    @Test("a title says size, place, age and status")
    func titles() {
        #expect(Words(message()).title == Self.line)
        #expect(Words(message(.test)).title == "Test: " + Self.line)
        #expect(Words(message(.announced, quake(minutes: -125))).title.hasPrefix("Late (2h5m): M 5.4 · "))
        var unnamed = lisbon()
        unnamed.filter.near?.name = nil
        #expect(
            Words(message(watch: unnamed)).title == "M 5.4 · 34 km NW of Lisboa, Portugal · 3 min ago · automatic")
    }

    @Test("a correction says what was said before")
    func corrections() {
        let before = Said(quake().event)
        let updated = Words(message(.updated, quake(5.8), reason: .revised, before: before))
        #expect(updated.title == "Correction: M 5.8 (was M 5.4) · 34 km NW of Lisboa · 3 min ago · automatic")
        #expect(updated.body.contains("magnitude: 5.8, was 5.4"))
        let moved = Words(message(.updated, quake(latitude: 38), reason: .revised, before: before))
        #expect(moved.body.contains("The place has moved by 104.0 km."))
        let ended = Words(message(.ended, quake(4.6), reason: .noLongerMatches, before: before))
        #expect(ended.title.hasPrefix("No longer: M 4.6 (was M 5.4) · "))
        #expect(ended.body.contains("It no longer matches the watch."))
        let deleted = Words(message(.ended, quake().withdrawn(), reason: .deleted, before: before))
        #expect(deleted.title == "Withdrawn: " + Self.line)
        #expect(deleted.body.contains("Deleted by usgs."))
        #expect(Words(message(.restored, reason: .again, before: before)).title == "Again: " + Self.line)
    }

    @Test("of an erased event no word is said")
    func erased() {
        var gone = quake().withdrawn()
        gone.isErased = true
        gone.event.title = "secret"
        let words = Words(message(.ended, gone, reason: .erased, before: Said(quake().event)))
        #expect(words.title == "Withdrawn: M 5.4, no longer there")
        #expect(!words.body.contains("secret"))
    }

    @Test("a digest names the largest and counts the rest")
    func digests() {
        var digest = message(.digest, nil)
        digest.digest = .init(events: [quake(6.1), quake()], count: 12, expired: 2)
        let words = Words(digest)
        #expect(words.title == "12 events, the largest: M 6.1 · 34 km NW of Lisboa · 3 min ago · automatic")
        #expect(
            words.body.split(separator: "\n") == [
                "M 6.1 · 34 km NW of Lisboa · 2026-03-01 11:57:00 UTC · automatic",
                "M 5.4 · 34 km NW of Lisboa · 2026-03-01 11:57:00 UTC · automatic",
                "and 10 more", "2 more could not be sent in time",
            ])
    }

    @Test("other events are told by their title")
    func news() {
        var story = quake(nil)
        story.event.title = "Fire at the harbour"
        story.event.status = nil
        story.event.summary = String(repeating: "word ", count: 200)
        let words = Words(message(.announced, story))
        #expect(words.title == "Fire at the harbour · 3 min ago")
        #expect(words.body.contains("wo…"))
    }

    @Test("hostile titles stay on one line and within bounds")
    func hostile() {
        for title in [
            "a\r\nBcc: evil@example.org", "a\u{0}b", "a\u{202E}b", String(repeating: "x", count: 1_000_000),
            "e" + String(repeating: "\u{301}", count: 1_000_000),
            "=?UTF-8?B?eA==?=", "<!channel>", "{link}",
        ] {
            var story = quake(nil)
            story.event.title = title
            story.event.summary = title
            let words = Words(message(.announced, story))
            #expect(words.title.utf8.count <= 250)
            #expect(words.body.utf8.count <= 3500)
            #expect(!words.title.unicodeScalars.contains { $0.isUnsafeToShow })
            #expect(!words.body.replacing("\n", with: "").unicodeScalars.contains { $0.isUnsafeToShow })
        }
    }

    @Test("templates take values from a closed list, which are not read again")
    func templates() throws {
        var watch = lisbon()
        watch.title = try Template("{magnitude} {place} [{status}] {category}")
        watch.body = try Template("{title}\n{time} {link}{reason}")
        var event = quake()
        event.event.title = "{link} <b>"
        let words = Words(message(.announced, event, watch: watch))
        #expect(words.title == "5.4 34 km NW of Lisboa [automatic] earthquake")
        #expect(words.body == "{link} <b>\n2026-03-01 11:57:00 UTC new")
        #expect(throws: Template.Fault(found: "{magnitud}")) { try Template("{magnitud}") }
        #expect(throws: Template.Fault(found: "{magnitude")) { try Template("a {magnitude") }
    }

    @Test("the numbers of an event survive their stored form")
    func said() throws {
        let said = Said(quake(details: #"{"alert":"red","severity":"Minor"}"#).event)
        #expect(Said(text: said.text) == said)
        #expect(said.text == "[5.4,38.935,-9.418,1,4]")
        #expect(Said(text: Said().text) == Said())
        #expect(Said(text: "[1,2]") == nil)
        #expect(Said(text: "") == nil)
    }

    @Test("an id stands for a message, whatever the target")
    func ids() {
        func id(
            _ subject: String = "a", _ sequence: Int64 = 1, _ changed: Date = noon, _ kind: MessageKind = .announced,
            _ message: Int = 1, to target: Target = desk
        ) -> String {
            Announcement(
                of: subject, kind, .new, to: target, watches: [], sequence: sequence, changed: changed,
                message: message, at: noon
            ).id
        }
        #expect(id().hasPrefix("vd_") && id().count == 35)
        #expect(id(to: Target(name: "cms", kind: .webhook, host: "a")) == id())
        let others = [id("b"), id("a", 2), id("a", 1, noon + 0.001), id("a", 1, noon, .updated)]
        #expect(Set(others + [id(), id("a", 1, noon, .announced, 2)]).count == 6)
    }
}
