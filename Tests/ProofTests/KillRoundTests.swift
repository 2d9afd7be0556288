import Foundation
import ProcessSupport
import Testing

/// The real program, killed by SIGKILL again and again at random moments of its polls, on one database throughout.
///
/// This proof alone uses real time, since a moment chosen by a fact would be an anticipated one.
@Suite(.enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"), .timeLimit(.minutes(60)))
struct KillRoundTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["VISIVENTD_KILL_ROUNDS"].flatMap { Int($0) } ?? 10

    @Test("kill -9 at random moments of large polls loses and doubles nothing, and no source is asked early")
    func kills() async throws {
        let rounds = try await KillRounds()
        defer { rounds.end() }
        // A complete run shows how long the polls take.
        let usual = try await rounds.live("whole")
        var left = try await rounds.inspect(after: "the first life")
        for round in 1...max(1, Self.rounds) {
            if round % 3 != 0 { rounds.feeds.advance() }
            // In some rounds a source is left to its schedule.
            let forced = KillRounds.sources.filter { $0 == "quakes" ? round % 5 != 0 : (round + $0.count) % 4 != 0 }
            let life = "round-\(round)"
            let process = try rounds.start(life)
            #expect(await process.says(" started ", "control="), "\(process.lines.all)")
            rounds.poll(forced) { _ in }
            try await Task.sleep(for: usual * (1.1 * Self.share(of: round)))
            process.signal(SIGKILL)
            #expect(await process.exit()?.status == -SIGKILL, "\(process.lines.all.suffix(5))")
            rounds.checkRequests(of: life, since: left, forced: forced)
            left = try await rounds.inspect(after: life, since: left)
        }

        // Every item ever offered is stored once.
        try await rounds.live("last")
        left = try await rounds.inspect(after: "the last life", since: left)
        #expect(Set(left.editions.values) == [rounds.feeds.edition])
        #expect(left.editions.count == 1 + ChangingFeeds.topics.count)
        #expect(left.messages == rounds.feeds.messageIDs)

        // Nothing has changed since: all sources are polled in time and conditionally, and nothing is written.
        let process = try rounds.start("idle")
        for source in KillRounds.sources {
            #expect(await process.says("poll ended", "source=\(source)"), "\(process.lines.all.suffix(5))")
        }
        process.signal(SIGTERM)
        #expect(await process.exit()?.status == 0)
        rounds.checkRequests(of: "idle", since: left, forced: [])
        let idle = rounds.feeds.arrivals.all.filter { $0.life == "idle" && $0.source != "messages" }
        #expect(Set(idle.map { $0.path }).count == 1 + ChangingFeeds.topics.count)
        #expect(idle.allSatisfy { $0.isUnchanged })
        #expect(try await rounds.inspect(after: "the idle life", since: left).lastChange == left.lastChange)
    }

    /// A pseudo-random number from 0 to 1 for a round (SplitMix64).
    private static func share(of round: Int) -> Double {
        var z = UInt64(round) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((z ^ (z >> 31)) >> 11) / Double(1 << 53)
    }
}
