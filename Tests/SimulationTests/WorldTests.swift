import Feeds
import Foundation
import Model
import Testing

@testable import Simulation

/// The real decoders find in the simulated documents what the upstreams mean.
@Suite struct WorldTests {
    private static let start = InProcessDaemon.start

    private static func world() -> World {
        let faults = Faults(seed: 7, from: start, days: 6, hasDisk: false, isEmpty: true)
        return World(seed: 7, from: start, to: start.addingTimeInterval(6 * 86_400), faults: faults)
    }

    /// The decoder's result must be the document's meaning.
    private static func expectSame(_ document: WorldDocument, _ answer: FeedAnswer, _ what: Comment) {
        let meant = document.expectedEvents.filter { $0.purpose == .event }
        #expect(answer.events.count == meant.count, what)
        for (event, expected) in zip(
            answer.events.sorted { ($0.id, $0.title) < ($1.id, $1.title) },
            meant.sorted { ($0.names[0], $0.title) < ($1.names[0], $1.title) })
        {
            #expect(event.provider == expected.provider, what)
            #expect(event.id == expected.names[0], what)
            #expect(Set([event.id] + event.aliases) == Set(expected.names), what)
            #expect(event.title == expected.title, what)
            #expect(event.time?.milliseconds == expected.time?.milliseconds, what)
            if expected.updated != nil { #expect(event.updated?.milliseconds == expected.updated?.milliseconds, what) }
        }
        #expect(answer.issues.filter { $0.costsItem }.count == document.badItems, what)
        #expect(answer.withdrawals.isEmpty == !document.expectedEvents.contains { isTakenBack($0) }, what)
    }

    /// Whether the event is withdrawn; an update of an alert supersedes the earlier ones and withdraws nothing.
    private static func isTakenBack(_ expected: ExpectedEvent) -> Bool {
        expected.purpose != .event || (expected.provider == AlertWorld.sender && expected.names.count > 1)
    }

    @Test func theDecodersFindWhatTheDocumentsMean() throws {
        let world = Self.world()
        // What a hostile document means is for the store to judge.
        for source in SimulatedSources.all where !source.isStream && !HostileWorld.urls.contains(source.url) {
            let feed = try #require(try FeedRegistry.feed(for: source))
            for hours in stride(from: 1.0, to: 140, by: 7.3) {
                let time = Self.start.addingTimeInterval(hours * 3600)
                let period = source.options["period"]?.text ?? ""
                for (topic, url) in source.urls(filling: ["period": period]) {
                    let document = try #require(world.document(World.Address(url), at: time, nil).document)
                    let request = FeedRequest(url: url, topic: topic)
                    let response = FeedResponse(request: request, body: document.body)
                    let answer = try feed.decode(response, for: PollContext(now: time))
                    Self.expectSame(document, answer, "\(url) after \(hours) h")
                    for followUp in answer.followUps {
                        let inner = try #require(world.document(World.Address(followUp.url), at: time, nil).document)
                        let part = try feed.decode(
                            FeedResponse(request: followUp, body: inner.body), for: PollContext(now: time))
                        Self.expectSame(inner, part, "\(followUp.url) after \(hours) h")
                    }
                }
            }
        }
    }

    @Test func bodiesThatAreSpoiledAreRefusedAsAWhole() throws {
        let world = Self.world()
        let time = Self.start.addingTimeInterval(100_000)
        for source in SimulatedSources.all where source.url.hasPrefix("https") && !source.isStream {
            let feed = try #require(try FeedRegistry.feed(for: source))
            let period = source.options["period"]?.text ?? ""
            let url = try #require(source.urls(filling: ["period": period]).first?.url)
            var bodies = [Data("<!DOCTYPE html><html><body><p>cookies</p></body></html>".utf8)]
            bodies.append(Data(#"{"service":"asleep","please":["wait"]}"#.utf8))
            if source.kind != "rss" {
                let whole = try #require(world.document(World.Address(url), at: time, nil).document)
                bodies.append(whole.body.prefix(whole.body.count * 2 / 3))
            }
            for body in bodies {
                #expect(throws: Failure.self, "\(source.name): \(body.count) bytes") {
                    try feed.decode(
                        FeedResponse(request: FeedRequest(url: url), body: body), for: PollContext(now: time))
                }
            }
        }
    }

    @Test func namesToldBesideAnothersShowNothingOnceTheyHaveParted() {
        let time = Date(timeIntervalSince1970: 0)
        var snapshot = Snapshot(
            generated: time, window: time...time, isComplete: true, present: ["a", "b", "c"], ids: ["a", "c"])
        snapshot.showNoMore(["b", "c"])
        #expect(snapshot.present == ["a", "c"])
    }

    @Test func aSnapshotOfOneMomentIsAlwaysTheSame() throws {
        let time = Self.start.addingTimeInterval(200_000)
        let address = World.Address("https://quakes.test/summary/all_day.geojson")
        let one = try #require(Self.world().document(address, at: time, nil).document)
        let other = try #require(Self.world().document(address, at: time, nil).document)
        #expect(one.body == other.body)
        #expect(one.expectedEvents == other.expectedEvents)
        #expect((20...80).contains(one.expectedEvents.count))
    }
}
