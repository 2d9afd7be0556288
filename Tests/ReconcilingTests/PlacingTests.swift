import Model
import Reconciling
import Testing

/// What becomes of a place that was sought for an event.
@Suite struct PlacingTests {
    @Test func anEventWithoutAPlaceGetsOne() throws {
        let place = try #require(fullPlace())
        let located = try #require(Placing.located(row(report("a")), at: place))
        #expect(located.location == place && located.title == "Report")
        #expect(Placing.located(row(quake("us1")), at: place) == nil, "it has one")
        var withdrawn = row(report("a"))
        withdrawn.withdrawnReason = WithdrawalReason.absent
        #expect(Placing.located(withdrawn, at: place) == nil)
    }

    @Test func aPlaceFoundByNameCanBeTakenAway() throws {
        var found = row(report("a"))
        (found.location, found.revision) = (fullPlace(), 3)
        let freed = try #require(Placing.unlocated(found, revision: 3))
        #expect(freed.location == nil && freed.revision == 3)
        #expect(Placing.unlocated(found, revision: 2) == nil, "revised since")
        #expect(Placing.unlocated(row(quake("us1")), revision: 1) == nil, "the feed's place")
        #expect(Placing.unlocated(row(report("a")), revision: 1) == nil)
    }

    @Test func eachEventHasItsOwnWordsForAnAnswer() throws {
        let answer = try #require(fullPlace(method: .nominatim))
        let own = Placing.own(answer, evidence: .author, words: "near Bali")
        #expect(own.evidence == .author && own.matchedText == "near Bali")
        #expect(own.confidence == answer.confidence * 0.7 && own.coordinate == answer.coordinate)
        let unknown = Placing.own(answer, evidence: nil, words: nil)
        #expect(unknown.evidence == nil && unknown.matchedText == nil && unknown.confidence == answer.confidence)
    }
}

/// What becomes of an event whose place the operator corrects.
@Suite struct CorrectionTests {
    private func correction(_ words: PlaceCorrection = .nowhere, at time: Int64 = 0) -> Correction {
        Correction(words: words, user: "ada", time: start + time)
    }

    private func withdrawn(_ event: Event) -> EventRow {
        var old = row(event)
        old.withdrawnReason = "cancelled"
        return old
    }

    private let bali = PlaceCorrection.at(latitude: -8.3, longitude: 115.5, radius: nil, name: "Bali")

    @Test func theOperatorsPlaceLiesOverTheFeeds() {
        var put = correction(bali)
        let old = row(quake("us1"))
        let effect = put.put(on: old, over: nil, soughtText: { "sought" })
        #expect(effect.row.location == bali.location && effect.row.location?.method == .operator)
        #expect(effect.kind == .located && put.feedPlace == old.location && put.soughtText == "sought")
        #expect(put.release(from: effect.row).row.location == old.location)
        #expect(put.release(from: effect.row).kind == .located)
    }

    @Test func aPlaceFoundByNameIsNotTheFeeds() {
        var (put, old) = (correction(), row(report("a")))
        old.location = fullPlace()
        let effect = put.put(on: old, over: nil, soughtText: { "sought" })
        #expect(effect.row.location == nil && effect.kind == .located, "the operator says that it has none")
        #expect(put.feedPlace == nil && put.soughtText == old.location?.matchedText)
        let freed = put.release(from: effect.row)
        #expect(freed.row.location == nil && freed.kind == .revised, "it waits for a place")
    }

    @Test func aFurtherCorrectionKeepsWhatLiesBeneath() {
        var (first, second) = (correction(bali), correction(.nowhere, at: 1))
        let old = row(quake("us1"))
        let corrected = first.put(on: old, over: nil, soughtText: { "sought" }).row
        let effect = second.put(on: corrected, over: first, soughtText: { "other" })
        #expect(effect.row.location == nil && second.feedPlace == old.location && second.soughtText == "sought")
    }

    @Test func aWithdrawnEventIsRevised() {
        var put = correction(bali)
        let effect = put.put(on: withdrawn(quake("us1")), over: nil, soughtText: { nil })
        #expect(effect.kind == .revised && effect.row.location == bali.location)
        #expect(put.release(from: withdrawn(quake("us1"))).kind == .revised)
    }

    @Test func theLaterCounts() {
        #expect(correction(at: 1).isLater(than: nil) && correction(at: 1).isLater(than: correction()))
        #expect(!correction(at: 1).isLater(than: correction(at: 1)), "of equal ones the one that is there stays")
        #expect(!correction().isLater(than: correction(at: 1)))
    }
}
