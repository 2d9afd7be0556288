import Testing

@testable import Daemon

/// The clock's alarms are the pauses that the queue asks for.
@Suite(.timeLimit(.minutes(1))) struct SleepQueueTests {
    private let clock = ManualClock()
    private let queue: SleepQueue

    init() { queue = SleepQueue(clock.time) }

    /// Sleeps until a time of a machine that has been up for 1000 s; false when that is cancelled.
    private func sleeper(until seconds: Int) -> Task<Bool, Never> {
        Task { [queue] in (try? await queue.sleep(until: .seconds(seconds))) != nil }
    }

    private func alarms(_ count: Int) async {
        _ = await clock.alarms.wait { $0.count >= count }
    }

    @Test func eachWakesAtItsTime() async {
        let late = sleeper(until: 1060)
        await alarms(1)
        let early = sleeper(until: 1005)
        await alarms(2)
        clock.advance(.seconds(5))
        #expect(await early.value)
        clock.advance(.seconds(55))
        #expect(await late.value)
        #expect(clock.alarms.all == [.seconds(1060), .seconds(1005)])
    }

    @Test func thoseBehindOneThatIsCancelledWakeAtTheirTime() async {
        let first = sleeper(until: 1005)
        await alarms(1)
        first.cancel()
        #expect(await first.value == false)
        let second = sleeper(until: 1010)
        // The alarm of the first is let come; that of the second comes behind it or beside it.
        clock.advance(.seconds(5))
        await alarms(2)
        clock.advance(.seconds(5))
        #expect(await second.value)
        #expect(clock.alarms.all == [.seconds(1005), .seconds(1010)])
    }

    @Test func manyThatAreCancelledLeaveOnePause() async {
        for _ in 0..<100 {
            let task = sleeper(until: 5000)
            await alarms(1)
            task.cancel()
            #expect(await task.value == false)
        }
        #expect(clock.alarms.all == [.seconds(5000)])
    }

    @Test func aTaskThatIsCancelledAlreadyDoesNotSleep() async {
        let task = Task { [queue] in
            withUnsafeCurrentTask { $0?.cancel() }
            return (try? await queue.sleep(until: .seconds(5000))) == nil
        }
        #expect(await task.value)
        #expect(clock.alarms.all.isEmpty)
    }
}
