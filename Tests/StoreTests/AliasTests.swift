import Foundation
import Model
import Testing

@testable import Store

/// The other names of events, wherever events are read.
@Suite struct AliasTests {
    @Test func theOtherNamesComeWithTheEvent() throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["nc1", "ci1"], updated: 1), quake("us2", hours: -3)])
        let events = try test.store.events(EventQuery())
        #expect(events.map(\.event.aliases) == [["ci1", "nc1"], []])
        let id = events[0].publicID
        #expect(try test.store.event(publicID: id)?.event.aliases == ["ci1", "nc1"])
        #expect(try test.store.event(id, knownAt: 1)?.stored.event.aliases == ["ci1", "nc1"])
        let feed = ChangeFeed(of: test.store)
        let steps = try feed.steps(try feed.next(after: 0).changes[...])
        #expect(steps.first?.after?.event.aliases == ["ci1", "nc1"])
        // Each name counts for the memory that a read may take.
        #expect(events[0].textBytes == events[1].textBytes + 6)
    }

    @Test func aMergedEventIsAnotherName() throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("ci1", hours: -3)])
        try test.poll([quake("us1", aliases: ["ci1"], updated: 1)], at: start + 60)
        let events = try test.store.events(EventQuery())
        #expect(events.map(\.event.aliases) == [["ci1"]])
    }

    /// The provider prefers another of its names from the second version on.
    @Test func aFormerIDIsAmongTheNamesAndAnEarlierStateHasItAsItsOwn() throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["ci1"], updated: 1)])
        try test.poll([quake("ci1", aliases: ["us1"], updated: 2, magnitude: 5.5)], at: start + 60)
        let now = try #require(try test.store.events(EventQuery()).first)
        #expect((now.event.id, now.event.aliases) == ("ci1", ["us1"]))
        let then = try #require(try test.store.event(now.publicID, knownAt: 1)?.stored)
        #expect((then.event.id, then.event.aliases) == ("us1", ["ci1"]))
    }

    @Test func aNameOfAnotherProviderIsNoAlias() throws {
        let test = try TestStore()
        var other = quake("us1", hours: -3)
        other.provider = "emsc"
        try test.poll([quake("us1", aliases: ["ci1"]), other])
        let events = try test.store.events(EventQuery())
        #expect(events.map(\.event.aliases) == [["ci1"], []])
    }

    /// A server may rename an event with each version.
    @Test func moreNamesThanADocumentGivesAreNotRead() throws {
        let test = try TestStore()
        for version in 0..<3 {
            let names = (0..<30).map { "v\(version)n\($0)" }
            try test.poll([quake("us1", aliases: names, updated: Double(version))], at: start + Double(version) * 60)
        }
        let event = try #require(try test.store.events(EventQuery()).first)
        #expect(event.event.aliases.count == StoredEvent.mostAliases)
        #expect(try test.store.details(of: event.publicID)?.upstreamIDs.count == 91)
    }
}
