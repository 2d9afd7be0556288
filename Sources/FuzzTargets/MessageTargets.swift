import Fetching
import Foundation
import Model
import Presenting
import Telling

extension FuzzTarget {
    /// Targets for messages: the texts of feeds and operators in them, and what their receivers answer.
    static let messages: [FuzzTarget] = [
        FuzzTarget("messages", seeds: []) { data in try checkLetters(data) },
        FuzzTarget("headers-receipts", seeds: []) { data in try Receivers.web.check(data, of: .webhook) },
        FuzzTarget("mail-replies", seeds: []) { data in try Receivers.mail.check(data, of: .mail) },
    ]

    // MARK: Letters

    private static let sender = MailAddress("visiventd@example.org")
    private static let longestLetter = 20_000

    /// The input is templates for title and text, title, place, summary and link of an event, with U+0001 between them.
    private static func checkLetters(_ data: Data) throws {
        let parts = String(decoding: data, as: UTF8.self).split(separator: "\u{1}", omittingEmptySubsequences: false)
        func part(_ number: Int) -> String { number < parts.count ? String(parts[number]) : "" }
        var watch = Watch(name: "all", targets: ["desk"])
        (watch.title, watch.body) = (try? Template(part(0)), try? Template(part(1)))
        let noon = Date(timeIntervalSince1970: 1_772_366_400)
        var event = Event(
            provider: "usgs", id: "us1", time: noon, category: .earthquake, title: part(2),
            magnitude: data.count.isMultiple(of: 2) ? 5.4 : nil, status: "automatic", place: part(3),
            location: Coordinate(latitude: 38.94, longitude: -9.42).map { Location($0) })
        (event.summary, event.link) = (part(4), part(5))
        let stored = StoredEvent(
            publicID: "7r3k0mz2v9q4w8xd", event: event, firstSeen: noon, lastChanged: noon, changeSequence: 7,
            sources: ["quakes"])
        for kind in [MessageKind.announced, .updated, .ended, .digest] {
            let target = Target(name: "desk", kind: .mail, recipient: "desk@example.org", host: "example.org")
            var message = Announcement(
                of: stored.publicID, kind, .new, to: target, watches: [watch], changed: noon, at: noon + 60)
            if kind == .digest {
                message.digest = .init(events: Array(repeating: stored, count: 20), count: 40, expired: 2)
            } else {
                (message.publicID, message.event, message.firstID) = (stored.publicID, stored, "vd_first")
                message.before = kind == .announced ? nil : Said()
            }
            try checkForms(of: message)
        }
    }

    private static func checkForms(of message: Announcement) throws {
        guard let sender else { throw BrokenInvariant("there is no sender") }
        let forms: [MessageForm.Kind] = [.webhook, .slack, .ntfy, .mail(from: sender)]
        for kind in forms {
            let letter = MessageForm(kind, map: "https://quakes.example.org/").letter(message)
            let text = String(decoding: letter, as: UTF8.self)
            try hold(letter.count < longestLetter, "a letter of \(letter.count) bytes")
            guard kind != .mail(from: sender) else {
                try checkMail(text)
                continue
            }
            try TextCheck.check(json: text, "a letter")
            guard kind == .slack else { continue }
            try hold(!text.contains("<") && !text.contains(">"), "a chat has markup: \(quoted(text))")
            let pairs = zip(text.unicodeScalars, text.unicodeScalars.dropFirst())
            try hold(pairs.allSatisfy { $0 != "@" || $1 == "\u{200B}" }, "a chat mentions somebody: \(quoted(text))")
        }
    }

    /// A mail has each header once, in ASCII, and behind them nothing but base64.
    private static func checkMail(_ text: String) throws(BrokenInvariant) {
        let lines = text.split(separator: "\r\n" as Character, omittingEmptySubsequences: false)
        let head = lines.prefix { !$0.isEmpty }
        for line in head {
            let isPlain = line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            try hold(isPlain && line.utf8.count <= 998, "a header has the line \(quoted(String(line)))")
        }
        let names = head.filter { !$0.hasPrefix(" ") }.map { String($0.prefix { $0 != ":" }) }
        let known: Set = [
            "Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "Auto-Submitted", "List-Id",
            "X-Visiventd-Event", "X-Visiventd-Kind", "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
        ]
        try hold(known.isSuperset(of: names) && Set(names).count == names.count, "a mail has the headers \(names)")
        for line in lines.dropFirst(head.count) {
            let isBase64 = line.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x3D: true
                default: false
                }
            }
            try hold(isBase64 && line.utf8.count <= 76, "a mail has the line \(quoted(String(line)))")
        }
    }
}

/// A receiver on this machine that gives the input as its answer, and whoever sends to it.
private struct Receivers {
    static let web = Receivers(mail: nil)
    static let mail = Receivers(
        mail: MailAddress("visiventd@example.org").flatMap { from in
            var mail = Mail(from: from, to: from, text: Data("Subject: a\r\n\r\nb\r\n".utf8))
            mail.requiresTLS = false
            return mail
        })

    private let mail: Mail?
    private let server: Result<FixedServer, BrokenInvariant>
    private let fetcher: Result<Fetcher, Failure>

    private init(mail: Mail?) {
        self.mail = mail
        server = Result { () throws(BrokenInvariant) in try FixedServer(speaksFirst: mail != nil) }
        fetcher = Result { () throws(Failure) in
            try Fetcher(
                limits: FetchLimits(connectTimeout: .seconds(5), totalTimeout: .seconds(5), stallTimeout: .seconds(5)),
                now: { Date(timeIntervalSince1970: 1_772_323_200) })
        }
    }

    /// Sends a message, and judges what has come of it.
    func check(_ data: Data, of kind: Target.Kind) throws {
        let (server, fetcher) = (try server.get(), try fetcher.get())
        server.set(data)
        var request = FetchRequest(url: server.url, json: mail == nil ? "{}" : nil)
        if mail != nil { request.url = "smtp" + server.url.dropFirst(4) }
        (request.mail, request.takesAnySuccess) = (mail, true)
        let sent = request
        let outcome = QueueExecutor.shared.waiting { () -> Result<FetchOutcome, Failure> in
            do throws(Failure) { return .success(try await fetcher.fetch(sent)) } catch { return .failure(error) }
        }
        switch outcome {
        case .success(.body(let body))?:
            try hold((200..<300).contains(body.status), "\(body.status) counts as sent")
        case .success?, nil: break
        case .failure(let failure)?:
            try FailureCheck.check(failure)
            let verdict = DeliveryOutcome(failure, of: kind).verdict
            try hold(verdict != .sent, "a failure counts as sent")
            try hold((verdict == .gone) == (kind != .mail && failure.status == 410), "\(failure) counts as gone")
            try hold(failure.status != 429 || kind == .mail || verdict == .unsent, "429 is \(verdict)")
        }
    }
}
