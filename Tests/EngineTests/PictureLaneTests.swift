import Foundation
import Model
import Testing

@testable import Engine

@Suite struct PictureLaneTests {
    private let hosts = PictureHosts(["pictures.example.org", "more.example.org"])
    private let link = "https://pictures.example.org/a.png"

    private func harness(_ sources: [SourceSettings] = [], limits: EngineLimits = EngineLimits()) -> EngineHarness {
        EngineHarness(sources, limits: limits, pictures: PicturePlan(hosts: hosts))
    }

    /// A harness whose lane waits with this job.
    private func taken(_ link: String, _ harness: EngineHarness, failures: Int = 0) {
        harness.give(.picture(.wanted))
        harness.advance(.seconds(10))
        #expect(harness.takes)
        harness.pictureEffects = []
        harness.give(.picture(.taken(.job(PictureJob(key: PictureKey.of(link), link: link, failures: failures)))))
    }

    private func failure(_ status: Int, retryAfter: Date? = nil) -> PictureOutcome {
        .failed(Failure(.server, "http_\(status)", "", status: status, retryAfter: retryAfter))
    }

    @Test func nothingIsAskedWithoutAPlanOrNamedLinks() {
        let without = EngineHarness([])
        without.give(.picture(.wanted))
        without.advance(.seconds(3600))
        let quiet = harness()
        quiet.advance(.seconds(86_400))
        #expect(without.pictureEffects.isEmpty && quiet.pictureEffects.isEmpty)
        #expect(quiet.engine.nextWake.map { $0 - quiet.now.uptime } ?? .zero > .seconds(60), "no wake-up is its own")
    }

    @Test func requestsAreBoundedAndAnonymous() throws {
        let harness = harness()
        taken(link, harness)
        let request = try #require(harness.pictureRequest).request
        #expect(request.url == link && request.reachesPublicOnly && request.maximumBytes == 512 << 10)
        #expect(request.authorization == nil && request.proxy == nil && Array(request.headers.keys) == ["Accept"])
    }

    @Test func aNewLifeKeepsTheGapOfTheLifeBefore() {
        let harness = harness()
        harness.give(.picture(.wanted))
        harness.advance(.seconds(9))
        #expect(!harness.takes)
        harness.advance(.seconds(1))
        #expect(harness.takes)
    }

    @Test func requestsAreTenSecondsApart() throws {
        let harness = harness()
        var times: [Duration] = []
        for number in 0..<4 {
            taken("https://\(number % 2 == 0 ? "pictures" : "more").example.org/\(number)", harness)
            let asked = try #require(harness.pictureRequest)
            times.append(harness.now.uptime)
            harness.give(.picture(.answered(number: asked.number, .unchanged, FetchFacts())))
            harness.pictureEffects = []
            harness.give(.picture(.settled))
        }
        for (a, b) in zip(times, times.dropFirst()) { #expect(b - a >= .seconds(10)) }
    }

    @Test(arguments: [
        "http://192.168.0.7/camera.png", "https://unlisted.example.org/a.png", "https://pictures.example.org:8443/a",
        "https://user@pictures.example.org/a", "file:///etc/passwd", "https://pictures.example.org.evil.example/a",
        "https://pictures.example.org\\@evil.example/a", "ftp://pictures.example.org/a",
    ])
    func whatIsNotListedIsNeverAsked(link: String) {
        #expect(!hosts.allows(link))
        let harness = harness()
        taken(link, harness)
        harness.advance(.seconds(100))
        #expect(harness.pictureRequest == nil)
    }

    @Test func pollsGoFirst() throws {
        let source = SourceSettings(
            name: "news", kind: "scripted", url: "https://pictures.example.org/feed", refreshInterval: .seconds(300),
            offset: .zero)
        let harness = harness([source])
        harness.advance(.zero)
        let poll = try #require(harness.takeOrder())
        taken(link, harness)
        harness.advance(.seconds(20))
        #expect(harness.pictureRequest == nil, "a poll of the host is under way")
        harness.give(.empty(poll))
        let asked = try #require(harness.pictureRequest)
        harness.pictureEffects = []
        harness.give(.poll(source: "news"))
        #expect(harness.pictureEffects.contains { if case .cancel(asked.number) = $0 { true } else { false } })
        #expect(harness.settlement?.outcome == .postponed)
        harness.advance(.seconds(1))
        #expect(harness.orders.count == 1, "the poll does not wait for a picture")
    }

    @Test func aRedirectStaysWithinTheListAndEndsAfterFive() throws {
        let harness = harness()
        taken(link, harness)
        for hop in 1...20 {
            guard let asked = harness.pictureRequest else { break }
            harness.pictureEffects = []
            let next = "https://more.example.org/\(hop)"
            harness.give(.picture(.answered(number: asked.number, .redirected(to: next), FetchFacts())))
            if harness.settlement != nil {
                #expect(hop == 6)
                break
            }
            #expect(harness.pictureRequest == nil, "each hop waits for the gap")
            harness.advance(.seconds(10))
            #expect(harness.pictureRequest?.request.url == next)
        }
        #expect(harness.settlement?.outcome == .failed("too_many_redirects"))
        #expect(harness.settlement?.redirects == 5)
    }

    @Test(arguments: ["http://127.0.0.1/", "https://elsewhere.example.org/a.png", "http://more.example.org/a.png"])
    func aRedirectElsewhereOrToPlainHTTPIsNotFollowed(target: String) throws {
        let harness = harness()
        taken(link, harness)
        let asked = try #require(harness.pictureRequest)
        harness.pictureEffects = []
        harness.give(.picture(.answered(number: asked.number, .redirected(to: target), FetchFacts())))
        harness.advance(.seconds(60))
        #expect(harness.pictureRequest == nil)
        guard case .failed = harness.settlement?.outcome else {
            Issue.record("\(String(describing: harness.settlement))")
            return
        }
    }

    @Test func outcomesDecideAboutThePictureAndItsNextRequest() throws {
        let content = PictureContent(format: .png, data: Data([1]))
        let week = 7 * 86_400.0
        let cases: [(PictureOutcome, PictureSettlement.Outcome, ClosedRange<Double>)] = [
            (.picture(content), .kept(content, Validators()), week...week),
            (.unchanged, .unchanged(Validators()), week...week),
            (.refused("no picture"), .failed("found no picture"), week...week),
            (failure(403), .gone("answered 403"), week...week),
            (failure(404), .gone("answered 404"), week...week),
            (failure(410), .gone("answered 410"), week...week),
            (failure(500), .failed("http_500"), 2_880...4_320),
            (.failed(Failure(.network, .refusedAddress, "")), .failed("refused_address"), week...week),
            (.failed(Failure(.network, .timeout, "")), .failed("timeout"), 2_880...4_320),
        ]
        for (outcome, expected, waits) in cases {
            let harness = harness()
            taken(link, harness)
            let asked = try #require(harness.pictureRequest)
            harness.give(.picture(.answered(number: asked.number, outcome, FetchFacts())))
            let settlement = try #require(harness.settlement)
            #expect(settlement.outcome == expected)
            let wait = settlement.due.timeIntervalSince(harness.now.wall)
            #expect(wait > waits.lowerBound - 1 && wait < waits.upperBound + 1, "\(outcome): \(wait)")
        }
    }

    @Test func retryAfterHoldsForTheHost() throws {
        let harness = harness()
        taken(link, harness)
        let asked = try #require(harness.pictureRequest)
        let until = harness.now.wall + 7200
        harness.give(.picture(.answered(number: asked.number, failure(429, retryAfter: until), FetchFacts())))
        #expect(try #require(harness.settlement).due >= until)
        harness.pictureEffects = []
        harness.give(.picture(.settled))
        taken("https://pictures.example.org/b.png", harness)
        #expect(harness.pictureRequest == nil)
        #expect(harness.settlement?.outcome == .failed("host_waiting"))
    }

    @Test func aRequestWithoutAnEndIsCancelled() throws {
        let harness = harness()
        taken(link, harness)
        let asked = try #require(harness.pictureRequest)
        harness.advance(.seconds(31))
        #expect(harness.pictureEffects.contains { if case .cancel(asked.number) = $0 { true } else { false } })
        #expect(harness.settlement?.outcome == .failed("timeout"))
    }

    @Test func itIsCancelledInTimeAlsoWhereATimerRingsBefore() throws {
        let harness = harness()
        harness.give(.picture(.wanted))
        harness.advance(.seconds(10))
        harness.give(.picture(.taken(.none(until: harness.now.wall + 15))))
        harness.advance(.seconds(5))
        harness.give(.picture(.wanted))
        harness.give(.picture(.taken(.job(PictureJob(key: PictureKey.of(link), link: link)))))
        #expect(harness.pictureRequest != nil)
        harness.advance(.seconds(31))
        #expect(harness.settlement?.outcome == .failed("timeout"))
    }

    @Test func anOrderlyStopGivesTheRequestUp() throws {
        let harness = harness()
        taken(link, harness)
        let asked = try #require(harness.pictureRequest)
        harness.give(.stop)
        #expect(harness.isStopped)
        #expect(harness.pictureEffects.contains { if case .cancel(asked.number) = $0 { true } else { false } })
    }

    @Test func aFailingStoreIsAskedAgainAfterTenMinutes() {
        let harness = harness()
        harness.give(.picture(.wanted))
        harness.advance(.seconds(10))
        harness.give(.picture(.storeFailed))
        harness.pictureEffects = []
        harness.advance(.seconds(599))
        #expect(!harness.takes)
        harness.advance(.seconds(2))
        #expect(harness.takes)
    }
}

extension EngineHarness {
    /// Whether the next picture was asked of the store.
    fileprivate var takes: Bool { pictureEffects.contains { if case .take = $0 { true } else { false } } }

    /// The last request for a picture.
    fileprivate var pictureRequest: (number: Int, request: FetchRequest)? {
        for case .request(let number, let request) in pictureEffects.reversed() { return (number, request) }
        return nil
    }

    /// The last settlement.
    fileprivate var settlement: PictureSettlement? {
        for case .settle(let settlement) in pictureEffects.reversed() { return settlement }
        return nil
    }
}
