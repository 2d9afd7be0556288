import Model
import Testing

@testable import Engine

/// Sources and services that fail and recover again and again.
@Suite struct FlapTests {
    @Test func aFailureThatComesTooSoonIsToldIfItLasts() {
        var damper = FlapDamper()
        var ends: [Bool] = []
        var told = [damper.failed(isNew: true, at: .zero), damper.failed(isNew: false, at: .seconds(60))]
        ends.append(damper.recovered())
        told.append(damper.failed(isNew: true, at: .seconds(300)))
        ends.append(damper.recovered())
        told.append(damper.failed(isNew: true, at: .seconds(600)))
        told.append(damper.failed(isNew: false, at: .seconds(1799)))
        told.append(damper.failed(isNew: false, at: .seconds(1800)))
        told.append(damper.failed(isNew: false, at: .seconds(4000)))
        ends.append(damper.recovered())
        told.append(damper.failed(isNew: true, at: .seconds(4000)))
        #expect(told == [0, nil, nil, nil, nil, 1, nil, 0])
        #expect(ends == [true, false, true])
    }

    @Test func aFailureFromBeforeTheStartIsNotToldAgainAndItsEndIs() {
        var damper = FlapDamper()
        let told = damper.failed(isNew: false, at: .seconds(10))
        let isEndTold = damper.recovered()
        #expect(told == nil)
        #expect(isEndTold)
    }

    @Test func aFlappingSourceIsToldOnceInHalfAnHourWithWhatWasLeftOut() {
        let harness = EngineHarness([
            EngineHarness.source("flapping", every: .seconds(60)), EngineHarness.source("well", every: .seconds(60)),
        ])
        var isDown = false
        harness.run(.seconds(7200)) { order in
            guard order.source == "flapping" else { return .empty(order) }
            isDown.toggle()
            let down = Failure(.network, .timeout, "no answer")
            return isDown ? .failed(order.id, down, FetchFacts()) : .empty(order)
        }
        let failures = harness.reports.count { $0.end.failure != nil }
        let told = harness.reports.compactMap { $0.leftOutFailures }
        let recoveries = harness.reports.filter { $0.recoveredAfter != nil }
        #expect(failures > 40)
        #expect((4...5).contains(told.count), "\(told)")
        #expect(told.first == 0)
        #expect(told.dropFirst().allSatisfy { $0 > 5 })
        #expect(told.reduce(told.count, +) <= failures)
        #expect(recoveries.count >= failures - 1)
        #expect((told.count - 1...told.count).contains(recoveries.count { $0.tellsRecovery }))
    }

    @Test func aSourceThatFailsOnceAnHourIsToldEachTime() {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(3600))])
        var isDown = false
        harness.run(.seconds(5 * 3600)) { order in
            isDown.toggle()
            let down = Failure(.server, "http_503", "", status: 503)
            return isDown ? .failed(order.id, down, FetchFacts()) : .empty(order)
        }
        let failures = harness.reports.filter { $0.end.failure != nil }
        #expect(failures.count >= 2)
        #expect(failures.allSatisfy { $0.leftOutFailures == 0 })
        #expect(harness.reports.allSatisfy { ($0.recoveredAfter != nil) == $0.tellsRecovery })
    }

    @Test func aFlappingServiceIsToldOnce() {
        let harness = GeocodeHarness()
        var isDown = false
        harness.service = { _, _ in
            isDown.toggle()
            return isDown ? .failure(Failure(.server, "http_429", "slow down", status: 429)) : .found
        }
        harness.add((1...60).map { "n\($0)" })
        harness.advance(.seconds(1200))
        var failing: [Int?] = []
        var recovered: [Bool] = []
        for notice in harness.notices {
            switch notice {
            case .providerFailing(_, _, _, let leftOut): failing.append(leftOut)
            case .providerRecovered(_, _, let isTold): recovered.append(isTold)
            default: break
            }
        }
        #expect(failing.count > 10)
        #expect(failing.first == 0)
        #expect(failing.dropFirst().allSatisfy { $0 == nil })
        #expect(recovered.count > 10)
        #expect(recovered.first == true && recovered.count { $0 } == 1)
    }
}
