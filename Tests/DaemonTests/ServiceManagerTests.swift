import Foundation
import ProcessSupport
import Store
import TestSupport
import Testing

@testable import Daemon
@testable import Engine

/// Messages to the service manager, on real sockets.
@Suite(.timeLimit(.minutes(60))) struct ServiceManagerTests {
    private let directory = TemporaryDirectory()

    // MARK: - The protocol

    @Test(arguments: [false, true])
    func messagesArriveAtPathsAndAbstractNames(isAbstract: Bool) throws {
        let listener = try NotifyListener(
            isAbstract ? "@visiventd-test-\(UUID().uuidString)" : directory.path + "/notify.sock")
        let manager = ServiceManager(environment: listener.environment())
        #expect(manager.isPresent)
        manager.ready("4 sources")
        manager.ready()
        manager.alive()
        manager.status("3 sources")
        manager.extendStart(by: .seconds(90))
        manager.stopping()
        #expect(
            listener.take() == [
                "READY=1\nSTATUS=4 sources", "READY=1", "WATCHDOG=1", "STATUS=3 sources",
                "EXTEND_TIMEOUT_USEC=90000000",
                "STOPPING=1\nSTATUS=Stopping",
            ])
    }

    @Test func aReloadBearsTheMonotonicClock() throws {
        let listener = try NotifyListener(directory.path + "/notify.sock")
        let manager = ServiceManager(environment: listener.environment())
        func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
        }
        let before = now()
        manager.reloading()
        let after = now()
        let lines = try #require(listener.take().first).split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let time = try #require(lines.last?.split(separator: "=").last.flatMap { Int($0) })
        #expect(lines.last?.hasPrefix("MONOTONIC_USEC=") == true)
        #expect((before...after).contains(time))
    }

    @Test func aStatusIsOneLineWithoutControlCharacters() throws {
        let listener = try NotifyListener(directory.path + "/notify.sock")
        let manager = ServiceManager(environment: listener.environment())
        manager.status("a\nREADY=1\u{1B}[31m\u{9B}b\u{202E}c\u{2028}d\tü")
        manager.status(String(repeating: "x", count: 5000))
        let messages = listener.take()
        #expect(messages.first == "STATUS=a READY=1 [31m b c d ü")
        #expect(messages.last?.count == 407)
    }

    @Test(arguments: ["", "@", "notify.sock", "vsock:2:1234", "/" + String(repeating: "x", count: 107)])
    func whatIsNoAddressIsNoManager(address: String) {
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000000"])
        #expect(!manager.isPresent)
        #expect(manager.watchdog == nil)
        manager.ready()
    }

    @Test func withoutASocketNothingIsDone() {
        let manager = ServiceManager(environment: ["WATCHDOG_USEC": "1000000"])
        #expect(!manager.isPresent)
        #expect(manager.watchdog == nil)
        #expect(manager.whileStarting { 7 } == 7)
    }

    @Test func aManagerThatHasGoneStopsNobody() throws {
        let path = directory.path + "/notify.sock"
        let environment = try NotifyListener(path).environment()
        let manager = ServiceManager(environment: environment)
        #expect(manager.isPresent)
        manager.ready()
        manager.alive()
    }

    @Test func aManagerThatDoesNotReadHoldsNobodyUpAndHearsLaterWhatMatters() async throws {
        let listener = try NotifyListener(directory.path + "/notify.sock")
        let manager = ServiceManager(environment: listener.environment())
        // More messages than any queue holds; waiting for each would outlast the test.
        for _ in 0..<20_000 { manager.status("full") }
        for _ in 0..<2 { manager.alive() }
        manager.status("lost")
        manager.ready()
        manager.stopping()
        let messages = listener.collect()
        let isOver = await messages.wait { messages in messages.contains { $0.hasPrefix("STOPPING=1") } }
        #expect(isOver)
        let late = Array(messages.all.drop { $0 == "STATUS=full" })
        #expect(late == ["WATCHDOG=1", "READY=1", "STOPPING=1\nSTATUS=Stopping"])
    }

    // MARK: - The watchdog's interval

    @Test(
        arguments: [
            (["WATCHDOG_USEC": "300000000"], Duration.seconds(300)),
            (["WATCHDOG_USEC": "300000000", "WATCHDOG_PID": "42"], .seconds(300)),
            (["WATCHDOG_USEC": "300000000", "WATCHDOG_PID": "43"], nil),
            (["WATCHDOG_USEC": "300000000", "WATCHDOG_PID": "x"], nil),
            (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-5"], nil),
            (["WATCHDOG_USEC": "soon"], nil),
            ([:], nil),
        ] as [([String: String], Duration?)])
    func theWatchdogIsThatOfThisProcess(environment: [String: String], expected: Duration?) throws {
        let listener = try NotifyListener(directory.path + "/notify.sock")
        let manager = ServiceManager(
            environment: environment.merging(listener.environment()) { own, _ in own }, process: 42)
        #expect(manager.watchdog == expected)
    }

    // MARK: - Starting

    /// However seldom the use is checked later, the first second of work is followed by a request.
    @Test(arguments: [
        (Duration.milliseconds(20), "EXTEND_TIMEOUT_USEC=1000000"),
        (Duration.seconds(3600), "EXTEND_TIMEOUT_USEC=21600000000"),
    ])
    func aLongOpeningAsksForMoreTime(interval: Duration, expected: String) async throws {
        let listener = try NotifyListener(directory.path + "/notify.sock")
        let manager = ServiceManager(environment: listener.environment())
        let message: String? = await withCheckedContinuation { continuation in
            // The work lasts until its message is read, on a thread apart from those of the tests.
            Thread.detachNewThread {
                let message = manager.whileStarting(every: interval) { () -> String? in
                    let end = ContinuousClock.now + .seconds(30)
                    while ContinuousClock.now < end {
                        if let message = listener.take().first { return message }
                    }
                    return nil
                }
                continuation.resume(returning: message)
            }
        }
        #expect(message == expected)
    }

    // MARK: - The status line

    @Test func theStatusSumsUpTheSources() {
        let now = Moment(wall: Date(timeIntervalSince1970: 1_772_359_200.4), uptime: .seconds(1000))
        func line(_ summary: EngineSummary, _ refused: RefusedConfiguration? = nil) -> String {
            summary.line(at: now, refused: refused)
        }
        #expect(line(EngineSummary(enabled: 0)) == "no source is enabled")
        #expect(line(EngineSummary(enabled: 1)) == "1 source; polling")
        #expect(
            line(EngineSummary(enabled: 12, nextPoll: .seconds(1060))) == "12 sources; next poll 2026-03-01T10:01:00Z")
        #expect(
            line(EngineSummary(enabled: 12, failing: ["bbc", "usgs"], nextPoll: .seconds(1000)))
                == "12 sources, 2 failing (bbc, usgs); next poll 2026-03-01T10:00:00Z")
        #expect(
            line(EngineSummary(enabled: 9, failing: ["a", "b", "c", "d", "e", "f", "g"]))
                == "9 sources, 7 failing (a, b, c, d, e and 2 more); polling")
        #expect(
            line(EngineSummary(enabled: 2, nextPoll: .seconds(900), storePausedUntil: .seconds(1030)))
                == "polls pause: nothing can be stored, next try 2026-03-01T10:00:30Z; 2 sources")
        // Problems precede the counts; a past time is left out.
        let full = EngineSummary(enabled: 4, failing: ["bbc"], nextPoll: .seconds(900), missingSpace: 288 << 20)
        #expect(line(full) == "polls pause: disk, until 288 MiB are free; 4 sources, 1 failing (bbc)")
        #expect(full.pauses(at: now) == ["polls pause: disk, until 288 MiB are free"])
        #expect(EngineSummary(enabled: 1, setback: "bbc: no descriptor is left").pauses(at: now).isEmpty)
        #expect(
            line(EngineSummary(enabled: 1, nextPoll: .seconds(1060), setback: "bbc: no descriptor is left"))
                == "polls postponed: bbc: no descriptor is left; 1 source; next poll 2026-03-01T10:01:00Z")
        #expect(
            line(EngineSummary(enabled: 1, clockError: -3_456_000))
                == "the clock is 40d ahead of servers; 1 source; polling")
        let faults = ["v.yaml:3:5: kind: found cup", "v.yaml:9:1: found x"]
        #expect(
            line(EngineSummary(enabled: 1), RefusedConfiguration(at: now.wall, faults: faults))
                == "configuration refused: v.yaml:3:5: kind: found cup and 1 more; 1 source; polling")
    }
}
