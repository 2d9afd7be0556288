import Model
import Testing

@testable import Daemon

/// The times of watchdog messages and status messages.
@Suite struct ServicePulseTests {
    private static let start = Duration.seconds(1000)
    private static func at(_ seconds: Int) -> Duration { start + .seconds(seconds) }

    @Test func withoutAWatchdogNobodyIsWoken() {
        var pulse = ServicePulse(watchdog: nil, at: Self.start)
        #expect(pulse.beat(oldest: nil, at: Self.at(0)) == nil)
        #expect(pulse.wake(before: nil) == nil)
        #expect(pulse.wake(before: Self.at(7)) == Self.at(7))
        let told1 = pulse.tellsStatus(at: Self.at(0))
        #expect(!told1)
    }

    @Test func aTickComesThreeTimesAnInterval() {
        var pulse = ServicePulse(watchdog: .seconds(300), at: Self.start)
        #expect(pulse.wake(before: nil) == Self.start)
        #expect(pulse.beat(oldest: nil, at: Self.at(0)) == .alive)
        #expect(pulse.wake(before: nil) == Self.at(100))
        #expect(pulse.wake(before: Self.at(30)) == Self.at(30))
        #expect(pulse.wake(before: Self.at(130)) == Self.at(100))
        #expect(pulse.beat(oldest: nil, at: Self.at(101)) == .alive)
        #expect(pulse.wake(before: nil) == Self.at(201))
    }

    @Test func aTickOfTheScheduleStandsInForOneOfTheWatchdog() {
        var pulse = ServicePulse(watchdog: .seconds(300), at: Self.start)
        _ = pulse.beat(oldest: nil, at: Self.at(0))
        #expect(pulse.beat(oldest: nil, at: Self.at(49)) == nil)
        #expect(pulse.wake(before: nil) == Self.at(100))
        #expect(pulse.beat(oldest: nil, at: Self.at(50)) == .alive)
        #expect(pulse.wake(before: nil) == Self.at(150))
    }

    @Test func workThatDoesNotComeBackStarvesTheWatchdog() {
        var pulse = ServicePulse(watchdog: .seconds(300), at: Self.start)
        let write = BlockingWork.Piece(name: "a write", since: Self.at(10))
        var beats: [ServicePulse.Beat?] = []
        for seconds in stride(from: 0, through: 2100, by: 100) {
            beats.append(pulse.beat(oldest: seconds == 0 ? nil : write, at: Self.at(seconds)))
            #expect(pulse.wake(before: nil) == Self.at(seconds + 100))
        }
        #expect(beats.prefix(19).allSatisfy { $0 == .alive }, "a slow disk is no hang")
        #expect(beats[19] == .hung(write))
        #expect(beats[20...].allSatisfy { $0 == nil })
        #expect(pulse.beat(oldest: nil, at: Self.at(2200)) == .alive, "it has come back after all")
    }

    @Test func aWatchdogThatWaitsForNextToNothingDoesNotKeepTheProcessorBusy() {
        var pulse = ServicePulse(watchdog: .microseconds(1), at: Self.start)
        #expect(pulse.isTooSlow)
        #expect(pulse.beat(oldest: nil, at: Self.at(0)) == .alive)
        #expect(pulse.wake(before: nil) == Self.start + .milliseconds(100))
        #expect(!ServicePulse(watchdog: .milliseconds(300), at: Self.start).isTooSlow)
    }

    @Test func changesThatComeTogetherAreOneLine() {
        var pulse = ServicePulse(watchdog: nil, at: Self.start)
        pulse.changed(at: Self.at(0))
        let told2 = pulse.tellsStatus(at: Self.at(0))
        #expect(told2)
        let told3 = pulse.tellsStatus(at: Self.at(0))
        #expect(!told3)
        #expect(pulse.wake(before: nil) == nil)
        pulse.changed(at: Self.at(1))
        let told4 = pulse.tellsStatus(at: Self.at(1))
        #expect(!told4)
        pulse.changed(at: Self.at(1))
        #expect(pulse.wake(before: Self.at(60)) == Self.at(2))
        let told5 = pulse.tellsStatus(at: Self.at(2))
        #expect(told5)
        #expect(pulse.wake(before: Self.at(60)) == Self.at(60))
        pulse.changed(at: Self.at(50))
        let told6 = pulse.tellsStatus(at: Self.at(50))
        #expect(told6, "what comes alone is told at once")
    }

    @Test func theOldestWorkCounts() {
        let clock = ManualClock()
        let work = BlockingWork { clock.now.uptime }
        #expect(work.oldest == nil)
        work.begin("a decoder")
        let began = clock.now.uptime
        clock.advance(.seconds(1))
        work.begin("a write")
        #expect(work.oldest == BlockingWork.Piece(name: "a decoder", since: began))
        work.end("a decoder")
        #expect(work.oldest == BlockingWork.Piece(name: "a write", since: began + .seconds(1)))
        work.end("a write")
        #expect(work.oldest == nil)
    }
}
