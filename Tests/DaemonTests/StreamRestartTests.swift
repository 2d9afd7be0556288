import Engine
import Foundation
import Model
import Simulation
import Testing

/// A stream is killed after each of its effects and reopened from the database.
@Suite struct StreamRestartTests {
    private static let url = "https://api.test/2/tweets/search/stream"
    private static let rules = #"{"data":[{"id":"5","value":"lava","tag":"visiventd:messages"}],"meta":{}}"#
    private static let ids = (10..<20).map { "20280483474277663\($0)" }

    /// A provider that repeats all messages at each opening, three at a time, and then disconnects unless it `stays`.
    private final class Provider {
        var billed = 0
        private let stays: Bool

        init(stays: Bool = false) { self.stays = stays }

        func answer(_ order: FetchOrder) -> ScriptedAnswer {
            guard order.request.stream != nil else { return .body(Data(StreamRestartTests.rules.utf8)) }
            billed += StreamRestartTests.ids.count
            let lines = StreamRestartTests.ids.map { id in
                #"{"data":{"id":"\#(id)","text":"lava","created_at":"2026-02-28T23:00:00.000Z"},"#
                    + #""matching_rules":[{"id":"5"}]}"# + "\n"
            }
            let opened =
                InProcessDaemon.firstUptime
                + .milliseconds(order.context.now.milliseconds - InProcessDaemon.start.milliseconds)
            // A batch waits two seconds for more lines.
            let pieces = stride(from: 0, to: lines.count, by: 3).map { start in
                (
                    at: opened + .milliseconds(700 * start),
                    bytes: Data(lines[start..<min(start + 3, lines.count)].joined().utf8)
                )
            }
            let end = (at: opened + .seconds(7), failure: Failure(.network, .cutShort, "the answer broke off"))
            return .live(LiveStream(pieces, end: stays ? nil : end))
        }
    }

    private func makeDaemon(_ provider: Provider, writesLag: Bool) throws -> InProcessDaemon {
        let source = SourceSettings(
            name: "messages", kind: "twitter", url: Self.url, refreshInterval: .seconds(3600),
            options: ["mode": .text("stream"), "query": .text("lava"), "monthly_cap": .integer(1_000_000)])
        let daemon = try InProcessDaemon(
            [source], secrets: ["messages": ["bearer": Secret("token")]],
            truncation: TruncationPlan(first: .seconds(86_400))
        ) { provider.answer($0) }
        daemon.writesLag = writesLag
        return daemon
    }

    @Test(arguments: [false, true])
    func aKillAtAnyPointLosesNothingAndDoublesNothing(writesLag: Bool) throws {
        let whole = try makeDaemon(Provider(), writesLag: writesLag)
        try whole.advance(.seconds(8))
        let effects = whole.carriedOut
        #expect(effects > 15)
        try expectComplete(whole, "not killed")
        for moment in 1...effects {
            let provider = Provider()
            let daemon = try makeDaemon(provider, writesLag: writesLag)
            daemon.lifetime = moment
            try daemon.advance(.seconds(8))
            try #require(daemon.isDead)
            let record = try #require(try daemon.records()["messages"])
            let before = daemon.sent.count
            daemon.writesLag = false
            try daemon.restart()
            try daemon.advance(.seconds(100))
            try expectComplete(daemon, "killed after \(moment) effects")
            let paid = try daemon.records()["messages"]?.paidReads ?? 0
            #expect(paid >= provider.billed, "reads that cost money are counted although the answer was lost")
            // An open stream keeps its distance from the last attempt; otherwise the due time holds.
            let due = record.dueReason == .stream ? record.lastAttempt.map { $0 + 60 } : record.nextDue
            if let due { #expect(daemon.sent[before].context.now >= due - 0.01, "killed after \(moment) effects") }
        }
    }

    private func expectComplete(_ daemon: InProcessDaemon, _ what: String) throws {
        #expect(try daemon.column("SELECT upstream_id FROM events_v1 ORDER BY 1") == Self.ids, "\(what)")
        #expect(try daemon.column("SELECT DISTINCT revision FROM events_v1") == ["1"], "\(what)")
        #expect(try daemon.number("SELECT count(*) FROM changes_v1") == Self.ids.count, "\(what)")
    }

    /// Ten runs end with their first request: a crash loop does not hammer a host.
    @Test func aCrashLoopHammersNoHost() throws {
        let daemon = try makeDaemon(Provider(), writesLag: false)
        for _ in 0..<10 {
            // The third effect is the first request: notice, attempt, request.
            daemon.lifetime = 3
            try daemon.advance(.seconds(5))
            try daemon.restart()
        }
        #expect(daemon.sent.count == 1, "one attempt a minute, not one for each life")
    }

    @Test func aStopClosesAnOpenStream() throws {
        let provider = Provider(stays: true)
        let daemon = try InProcessDaemon(
            [
                SourceSettings(
                    name: "messages", kind: "twitter", url: Self.url, refreshInterval: .seconds(3600),
                    options: ["mode": .text("stream"), "query": .text("lava"), "monthly_cap": .integer(1000)])
            ], secrets: ["messages": ["bearer": Secret("token")]]
        ) { provider.answer($0) }
        try daemon.advance(.seconds(30))
        #expect(try daemon.records()["messages"]?.dueReason == .stream)
        #expect(daemon.reports.count == 1)
        try daemon.stop()
        #expect(daemon.hasStopped)
        #expect(try daemon.records()["messages"]?.paidReads == Self.ids.count)
        try daemon.restart()
        try daemon.advance(.seconds(61))
        #expect(try daemon.records()["messages"]?.dueReason == .stream, "it is opened again")
    }
}
