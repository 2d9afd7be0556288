import Foundation
import Model
import Testing

@testable import Engine

@Suite struct CircuitBreakerTests {
    private static let start = Moment(wall: Date(timeIntervalSince1970: 1_772_323_200), uptime: .seconds(1000))
    private static let timeout = Failure(.network, .timeout, "no answer")

    private static func moment(_ seconds: Double) -> Moment {
        let passed = Duration.milliseconds(Int64(clamping: seconds * 1000))
        return Moment(wall: start.wall(at: start.uptime + passed), uptime: start.uptime + passed)
    }

    /// A breaker that has just opened, in the middle of the spread: it stays open until 30 s after the start.
    private static func open() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 1...3 { _ = breaker.fail(timeout, spread: 0.5, at: start) }
        return breaker
    }

    @Test("three failures in a row open it, an answer between them does not count them together")
    func threeInARow() {
        var breaker = CircuitBreaker()
        var opened: [Bool] = []
        for _ in 1...2 { opened.append(breaker.fail(Self.timeout, spread: 0.5, at: Self.start)) }
        let recovered = breaker.succeed(at: Self.start.uptime)
        #expect(recovered == nil)
        for _ in 1...3 { opened.append(breaker.fail(Self.timeout, spread: 0.5, at: Self.start)) }
        #expect(opened == [false, false, false, false, true])
        #expect(breaker.until == Self.start.uptime + .seconds(30))
        #expect(!breaker.allowsRequest(at: Self.start.uptime + .milliseconds(29_999)))
        #expect(breaker.allowsRequest(at: Self.start.uptime + .seconds(30)))
    }

    @Test("the wait doubles with each probe that fails, up to half an hour")
    func waitsDouble() throws {
        var breaker = Self.open()
        var waits: [Int64] = [30]
        for _ in 1...8 {
            let probe = try #require(breaker.until)
            let now = Self.moment((probe - Self.start.uptime).seconds)
            let isNews = breaker.fail(Self.timeout, spread: 0.5, at: now)
            #expect(!isNews)
            waits.append((try #require(breaker.until) - probe).components.seconds)
        }
        #expect(waits == [30, 60, 120, 240, 480, 960, 1800, 1800, 1800])
    }

    @Test("waits are spread by a fifth to either side", arguments: [(0.0, 24_000), (1.0, 36_000)] as [(Double, Int64)])
    func waitsAreSpread(spread: Double, milliseconds: Int64) throws {
        var breaker = CircuitBreaker()
        for _ in 1...3 { _ = breaker.fail(Self.timeout, spread: spread, at: Self.start) }
        let wait = try #require(breaker.until) - Self.start.uptime
        #expect(abs(wait.milliseconds - milliseconds) <= 1)
    }

    @Test("an answer closes it, and says how long it has been failing")
    func anAnswerCloses() {
        var breaker = Self.open()
        let after = breaker.succeed(at: Self.start.uptime + .seconds(45))
        #expect(after == .seconds(45))
        #expect(breaker.until == nil)
        #expect(breaker.failures == 0)
        let again = breaker.fail(Self.timeout, spread: 0.5, at: Self.moment(50))
        #expect(!again, "it takes three again")
    }

    @Test(
        "refusals open it at once for an hour",
        arguments: [
            Failure(.operator, .secret, "the key file cannot be read"),
            Failure(.server, "http_401", "refused", status: 401), Failure(.server, "http_403", "refused", status: 403),
            Failure(.server, .quotaExceeded, "the limit is used up"),
        ])
    func refusals(failure: Failure) {
        var breaker = CircuitBreaker()
        let isNews = breaker.fail(failure, spread: 0.1, at: Self.start)
        #expect(isNews)
        #expect(breaker.until == Self.start.uptime + .seconds(3600))
    }

    @Test("a request to slow down opens it at once; a Retry-After that is longer rules, up to a day")
    func retryAfter() {
        func wait(_ seconds: Double?) -> Duration? {
            var breaker = CircuitBreaker()
            let failure = Failure(
                .server, "http_429", "slow down", status: 429,
                retryAfter: seconds.map { Self.start.wall.addingTimeInterval($0) })
            _ = breaker.fail(failure, spread: 0.5, at: Self.start)
            return breaker.until.map { $0 - Self.start.uptime }
        }
        #expect(wait(nil) == .seconds(30))
        #expect(wait(5) == .seconds(30))
        #expect(wait(-50) == .seconds(30))
        #expect(wait(600) == .seconds(600))
        #expect(wait(1_000_000) == .seconds(86_400))
    }
}
