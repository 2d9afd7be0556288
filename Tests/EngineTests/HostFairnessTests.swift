import Foundation
import Model
import Testing

@testable import Engine

/// Sources that share a host, or the requests that may be under way, get fair shares of them.
@Suite struct HostFairnessTests {
    private static let index = "https://hostile.test/index"

    private func document(_ url: String) -> FeedRequest {
        FeedRequest(url: url, role: "document", isEssential: false, maximumTries: 2)
    }

    private func busy(for seconds: Double) -> Failure {
        Failure(
            .server, "http_429", "", status: 429, retryAfter: EngineHarness.start.addingTimeInterval(seconds))
    }

    /// An answer of an index that lists documents.
    private func list(_ order: FetchOrder, _ documents: [String]) -> Input {
        .answered(order.id, FeedAnswer(followUps: documents.map(document)), FetchFacts())
    }

    private func harness(
        _ sources: [SourceSettings], limits: EngineLimits = EngineLimits(), documentPauses: [String: Date] = [:]
    ) -> EngineHarness {
        EngineHarness(sources, limits: limits, documentPauses: documentPauses) { settings in
            var feed = ScriptedFeed(settings)
            feed.afterRefusal = { _, _ in FeedState(["late": "1"]) }
            return feed
        }
    }

    /// The times of requests to an address.
    private func times(_ harness: EngineHarness, _ url: String) -> [Duration] {
        harness.sent.filter { $0.url == url }.map(\.at)
    }

    @Test func anIndexThatListsAnotherSourcesHostDelaysItByOneRequest() {
        let honest = "https://honest.test/feed"
        let harness = harness([
            EngineHarness.source("hostile", url: Self.index),
            EngineHarness.source("honest", url: honest, every: .seconds(10), offset: .seconds(5)),
        ])
        harness.run(.seconds(75)) { order in
            guard order.url == Self.index else { return .empty(order) }
            return list(order, (0..<1000).map { "https://honest.test/junk/\($0)" })
        }
        let delays = zip(times(harness, honest), 0..<7).map { $0 - .seconds(5 + 10 * $1) }
        #expect(delays.count == 7 && delays.allSatisfy { (.zero ... .seconds(1)).contains($0) }, "\(delays)")
        #expect(harness.sent.count > 70, "the rest of the host's time goes to the documents")
    }

    @Test func documentsOfSourcesTakeTurns() {
        let harness = harness([
            EngineHarness.source("hostile", url: Self.index),
            EngineHarness.source("other", url: "https://other.test/index", offset: .seconds(10)),
        ])
        harness.run(.seconds(20)) { order in
            switch order.url {
            case Self.index: list(order, (0..<100).map { "https://shared.test/junk/\($0)" })
            case "https://other.test/index": list(order, ["https://shared.test/a", "https://shared.test/b"])
            default: .empty(order)
            }
        }
        let others = ["https://shared.test/a", "https://shared.test/b"].flatMap { times(harness, $0) }
        #expect(others.count == 2 && others.allSatisfy { $0 <= .seconds(14) }, "\(others)")
    }

    @Test func aPauseForDocumentsIsForDocumentsOfAllSourcesAlone() {
        let honest = "https://shared.test/feed"
        let harness = harness([
            EngineHarness.source("hostile", url: Self.index, every: .seconds(100)),
            EngineHarness.source("other", url: "https://other.test/index", every: .seconds(100), offset: .seconds(20)),
            EngineHarness.source("honest", url: honest, every: .seconds(10), offset: .seconds(5)),
        ])
        harness.run(.seconds(499)) { order in
            switch order.url {
            case Self.index: list(order, ["https://shared.test/junk"])
            case "https://other.test/index": list(order, ["https://shared.test/other"])
            case "https://shared.test/own": .empty(order)
            case honest: list(order, ["https://shared.test/own"])
            default: .failed(order.id, busy(for: 450), FetchFacts())
            }
        }
        #expect(times(harness, honest).count == 50, "a configured address goes on")
        #expect(times(harness, "https://shared.test/own").count >= 49, "so do its own documents")
        #expect(times(harness, "https://shared.test/other").allSatisfy { $0 >= .seconds(450) })
        #expect(times(harness, "https://shared.test/junk").dropFirst().allSatisfy { $0 >= .seconds(450) })
        #expect(times(harness, Self.index) == (0..<5).map { .seconds(100 * $0) }, "its index goes on as well")
        #expect(times(harness, "https://other.test/index").count == 5)
    }

    @Test func aDocumentOnItsOwnHostPausesDocumentsAlone() {
        let honest = "https://shared.test/feed"
        let harness = harness([
            EngineHarness.source("hostile", url: "https://shared.test/index", every: .seconds(100)),
            EngineHarness.source("other", url: "https://shared.test/other", every: .seconds(100), offset: .seconds(20)),
            EngineHarness.source("honest", url: honest, every: .seconds(10), offset: .seconds(5)),
        ])
        harness.run(.seconds(499)) { order in
            switch order.url {
            case "https://shared.test/index": list(order, ["https://shared.test/junk"])
            case "https://shared.test/other": list(order, ["https://shared.test/document"])
            case honest: .empty(order)
            default: .failed(order.id, busy(for: 450), FetchFacts())
            }
        }
        #expect(times(harness, honest).count == 50, "a configured address goes on")
        #expect(times(harness, "https://shared.test/index").count == 5, "so does the index")
        #expect(times(harness, "https://shared.test/document").allSatisfy { $0 >= .seconds(450) })
        #expect(times(harness, "https://shared.test/junk").dropFirst().allSatisfy { $0 >= .seconds(450) })
    }

    @Test func aPauseForAConfiguredAddressIsForAll() {
        let honest = "https://shared.test/feed"
        let harness = harness([
            EngineHarness.source("index", url: Self.index, every: .seconds(100), offset: .seconds(20)),
            EngineHarness.source("honest", url: honest, every: .seconds(10)),
        ])
        harness.run(.seconds(290)) { order in
            switch order.url {
            case Self.index: list(order, ["https://shared.test/a"])
            default: .failed(order.id, busy(for: 300), FetchFacts())
            }
        }
        #expect(harness.sent.filter { $0.url.contains("shared.test") }.map(\.at) == [.zero])
    }

    @Test func aPauseForDocumentsOutlivesARestart() throws {
        let sources = [EngineHarness.source("index", url: Self.index, every: .seconds(100))]
        let before = harness(sources)
        before.run(.seconds(5)) { order in
            order.url == Self.index
                ? list(order, ["https://shared.test/a"]) : .failed(order.id, busy(for: 250), FetchFacts())
        }
        let stored = try #require(before.steps.compactMap(\.documentPauses).last)
        #expect(stored == ["shared.test": EngineHarness.start.addingTimeInterval(250)])
        let after = harness(sources, documentPauses: stored)
        after.run(.seconds(390)) { order in
            order.url == Self.index ? list(order, ["https://shared.test/a"]) : .empty(order)
        }
        #expect(times(after, "https://shared.test/a") == [.seconds(250), .seconds(300)])
        #expect(after.steps.allSatisfy { $0.documentPauses == nil }, "nothing new is to be stored")
    }

    @Test func documentsOnManyHostsLeaveRoomForOthers() {
        let harness = harness(
            [
                EngineHarness.source("hostile", url: Self.index),
                EngineHarness.source("other", url: "https://other.test/index", offset: .seconds(40)),
            ] + (0..<8).map { EngineHarness.source("honest\($0)", offset: .seconds(40)) },
            limits: EngineLimits(concurrency: 16))
        var listed = false
        harness.advance(.zero)
        while harness.elapsed < .seconds(50) {
            for (order, _) in harness.orders where order.url.hasSuffix("/index") {
                harness.orders.removeAll { $0.order.id == order.id }
                listed = true
                harness.give(list(order, (0..<1000).map { "https://\(order.source)\($0).test/junk" }))
            }
            harness.advance(.seconds(1))
        }
        #expect(listed)
        let open = { name in harness.orders.count { $0.order.source == name } }
        #expect(open("hostile") == 64, "half of 8 × 16 stays free")
        #expect(open("other") > 0, "documents of another index find room")
        for number in 0..<8 { #expect(times(harness, "https://honest\(number).test/feed") == [.seconds(40)]) }
    }

    @Test func noLaneOfAHostWaitsForEver() throws {
        var queue = HostQueue()
        for number in 0..<30 { queue.append(RequestKey(source: number % 3, number: number), .configured) }
        for number in 0..<2 { queue.append(RequestKey(source: 9, number: number), .led) }
        let order = (0..<32).compactMap { _ in queue.next { _, _ in true } }
        #expect(order.prefix(8).map(\.source) == [0, 1, 2, 0, 1, 2, 0, 1], "sources take turns")
        #expect(order.indices.filter { order[$0].source == 9 } == [8, 17])
        #expect(order.count == 32 && queue.isEmpty)
    }

    @Test func aSourceLeavesTheQueueWithAllItsRequests() {
        var queue = HostQueue()
        for lane in Lane.allCases { for source in 0..<2 { queue.append(RequestKey(source: source, number: 0), lane) } }
        queue.removeAll(of: 0)
        let left = (0...Lane.allCases.count).map { _ in queue.next { _, _ in true }?.source }
        #expect(left == Lane.allCases.map { _ in 1 } + [nil])
    }
}
