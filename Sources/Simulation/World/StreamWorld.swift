import Daemon
import Engine
import Foundation
import Model

/// The filtered stream of API v2 with its rules: what it sends over each connection, and how the connection ends.
final class StreamWorld {
    static let url = "https://live.test/2/tweets/search/stream"
    /// The id of another client's rule.
    private static let foreignRule = "1"
    /// How far back a connection may repeat messages, in seconds: enough for more lines than a batch holds.
    private static let repeats = 4.5 * 86_400

    private let start: Date
    private let messages: MessageWorld
    private let faults: Faults
    private var chance: Chance
    private var rules: [(id: String, value: String, tag: String)] = [(foreignRule, "traffic", "somebody else")]
    private var lastRule = 1

    init(seed: UInt64, from start: Date, messages: MessageWorld, faults: Faults) {
        self.start = start
        self.messages = messages
        self.faults = faults
        chance = Chance(seed: seed, purpose: "stream")
    }

    /// The answer to a request for the rules, for their change or for the stream.
    func reply(to order: FetchOrder, at time: Date) -> WorldReply {
        var reply: WorldReply
        if order.request.stream == nil {
            reply = WorldReply(.body(change(order.request.json)))
        } else if let end = faults.end, time < end, chance.happens(0.15) {
            faults.hit(.streamRefused)
            let status = chance.pick([429, 503])
            reply = WorldReply(.failure(Failure(.server, "http_\(status)", "answered \(status)", status: status)))
        } else {
            reply = WorldReply(.live(connection(at: time)))
        }
        reply.delay = .milliseconds(Int64(20 + chance.below(380)))
        return reply
    }

    // MARK: - Rules

    /// Changes the rules if the request says so, and lists them.
    private func change(_ json: String?) -> Data {
        let asked = json.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) } as? [String: Any]
        if let ids = (asked?["delete"] as? [String: Any])?["ids"] as? [String] {
            rules.removeAll { ids.contains($0.id) }
        }
        for rule in asked?["add"] as? [[String: String]] ?? [] {
            lastRule += 1
            rules.append((id: "\(lastRule)", value: rule["value"] ?? "", tag: rule["tag"] ?? ""))
        }
        let list = rules.map { #"{"id":"\#($0.id)","value":"\#($0.value)","tag":"\#($0.tag)"}"# }
        return Data(#"{"data":[\#(list.joined(separator: ","))],"meta":{"result_count":\#(list.count)}}"#.utf8)
    }

    // MARK: - A connection

    private func uptime(_ time: Date) -> Duration {
        InProcessDaemon.firstUptime + .milliseconds(time.milliseconds - start.milliseconds)
    }

    /// The whole script of a connection made at a time.
    private func connection(at time: Date) -> LiveStream {
        let isTroubled = faults.end.map { time < $0 } ?? false
        let ending = isTroubled ? chance.pick([FaultKind.streamBreak, .streamSilence, .streamEnd]) : nil
        let end = ending == nil ? .distantFuture : time.addingTimeInterval(chance.within(60...60_000))
        var stream = LiveStream([(uptime(time), Data("\r\n".utf8))])
        let ours = rules.first { $0.id != Self.foreignRule }?.id ?? Self.foreignRule
        let repeated = isTroubled && chance.happens(0.2) ? messages.live(after: time - Self.repeats, until: time) : []
        for message in repeated where !message.isDeleted(at: time) {
            send(messages.line(message, rule: ours), at: time, over: &stream)
        }
        for message in messages.live(after: time, until: end) {
            let time = message.written.addingTimeInterval(chance.within(0.3...3))
            if isTroubled, chance.happens(0.04) {
                let isForeign = chance.happens(0.5)
                let line = messages.line(message, rule: isForeign ? Self.foreignRule : ours)
                send(isForeign ? line : String(line.dropLast(9)), at: time, over: &stream)
            }
            send(messages.line(message, rule: ours), at: time, over: &stream)
        }
        guard let ending else { return stream }
        let last = max(uptime(end), (stream.pieces.last?.at ?? .zero) + .milliseconds(100))
        switch ending {
        case .streamBreak:
            stream.pieces.append((last, Data(#"{"data":{"id":"20"#.utf8)))
            stream.end = (last + .milliseconds(50), Failure(.network, .reset, "the connection to live.test broke"))
        case .streamSilence:
            let silence = Duration.seconds(25)
            stream.end = (last + silence, Failure(.network, .stalled, "live.test sent nothing for 25s"))
        default:
            let words = #"{"errors":[{"title":"\#(Self.closingTitle)","detail":"This stream has been disconnected."}]}"#
            stream.pieces.append((last, Data((words + "\r\n").utf8)))
            stream.end = (last + .milliseconds(chance.below(2) == 0 ? 10 : 3000), Failure.streamEnded)
        }
        return stream
    }

    private static let closingTitle = "operational-disconnect"

    /// Sends a line in pieces, after everything sent so far.
    private func send(_ line: String, at time: Date, over stream: inout LiveStream) {
        var at = max(uptime(time), stream.pieces.last?.at ?? .zero)
        var rest = Data((line + "\r\n").utf8)[...]
        for _ in 0..<chance.below(3) {
            let piece = rest.prefix(chance.below(rest.count))
            rest = rest.dropFirst(piece.count)
            stream.pieces.append((at, Data(piece)))
            at += .milliseconds(chance.below(200))
        }
        stream.pieces.append((at, Data(rest)))
    }

    // MARK: - For the oracle

    /// The meaning of lines of the stream, and whether they announce its end.
    func meaning(of lines: Data) -> (document: WorldDocument, isFarewell: Bool) {
        var document = WorldDocument(body: lines)
        var isFarewell = false
        for bytes in lines.split(separator: UInt8(ascii: "\n")) {
            let line = String(decoding: bytes, as: UTF8.self)
            if line.contains(Self.closingTitle) {
                isFarewell = true
            } else if line.hasSuffix("}"), !line.contains(#"[{"id":"\#(Self.foreignRule)"}]"#),
                let expected = messages.expected(ofLine: line)
            {
                document.expectedEvents.append(expected)
            } else {
                document.badItems += 1
            }
        }
        return (document, isFarewell)
    }
}
