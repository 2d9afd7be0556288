import Reconciling
import Testing

/// Whether a source shows an event as it did the last time.
@Suite struct SightingTests {
    private func isUnchanged(
        seen: Int64?, missingSince: Int64? = nil, isPromised: Bool = true, isKnownInTopic: Bool = false
    ) -> Bool {
        Sighting.isUnchanged(
            7, seen: seen, missingSince: missingSince, isPromised: isPromised, isKnownInTopic: { isKnownInTopic })
    }

    @Test func equalWordsAreUnchanged() {
        #expect(isUnchanged(seen: 7) && !isUnchanged(seen: 8) && !isUnchanged(seen: nil))
        #expect(isUnchanged(seen: 8, isKnownInTopic: true) && !isUnchanged(seen: nil, isKnownInTopic: true))
    }

    @Test func aLinkThatNeedsRenewalIsLookedAt() {
        #expect(!isUnchanged(seen: 7, missingSince: 1) && !isUnchanged(seen: 7, missingSince: 0))
        #expect(!isUnchanged(seen: 7, isPromised: false))
        #expect(!isUnchanged(seen: ContentHash.ofNothing, isKnownInTopic: true))
    }
}
