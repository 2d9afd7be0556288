import Foundation
import Model

/// Short messages: a search with pages and `since_id`, a filtered stream with half of the messages of the search, and a
/// file of an old stream with delete messages.
final class MessageWorld {
    struct Message {
        let id: Int64
        let written: Date
        let number: Int
        let isOfStream: Bool
        /// When its author deletes it; nil: never.
        let deleted: Date?

        func isDeleted(at time: Date) -> Bool { deleted.map { $0 <= time } ?? false }

        /// The message in the format of API v2.
        var data: String {
            """
            {"id":"\(id)","text":"\(text)","author_id":"\(1000 + number)","created_at":"\(written.rfc3339)"}
            """
        }

        /// Its author in the format of API v2.
        var user: String {
            """
            {"id":"\(1000 + number)","name":"Observer","username":"observer\(number)","location":"\(home)"}
            """
        }

        var text: String { "lava seen, says observer \(number)" }
        var home: String { "Villa \(number % 70)" }
    }

    /// All messages, oldest first.
    private var messages: [Message] = []
    /// How far back a search reaches, in seconds: less than the promised 7 days.
    private static let reach = 5 * 86_400.0
    /// How long the file of the stream keeps messages, in seconds.
    private static let kept = 20 * 3600.0

    init(seed: UInt64, from start: Date, to end: Date) {
        var chance = Chance(seed: seed, purpose: "messages")
        var time = start.addingTimeInterval(-2 * 86_400)
        while true {
            time = Date(milliseconds: time.milliseconds + 1000 * Int64(clamping: chance.within(200...1800)))
            guard time < end else { break }
            let deleted = chance.happens(0.08) ? time.addingTimeInterval(chance.within(3600...60_000).rounded()) : nil
            messages.append(
                Message(
                    id: (time.milliseconds - 1_288_834_974_657) << 22, written: time, number: messages.count,
                    isOfStream: chance.happens(0.3), deleted: deleted.flatMap { $0 <= end ? $0 : nil }))
        }
    }

    /// The result of a search: a page with the number of billed messages, or the refusal of an id as too old.
    enum Page {
        case page(WorldDocument, billed: Int)
        case tooOld
    }

    /// The answer to a search of API v2.
    func search(_ parameters: [String: String], at time: Date) -> Page {
        let since = parameters["since_id"].flatMap { Int64($0) } ?? 0
        let until = parameters["until_id"].flatMap { Int64($0) } ?? .max
        let floor = (time.addingTimeInterval(-Self.reach).milliseconds - 1_288_834_974_657) << 22
        if since > 0, since < floor { return .tooOld }
        if until < floor { return .tooOld }
        let size = parameters["max_results"].flatMap { Int($0) } ?? 10
        let first = parameters["next_token"].flatMap { Int64($0) } ?? .max
        let (above, below) = (max(since, floor), min(until, first))
        let found = messages.reversed().filter { message in
            if message.isOfStream || message.written > time || isDeleted(message, at: time) { return false }
            return message.id > above && message.id < below
        }
        let page = found.prefix(size)
        let (data, users) = (page.map { $0.data }, page.map { $0.user })
        let next = found.count > page.count ? page.last.map { ",\"next_token\":\"\($0.id)\"" } ?? "" : ""
        let list = page.isEmpty ? "" : "\"data\":[\(data.joined(separator: ","))],"
        let body = """
            {\(list)"includes":{"users":[\(users.joined(separator: ","))]},"meta":{"result_count":\(page.count)\(next)}}
            """
        return .page(
            WorldDocument(body: Data(body.utf8), expectedEvents: page.map { expected($0) }), billed: page.count)
    }

    /// The file of the stream: messages and deletions of the last 20 hours, one per line.
    func stream(at time: Date) -> WorldDocument {
        let oldest = time.addingTimeInterval(-Self.kept)
        var document = WorldDocument(body: Data())
        var lines: [(at: Date, line: String)] = []
        for message in messages {
            if message.isOfStream, message.written <= time, message.written > oldest, !isDeleted(message, at: time) {
                document.expectedEvents.append(expected(message))
                lines.append(
                    (
                        message.written,
                        """
                        {"id_str":"\(message.id)","text":"\(message.text)","lang":"en",\
                        "user":{"screen_name":"observer\(message.number)","name":"Observer",\
                        "location":"\(message.home)"}}
                        """
                    ))
            }
            if let deleted = message.deleted, deleted <= time, deleted > oldest {
                document.expectedEvents.append(ExpectedEvent("twitter", ["\(message.id)"], purpose: .erasure))
                lines.append((deleted, #"{"delete":{"status":{"id":\#(message.id),"id_str":"\#(message.id)"}}}"#))
            }
        }
        lines.sort { ($0.at, $0.line) < ($1.at, $1.line) }
        // A stream without messages sends blank lines, but an empty body would be refused.
        lines.append((time, #"{"warning":{"code":"NONE"}}"#))
        document.body = Data(lines.map { $0.line + "\r\n" }.joined().utf8)
        return document
    }

    private func isDeleted(_ message: Message, at time: Date) -> Bool { message.isDeleted(at: time) }

    // MARK: - The filtered stream

    /// Messages of the filtered stream in a span of time, without its first moment.
    func live(after start: Date, until end: Date) -> [Message] {
        messages.filter { !$0.isOfStream && $0.number % 2 == 0 && $0.written > start && $0.written <= end }
    }

    /// A message as a line of the filtered stream, with the id of the matching rule.
    func line(_ message: Message, rule: String) -> String {
        #"{"data":\#(message.data),"includes":{"users":[\#(message.user)]},"matching_rules":[{"id":"\#(rule)"}]}"#
    }

    /// The message of a line; nil: the line begins in another way.
    func expected(ofLine line: String) -> ExpectedEvent? {
        let beginning = #"{"data":{"id":""#
        guard line.hasPrefix(beginning), let id = Int64(line.dropFirst(beginning.count).prefix { $0 != "\"" })
        else { return nil }
        return messages.first { $0.id == id }.map { expected($0) }
    }

    private func expected(_ message: Message) -> ExpectedEvent {
        ExpectedEvent(
            "twitter", ["\(message.id)"], time: message.written, updated: message.written, title: message.text)
    }

    /// Messages of the search that were written after a time and can still be read.
    func searchable(after: Date, at time: Date) -> [ExpectedEvent] {
        messages.filter { !$0.isOfStream && $0.written > after && $0.written <= time && !isDeleted($0, at: time) }
            .map { expected($0) }
    }
}
