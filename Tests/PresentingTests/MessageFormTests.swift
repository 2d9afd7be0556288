import Foundation
import Model
import Telling
import Testing

@testable import Presenting

@Suite struct MessageFormTests {
    /// 2026-03-01T12:00:00Z.
    private static let noon = Date(timeIntervalSince1970: 1_772_366_400)
    private static let map = "https://quakes.example.org/"
    private static let from = MailAddress("visiventd@example.org")

    private static func quake(_ magnitude: Double = 5.4, title: String = "M 5.4 - near Lisboa") -> StoredEvent {
        let event = Event(
            provider: "usgs", id: "us1", time: noon - 180, category: .earthquake, title: title, magnitude: magnitude,
            status: "automatic", place: "34 km NW of Lisboa, Portugal",
            location: Coordinate(latitude: 38.94, longitude: -9.42).map { Location($0) })
        return StoredEvent(
            publicID: "7r3k0mz2v9q4w8xd", event: event, firstSeen: noon, lastChanged: noon, changeSequence: 7,
            sources: ["quakes"])
    }

    private static func message(
        _ kind: MessageKind = .announced, _ event: StoredEvent? = quake(), reason: Reason = .new
    ) -> Announcement {
        var filter = WatchFilter()
        filter.near = Coordinate(latitude: 38.72, longitude: -9.14).map {
            .init(centre: $0, kilometres: 200, name: "Lisboa")
        }
        let watch = Watch(name: "lisbon", filter: filter, targets: ["cms"])
        var message = Announcement(
            of: event?.publicID ?? "x", kind, reason,
            to: Target(name: "cms", kind: .webhook, recipient: "desk@example.org", host: "a"), watches: [watch],
            sequence: 7, changed: noon, at: noon)
        (message.id, message.publicID, message.event) = ("vd_x", event?.publicID, event)
        return message
    }

    private static func letter(_ form: MessageForm, _ message: Announcement) -> String {
        String(decoding: form.letter(message), as: UTF8.self)
    }

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static let title = "M 5.4 · 34 km NW of Lisboa · 3 min ago · automatic"

    // MARK: - Webhooks

    @Test func aWebhookHasTheEventAsTheInterfaceGivesIt() {
        let message = Self.message()
        let body = Self.letter(MessageForm(.webhook, map: Self.map), message)
        let text = #""text":{"title":"\#(Self.title)","body":\#(Words(message).body.jsonQuoted)}"#
        let link = #""link":"https://quakes.example.org/#6/38.94/-9.42&sel=event:7r3k0mz2v9q4w8xd""#
        #expect(
            body
                == #"{"type":"visiventd.event.announced","timestamp":"2026-03-01T12:00:00.000Z","data":{"id":"vd_x","#
                + #""watches":["lisbon"],"target":"cms","reason":"new","late":false,"message":1,"change_seq":7,"#
                + #""changes":[],"event":\#(Self.quake().json),\#(link),\#(text)}}"#)
    }

    @Test func aCorrectionSaysWhatChangedFromWhat() throws {
        var message = Self.message(.updated, Self.quake(5.8), reason: .revised)
        message.before = Said(Self.quake().event)
        (message.message, message.firstID) = (2, "vd_first")
        let body = Self.letter(MessageForm(.webhook), message)
        #expect(body.contains(#""message":2,"first_id":"vd_first","change_seq":7,"#))
        #expect(body.contains(#""changes":[{"field":"magnitude","from":5.4,"to":5.8}],"#))
        #expect(!body.contains(#""link""#))
    }

    @Test func ofAnErasedEventNothingIsLeftButItsId() throws {
        var gone = Self.quake(title: "hidden")
        gone.isErased = true
        let body = Self.letter(MessageForm(.webhook), Self.message(.ended, gone, reason: .erased))
        #expect(body.contains(#""event":{"public_id":"7r3k0mz2v9q4w8xd"}"#))
        #expect(!body.contains("hidden"))
        #expect(!body.contains("Lisboa"))
    }

    @Test func aDigestHasTheLargestEvents() throws {
        var message = Self.message(.digest, nil)
        message.digest = .init(events: Array(repeating: Self.quake(), count: 20), count: 32, expired: 2)
        let body = Self.letter(MessageForm(.webhook), message)
        let data = try #require(try Self.object(body)["data"] as? [String: Any])
        let events = try #require(data["events"] as? [[String: Any]])
        #expect(try Self.object(body)["type"] as? String == "visiventd.digest")
        #expect(events.count >= 10)
        #expect(data["more"] as? Int == 32 - events.count)
        #expect(data["expired"] as? Int == 2)
    }

    @Test func aTestAndTroubleHaveTypesOfTheirOwn() throws {
        #expect(Self.letter(MessageForm(.webhook), Self.message(.test)).hasPrefix(#"{"type":"visiventd.test""#))
        var trouble = Self.message(.announced, nil, reason: .health)
        trouble.words = "source quakes has been failing"
        let body = Self.letter(MessageForm(.webhook), trouble)
        #expect(body.hasPrefix(#"{"type":"visiventd.health""#))
        #expect(body.contains(#""title":"source quakes has been failing""#))
    }

    @Test func nothingInAChatIsAMention() throws {
        let hostile = Self.quake(title: "<!channel> @here & *bold*")
        var message = Self.message(.announced, hostile)
        message.event?.event.magnitude = nil
        let body = Self.letter(MessageForm(.slack), message)
        let text = try #require(try Self.object(body)["text"] as? String)
        #expect(text.hasPrefix("&lt;!channel&gt; @\u{200B}here &amp; *bold* · 3 min ago"))
        #expect(!text.contains("<"))
    }

    // MARK: - ntfy

    @Test func anNtfyMessageIsUpdatedInPlace() throws {
        let form = MessageForm(.ntfy, map: Self.map)
        let body = Self.letter(form, Self.message())
        let words = Words(Self.message()).body.jsonQuoted
        let link = "https://quakes.example.org/#6/38.94/-9.42&sel=event:7r3k0mz2v9q4w8xd"
        #expect(
            body
                == #"{"title":"\#(Self.title)","message":\#(words),"priority":4,"tags":["warning"],"click":"\#(link)","#
                + #""sequence_id":"vd7r3k0mz2v9q4w8xd"}"#)
        let addressed = Ntfy.addressed(Data(body.utf8), topic: Secret("a\"b"))
        #expect(addressed.hasPrefix(#"{"topic":"a\"b","title":"#))
    }

    @Test(arguments: [
        (MessageKind.announced, 5.4, 4), (.announced, 6.0, 5), (.restored, 6.5, 5), (.updated, 6.5, 3),
        (.ended, 6.5, 3), (.test, 6.5, 1),
    ])
    func thePriorityIsThatOfTheNews(kind: MessageKind, magnitude: Double, priority: Int) throws {
        let body = Self.letter(MessageForm(.ntfy), Self.message(kind, Self.quake(magnitude)))
        #expect(try Self.object(body)["priority"] as? Int == priority)
    }

    @Test func aDigestIsAsUrgentAsItsMostUrgentEvent() throws {
        var message = Self.message(.digest, nil)
        for (magnitude, priority) in [(5.9, 4), (6.0, 5)] {
            message.digest = .init(events: [Self.quake(magnitude)], count: 4, expired: 0)
            #expect(try Self.object(Self.letter(MessageForm(.ntfy), message))["priority"] as? Int == priority)
        }
    }

    @Test func anNtfyMessageFitsTheServer() throws {
        let long = Self.quake(title: String(repeating: "ü", count: 5000))
        var message = Self.message(.announced, long)
        message.event?.event.magnitude = nil
        let body = try Self.object(Self.letter(MessageForm(.ntfy), message))
        #expect(try #require(body["title"] as? String).utf8.count <= 250)
        #expect(try #require(body["message"] as? String).utf8.count <= 3500)
    }

    // MARK: - Mail

    @Test func aMailIsPlainTextWithItsThread() throws {
        let from = try #require(Self.from)
        var message = Self.message(.updated, reason: .revised)
        message.firstID = "vd_first"
        let mail = Self.letter(MessageForm(.mail(from: from)), message)
        let parts = try #require(mail.range(of: "\r\n\r\n"))
        #expect(
            mail[..<parts.lowerBound].components(separatedBy: "\r\n") == [
                "Date: Sun, 1 Mar 2026 12:00:00 +0000", "From: visiventd@example.org", "To: desk@example.org",
                "Subject: =?UTF-8?B?\(Data("Correction: M 5.4 · 34 km NW of Lisboa".utf8).base64EncodedString())?=",
                " =?UTF-8?B?\(Data(" · 3 min ago · automatic".utf8).base64EncodedString())?=",
                "Message-ID: <vd_x@example.org>", "In-Reply-To: <vd_first@example.org>",
                "References: <vd_first@example.org>", "Auto-Submitted: auto-generated",
                "X-Visiventd-Kind: updated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: base64",
            ])
        let content = mail[parts.upperBound...].replacing("\r\n", with: "")
        let text = Data(base64Encoded: String(content)).map { String(decoding: $0, as: UTF8.self) }
        #expect(text == Words(message).body.replacing("\n", with: "\r\n") + "\r\n")
    }

    @Test(arguments: [
        "plain", "a\r\nBcc: evil@example.org", "nul\u{0}", "\u{202E}turned", "=?UTF-8?Q?=0D=0ABcc:_evil?=", "{link}",
        String(repeating: "x", count: 1 << 20), "e" + String(repeating: "\u{301}", count: 1 << 20),
        String(repeating: "🌋", count: 2000), "\u{2028}line", "\u{85}next",
    ])
    func noTitleReachesAHeaderOrASecondMessage(title: String) throws {
        let from = try #require(Self.from)
        var message = Self.message(.announced, Self.quake(title: title))
        message.event?.event.magnitude = nil
        let mail = Self.letter(MessageForm(.mail(from: from)), message)
        let head = try #require(mail.range(of: "\r\n\r\n")).lowerBound
        let lines = mail[..<head].components(separatedBy: "\r\n")
        let names = lines.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "X-Visiventd-Kind", "MIME-Version",
                "Content-Type", "Content-Transfer-Encoding",
            ])
        #expect(mail.utf8.allSatisfy { $0 < 0x7F && ($0 >= 0x20 || $0 == 0x0D || $0 == 0x0A) })
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
        let webhook = Self.letter(MessageForm(.webhook), message)
        #expect(webhook.utf8.count < 20_000)
        #expect(try Self.object(webhook)["type"] as? String == "visiventd.event.announced")
        #expect(!webhook.contains("\n"))
        let ntfy = Self.letter(MessageForm(.ntfy), message)
        #expect(try Self.object(ntfy)["tags"] as? [String] == ["warning"])
        #expect(ntfy.utf8.count < 8000)
    }

    // MARK: - Signature

    /// Reference values by PyPI's standardwebhooks.
    @Test func aSignatureIsThatOfStandardWebhooks() throws {
        let secret = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let body = Data(#"{"test": 2432232314}"#.utf8)
        let value = WebhookSignature.value(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: body, secret: secret)
        #expect(value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        let two = WebhookSignature.value(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: body,
            secret: Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx"))
        #expect(two?.split(separator: " ").count == 2)
        for wrong in ["", "whsec_", "whsec_c2hvcnQ=", "no base64!", "a b c d"] {
            #expect(WebhookSignature.value(id: "a", seconds: 1, body: body, secret: Secret(wrong)) == nil)
        }
    }
}
