import Engine
import ProcessSupport
import Testing

@testable import Daemon

@Suite(.timeLimit(.minutes(60))) struct TimeSourceTests {
    private let clock = ManualClock()

    /// Sleeps until an uptime that starts at 1000 s; false if cancelled.
    private func sleeper(until seconds: Int) -> Task<Bool, Never> {
        Task { [time = clock.time] in (try? await time.sleep(until: .seconds(seconds))) != nil }
    }

    private func alarms(_ count: Int) async {
        _ = await clock.alarms.wait { $0.count >= count }
    }

    @Test func eachSleeperWakesAtItsTime() async {
        let late = sleeper(until: 1060)
        await alarms(1)
        let early = sleeper(until: 1005)
        await alarms(2)
        clock.advance(.seconds(5))
        #expect(await early.value)
        clock.advance(.seconds(55))
        #expect(await late.value)
    }

    @Test func aCancelledSleepThrowsAtOnce() async {
        let task = sleeper(until: 5000)
        await alarms(1)
        task.cancel()
        #expect(await task.value == false)
        let cancelledBefore = Task { [time = clock.time] in
            withUnsafeCurrentTask { $0?.cancel() }
            return (try? await time.sleep(until: .seconds(5000))) != nil
        }
        #expect(await cancelledBefore.value == false)
    }

    @Test func aLiveTimerRingsOnceForEachTimeItIsSetTo() async {
        let rings = Facts<Duration>()
        let timer = TimeSource.live.timer { rings.append(TimeSource.live.now().uptime) }
        let past = TimeSource.live.now().uptime - .seconds(1)
        timer.set(past)
        _ = await rings.wait { $0.count == 1 }
        let soon = TimeSource.live.now().uptime + .milliseconds(20)
        timer.set(soon + .seconds(3600))
        timer.set(soon)
        _ = await rings.wait { $0.count == 2 }
        #expect(rings.all[1] >= soon, "it must not ring before its time")
        timer.stop()
        #expect(rings.all.count == 2)
    }
}
