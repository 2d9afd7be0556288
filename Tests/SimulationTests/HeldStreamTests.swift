import Engine
import Feeds
import Foundation
import Model
import Store
import Testing

@testable import Simulation

/// A stream in simulated time: when its lines are delivered, and their meaning.
@Suite struct HeldStreamTests {
    /// The result of a source's stream: the lines of each batch, the number of stream requests, and the codes of the
    /// failures that polls ended with.
    private func listen(
        _ pieces: [(after: Duration, text: String)], headers: [String: String] = [:],
        end: (after: Duration, code: String)? = nil, for length: Duration
    ) throws -> (batches: [StreamListener.Heard], requests: Int, failures: [String]) {
        let source = try #require(SimulatedSources.all.first { $0.isStream })
        let rules = #"{"data":[{"id":"5","value":"lava","tag":"visiventd:live"}],"meta":{}}"#
        let begin = InProcessDaemon.firstUptime + source.offset + .seconds(1)
        let stream = LiveStream(
            pieces.map { (begin + $0.after, Data($0.text.utf8)) }, headers: headers,
            end: end.map { (begin + $0.after, Failure(.network, $0.code, "it has ended")) })
        var opened = 0
        let daemon = try InProcessDaemon([source], secrets: [source.name: ["bearer": Secret("token")]]) { order in
            guard order.request.stream != nil else { return .body(Data(rules.utf8)) }
            opened += 1
            return .live(opened == 1 ? stream : LiveStream([]))
        }
        let listener = StreamListener(begin)
        daemon.observer = listener
        try daemon.advance(source.offset + .seconds(1) + length)
        return (listener.heard, opened, daemon.reports.compactMap { $0.end.failure?.code })
    }

    private func run(
        _ pieces: [(after: Duration, text: String)], end: (after: Duration, code: String)? = nil, for length: Duration
    ) throws -> (batches: [StreamListener.Heard], requests: Int) {
        let result = try listen(pieces, end: end, for: length)
        return (result.batches, result.requests)
    }

    private func line(_ id: Int) -> String {
        #"{"data":{"id":"\#(id)","text":"lava","created_at":"2026-02-28T23:00:00.000Z"},"#
            + #""matching_rules":[{"id":"5"}]}"# + "\r\n"
    }

    @Test func theFirstLineIsHandedOnAtOnceAndOthersTwoSecondsAfterTheFirstOfThem() throws {
        let pieces: [(after: Duration, text: String)] = [
            (.zero, "\r\n"), (.seconds(5), line(1)), (.seconds(6), line(2)), (.seconds(8), line(3)),
        ]
        let (heard, requests) = try run(pieces, for: .seconds(20))
        #expect(heard.map(\.at) == [.zero, .seconds(7), .seconds(10)])
        #expect(heard.map(\.lines) == [0, 2, 1])
        #expect(requests == 1)
    }

    @Test func aHundredLinesAreABatchAndALineWithoutItsEndIsNone() throws {
        let many = (1...130).map { line($0) }.joined()
        let pieces: [(after: Duration, text: String)] = [
            (.zero, "\r\n"), (.seconds(1), many), (.milliseconds(1500), #"{"data":{"id":"20"#),
        ]
        let (heard, requests) = try run(pieces, end: (.seconds(2), "reset"), for: .seconds(10))
        #expect(heard.map(\.lines) == [0, 100, 30])
        #expect(heard.map(\.at) == [.zero, .seconds(1), .seconds(2)])
        #expect(requests == 2, "it is opened again")
    }

    @Test(arguments: [("stream_ended", [1]), ("reset", [])])
    func aLineWithoutItsEndIsOneWhereNothingElseHasComeAndTheStreamEndsInOrder(code: String, lines: [Int]) throws {
        let (heard, _) = try run([(.zero, "OK")], end: (.seconds(1), code), for: .seconds(3))
        #expect(heard.map(\.lines) == lines)
    }

    @Test func aPageInPlaceOfAStreamIsNoStream() throws {
        let result = try listen([(.zero, "\r\n")], headers: ["content-type": "text/html"], for: .seconds(3))
        #expect(result.batches.isEmpty && result.failures == ["html_page"])
    }

    @Test func aStreamThatBeginsWithALineThatIsTooLongIsGivenUp() throws {
        let long = String(repeating: "x", count: 2 << 20) + "\r\n"
        let result = try listen([(.zero, long)], for: .seconds(3))
        #expect(result.batches.map(\.lines) == [0] && result.failures == ["line_too_long"])
    }

    @Test func theDecoderFindsWhatTheLinesMean() throws {
        let start = InProcessDaemon.start
        let faults = Faults(seed: 7, from: start, days: 6, hasDisk: false, isEmpty: true)
        let world = World(seed: 7, from: start, to: start.addingTimeInterval(6 * 86_400), faults: faults)
        let messages = world.messages.live(after: start, until: start.addingTimeInterval(86_400))
        #expect(messages.count > 10)
        let broken = String(world.messages.line(messages[0], rule: "2").dropLast(9))
        let foreign = world.messages.line(messages[0], rule: "1")
        let lines = messages.dropFirst().map { world.messages.line($0, rule: "2") } + [broken, foreign]
        let body = Data(lines.joined(separator: "\n").utf8)
        let source = try #require(SimulatedSources.all.first { $0.isStream })
        let feed = try #require(try FeedRegistry.feed(for: source))
        let request = FeedRequest(url: source.url, role: "stream", notes: ["rules": "2"])
        let answer = try feed.decode(FeedResponse(request: request, body: body), for: PollContext(now: start))
        let (meant, isFarewell) = world.stream.meaning(of: body)
        #expect(answer.events.map(\.id) == meant.expectedEvents.map { $0.names[0] })
        #expect(answer.events.map(\.title) == meant.expectedEvents.map(\.title))
        #expect(answer.issues.filter { $0.costsItem }.count == 2 && meant.badItems == 2 && !isFarewell)
    }
}

/// Records when lines of a stream reach the engine.
private final class StreamListener: DaemonObserver {
    struct Heard {
        var at: Duration
        var lines: Int
    }

    private let begin: Duration
    private(set) var heard: [Heard] = []

    init(_ begin: Duration) { self.begin = begin }

    func heard(_ id: FetchID, _ lines: Data, at now: Moment) {
        heard.append(Heard(at: now.uptime - begin, lines: lines.filter { $0 == UInt8(ascii: "\n") }.count))
    }

    func sending(_ order: FetchOrder, at now: Moment) {}
    func landed(_ id: FetchID, _ input: Input, at now: Moment) {}
    func cancelled(_ id: FetchID) {}
    func abandoned(_ source: String, at now: Moment) {}
    func wrote(_ content: StoreWrite, answering id: FetchID?, _ result: StoreResult, at now: Moment) {}
    func writeFailed(_ content: StoreWrite, answering id: FetchID?, _ error: StoreError, at now: Moment) {}
    func wasReset(_ source: String, includingEvents: Bool, _ error: StoreError?, at now: Moment) {}
    func truncated(asOf: Date, _ error: StoreError?, at now: Moment) {}
    func reads(_ reading: ConfigurationReading, by daemon: InProcessDaemon, at now: Moment) {}
    func reloaded(_ report: ReloadReport, by daemon: InProcessDaemon, at now: Moment) {}
    func noticed(_ notice: Notice, at now: Moment) {}
}
