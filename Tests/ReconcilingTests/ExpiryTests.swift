import Reconciling
import Testing

/// When an event goes for its age, and what keeps it out afterwards.
@Suite struct ExpiryTests {
    private func link(_ source: Int64 = 1, horizon: Int64? = nil, maxAge: Int64 = 60) -> Expiry.Link {
        Expiry.Link(source: source, horizon: horizon.map { start + $0 * minute }, maxAge: maxAge * minute)
    }

    /// Times are minutes after `start`.
    private func fate(
        _ ageBase: Int64, time: Int64? = -900, now: Int64 = 60, _ links: [Expiry.Link]
    ) -> Expiry.Fate {
        Expiry.fate(
            ageBase: start + ageBase * minute, time: time.map { start + $0 * minute }, links: links,
            at: start + now * minute)
    }

    private func stays(_ ageBase: Int64, now: Int64 = 60, _ links: [Expiry.Link]) -> Bool {
        fate(ageBase, now: now, links) == .stays
    }

    @Test func anEventStaysUpToItsAge() {
        #expect(stays(0, [link()]) && !stays(0, now: 61, [link()]))
        #expect(stays(0, now: 61, [link(maxAge: 61)]))
    }

    @Test func aHorizonMayBeNewerThanTheAge() {
        #expect(stays(10, [link(horizon: 10)]) && !stays(9, [link(horizon: 10)]))
        #expect(!stays(0, now: 61, [link(horizon: -10)]), "an older one keeps nothing longer")
    }

    @Test func oneSourceIsEnough() {
        #expect(stays(0, now: 99, [link(), link(2, maxAge: 99), link(3)]))
        #expect(!stays(0, now: 99, [link(), link(2, maxAge: 98), link(3)]))
        #expect(!stays(0, []), "the store finds those that no source shows only after 72 h")
    }

    @Test func aHorizonKeepsOutWhatIsBeforeIt() {
        #expect(fate(0, time: 9, now: 99, [link(horizon: 10)]) == .goes(burying: nil))
        #expect(fate(0, time: 10, now: 99, [link(horizon: 10)]) == .goes(burying: 1))
        #expect(fate(0, time: nil, now: 99, [link(horizon: 10)]) == .goes(burying: 1), "its next first sight is later")
        #expect(fate(0, time: 0, now: 99, [link()]) == .goes(burying: 1))
        #expect(fate(0, now: 99, []) == .goes(burying: nil))
    }

    @Test func tombstonesCountForTheLastThatWouldLetItIn() {
        let links = [link(1, horizon: 9), link(2, horizon: 10), link(3, horizon: 11)]
        #expect(fate(0, time: 10, now: 99, links) == .goes(burying: 2))
        #expect(fate(0, time: 11, now: 99, links) == .goes(burying: 3))
        #expect(fate(0, time: 8, now: 99, links) == .goes(burying: nil))
    }
}

/// What becomes of a source's events when the source is reset with them.
@Suite struct ResettingTests {
    @Test func anEventGoesWithItsLastLink() {
        #expect(Resetting.fate(of: [1], without: 1) == .goes)
        #expect(Resetting.fate(of: [1, 2], without: 1) == .unlinks)
        #expect(Resetting.fate(of: [0, 1], without: 1) == .unlinks)
        #expect(Resetting.fate(of: [2], without: 1) == .stays && Resetting.fate(of: [], without: 1) == .stays)
    }

    @Test func timesDoNotRunBack() {
        #expect(Resetting.time(start, lastChange: start + 1) == start + 1)
        #expect(Resetting.time(start, lastChange: start - 1) == start)
        #expect(Resetting.time(start, lastChange: nil) == start)
    }
}
