import Foundation
import Model
import Testing

@testable import Engine

@Suite struct FateTests {
    typealias Fate = ActivePoll.Fate

    enum Kind: CaseIterable { case first, page, document }

    private static let timeout = Failure(.network, .timeout, "no answer")
    private static let pause = Failure(.server, "http_503", "", status: 503, retryAfter: EngineHarness.start)
    private static let missing = Failure(.server, "http_404", "", status: 404)
    private static let login = {
        var failure = Failure(.feed, "not_xml", "")
        failure.isPlaceholder = true
        return failure
    }()

    private func request(_ kind: Kind, tries: Int) -> ActivePoll.Request {
        let asked = FeedRequest(url: "https://a.test/x", isEssential: kind != .document, maximumTries: 3)
        let pending = WorkList.Pending(request: asked, chain: 0, tries: tries)
        return ActivePoll.Request(pending, isRoot: kind == .first)
    }

    /// The fates at the second of three tries, and at the last.
    @Test(arguments: [
        (Kind.first, timeout, Fate.endsChain, Fate.endsChain),
        (.first, pause, .endsChain, .endsChain),
        (.first, login, .endsChain, .endsChain),
        (.first, missing, .endsChain, .endsChain),
        (.page, timeout, .deferred, .endsChain),
        (.page, pause, .deferred, .endsChain),
        (.page, login, .deferred, .endsChain),
        (.page, missing, .endsChain, .endsChain),
        (.document, timeout, .deferred, .endsChain),
        (.document, pause, .endsChain, .endsChain),
        (.document, login, .deferred, .givenUp),
        (.document, missing, .givenUp, .givenUp),
    ])
    func theFateOfAFailedRequest(kind: Kind, failure: Failure, before: Fate, atLast: Fate) {
        #expect(request(kind, tries: 1).fate(after: failure, isOfStream: false) == before)
        #expect(request(kind, tries: 2).fate(after: failure, isOfStream: false) == atLast)
    }

    @Test(arguments: Kind.allCases) func aRequestOfAStreamIsNeverDeferred(kind: Kind) {
        for failure in [Self.timeout, Self.pause, Self.login, Self.missing] {
            #expect(request(kind, tries: 0).fate(after: failure, isOfStream: true) == .endsChain)
        }
    }
}
