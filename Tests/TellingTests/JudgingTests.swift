import Foundation
import Model
import Testing

@testable import Telling

@Suite struct JudgingTests {
    private func announced(_ event: StoredEvent = quake()) -> Judged {
        var judged = Judged()
        judged.see(event, .new)
        judged.deliver()
        return judged
    }

    @Test("M 5.4 → 5.5 → 5.3 → 5.8 → 4.6 → deleted is announced, updated to 5.8, ended at 4.6")
    func course() {
        var judged = announced()
        for magnitude in [5.5, 5.3, 5.8, 4.6] {
            judged.pass(minutes: 5)
            judged.see(quake(magnitude))
            judged.deliver()
        }
        #expect(judged.messages == [.announced, .updated, .ended])
        #expect(judged.row?.told?.magnitude == 4.6)
        judged.pass(minutes: 5)
        judged.see(quake(4.6).withdrawn(), .withdrawn)
        judged.pass(minutes: 60)
        #expect(judged.messages.count == 3, "a deletion of what has ended is silent")
    }

    @Test("M 4.9 → 5.0 → 4.9 → 5.0 is one message")
    func flapping() {
        var judged = Judged()
        for magnitude in [4.9, 5.0, 4.9, 5.0, 4.9, 5.0] {
            judged.see(quake(magnitude))
            judged.pass(minutes: 5)
        }
        #expect(judged.messages == [.announced])
    }

    @Test("slow drift adds up until it is told")
    func drift() {
        var judged = announced(quake(5.0))
        for step in 1...6 {
            judged.see(quake(5 + Double(step) / 10))
            judged.pass(minutes: 5)
        }
        #expect(judged.messages == [.announced, .updated, .updated])
    }

    @Test("a correction waits for two minutes after the last message, and says the last state only")
    func trailingEdge() {
        var judged = announced()
        judged.see(quake(6))
        judged.deliver()
        #expect(judged.row?.wish?.due == noon + 120)
        judged.see(quake(6.4))
        judged.pass(minutes: 2)
        #expect(judged.messages == [.announced, .updated])
        #expect(judged.row?.told?.magnitude == 6.4)
    }

    @Test("a state that comes back before its correction has left is told by no message")
    func thereAndBack() {
        var judged = announced()
        judged.see(quake(6))
        judged.see(quake(5.4))
        judged.pass(minutes: 10)
        #expect(judged.messages == [.announced])
    }

    @Test("what ends before its announcement left is never mentioned, and is news when it comes back")
    func neverMentioned() {
        var judged = Judged()
        judged.see(quake(), .new)
        judged.see(quake().withdrawn(), .withdrawn)
        judged.pass(minutes: 60)
        #expect(judged.messages == [])
        #expect(judged.row?.passed == .withdrawn)
        judged.see(quake(), .restored)
        judged.deliver()
        #expect(judged.messages == [.announced])
    }

    @Test("an event that is missing is ended after 15 minutes, and not at all if it comes back before")
    func absence() {
        var judged = announced()
        judged.see(quake().withdrawn("absent"), .withdrawn)
        judged.pass(minutes: 10)
        judged.see(quake(), .restored)
        judged.pass(minutes: 10)
        #expect(judged.messages == [.announced])
        judged.see(quake().withdrawn("absent"), .withdrawn)
        judged.pass(minutes: 14)
        judged.see(quake(5.5).withdrawn("absent"))
        #expect(judged.messages == [.announced])
        judged.pass(minutes: 1)
        #expect(judged.messages == [.announced, .ended])
    }

    @Test("a deletion is told at once, a return after it as such")
    func deletion() {
        var judged = announced()
        judged.see(quake().withdrawn(), .withdrawn)
        judged.deliver()
        #expect(judged.row?.isEnded == true)
        judged.see(quake(), .restored)
        judged.pass(minutes: 2)
        #expect(judged.messages == [.announced, .ended, .restored])
    }

    @Test(
        "only what matters is told",
        arguments: [
            (quake(5.6), false), (quake(5.7), true), (quake(5.1), true), (quake(longitude: -9.6), false),
            (quake(longitude: -9.7), true), (quake(details: #"{"alert":"yellow"}"#), true),
            (quake(details: #"{"severity":"Minor"}"#), true),
        ] as [(StoredEvent, Bool)])
    func significance(event: StoredEvent, isTold: Bool) {
        var judged = announced()
        judged.see(event)
        judged.pass(minutes: 5)
        #expect((judged.messages == [.announced, .updated]) == isTold)
    }

    @Test("a colour that falls is not told")
    func fallingColour() {
        var judged = announced(quake(details: #"{"alert":"red"}"#))
        judged.see(quake(details: #"{"alert":"green"}"#))
        judged.pass(minutes: 5)
        #expect(judged.messages == [.announced])
    }

    @Test("a place that is found for a told event, or guessed better, is no correction")
    func guesses() throws {
        let (here, there) = (Coordinate(latitude: 38, longitude: -9), Coordinate(latitude: 41, longitude: -8))
        var judged = Judged()
        judged.watches = [Watch(name: "all", targets: ["desk"])]
        judged.see(quake().located(nil), .new)
        judged.deliver()
        for (place, precision) in [(here, Location.Precision.country), (there, .region), (here, .city)] {
            judged.see(
                quake().located(Location(try #require(place), method: .gazetteer, precision: precision)), .located)
            judged.pass(minutes: 5)
        }
        #expect(judged.messages == [.announced])
    }

    @Test("a watch without updates hears of the end only")
    func withoutUpdates() {
        var judged = announced()
        judged.watches[0].significance = nil
        judged.see(quake(6.5))
        judged.pass(minutes: 5)
        judged.see(quake(4))
        judged.pass(minutes: 5)
        #expect(judged.messages == [.announced, .ended])
    }

    @Test("of what other conditions have told nothing more is said")
    func orphans() {
        var gone = announced()
        gone.watches = []
        gone.see(quake(6))
        #expect(gone.row == nil)
        var edited = announced()
        edited.watches[0].filter.minimumMagnitude = 7
        edited.see(quake(5.5), since: ["lisbon": 1])
        #expect(edited.row == nil)
    }

    @Test("what waits for the end of quiet hours is looked at anew when it changes")
    func grows() {
        var judged = Judged()
        judged.see(quake(), .new)
        judged.row?.wish?.due = noon + 36_000
        judged.see(quake(6.5))
        #expect(judged.row?.wish?.due == noon)
    }

    @Test("trouble of the program is told once, and when it is mended")
    func trouble() {
        var row = ToldRow.judge(nil, isPresent: true, watch: "machine", at: TellingTime(wall: noon))
        #expect(row?.wish?.kind == .announced)
        #expect(ToldRow.judge(row, isPresent: true, watch: "machine", at: TellingTime(wall: noon + 60)) == row)
        #expect(ToldRow.judge(row, isPresent: false, watch: "machine", at: TellingTime(wall: noon + 60)) == nil)
        row?.told = Said()
        row?.wish = nil
        #expect(ToldRow.judge(row, isPresent: true, watch: "machine", at: TellingTime(wall: noon + 60)) == row)
        let mended = ToldRow.judge(row, isPresent: false, watch: "machine", at: TellingTime(wall: noon + 60))
        #expect(mended?.wish?.kind == .ended)
        row?.isEnded = true
        let again = ToldRow.judge(row, isPresent: true, watch: "machine", at: TellingTime(wall: noon + 60))
        #expect(again?.wish?.kind == .announced)
    }

    @Test("trouble that comes and goes is told each two minutes at most")
    func flappingTrouble() {
        var row = ToldRow.judge(nil, isPresent: true, watch: "machine", at: TellingTime(wall: noon))
        #expect(row?.wish?.due == noon)
        row?.told = Said()
        row?.wish = nil
        row?.messages = 1
        row?.last = noon
        let mended = ToldRow.judge(row, isPresent: false, watch: "machine", at: TellingTime(wall: noon + 60))
        #expect(mended?.wish?.due == noon + 120)
        let again = ToldRow.judge(mended, isPresent: true, watch: "machine", at: TellingTime(wall: noon + 90))
        #expect(again?.wish == nil)
        row?.messages = 12
        let often = ToldRow.judge(row, isPresent: false, watch: "machine", at: TellingTime(wall: noon + 60))
        #expect(often?.wish?.due == noon + 6 * 3600)
    }

    @Test("after twelve messages about an event there is one in six hours")
    func manyMessages() {
        var judged = announced()
        for step in 0..<40 {
            judged.see(quake(step.isMultiple(of: 2) ? 6 : 5.4))
            judged.pass(minutes: 5)
        }
        #expect(judged.messages.count == 12)
        judged.pass(minutes: 360)
        #expect(judged.messages.count <= 13)
    }

    // MARK: - Silence

    @Test("what was there before is passed over")
    func baseline() {
        for silence in [Passed.before, .firstPoll, .seeding, .correction] {
            var judged = Judged()
            judged.see(quake(), .new, silence: silence)
            judged.see(quake(6))
            judged.pass(minutes: 5)
            #expect(judged.messages == [])
            #expect(judged.row?.passed == silence)
        }
    }

    @Test("a match that begins anew is news")
    func beginsAnew() {
        var judged = Judged()
        judged.see(quake(), .new, silence: .firstPoll)
        judged.see(quake(4))
        #expect(judged.row == nil)
        judged.see(quake(5.2))
        #expect(judged.row?.wish?.reason == .threshold)
    }

    @Test("an event without a place that was there before is no news when its place is found")
    func placedLater() {
        var judged = Judged()
        judged.see(quake().located(nil), .new, silence: .firstPoll)
        judged.see(quake(), .located)
        #expect(judged.row?.wish == nil)
        var fresh = Judged()
        fresh.see(quake().located(nil), .new)
        #expect(fresh.row == nil)
        fresh.see(quake(), .located)
        #expect(fresh.row?.wish?.reason == .located)
    }

    @Test("a correction by hand of a told event is told by no message")
    func correction() {
        var judged = announced()
        judged.see(quake(latitude: 37.5), .located, silence: .correction)
        judged.pass(minutes: 60)
        #expect(judged.messages == [.announced])
        judged.see(quake(latitude: 38.935))
        judged.pass(minutes: 5)
        #expect(judged.messages == [.announced, .updated])
    }

    @Test("a correction by hand keeps what waits for another reason, and takes back what waits for the place")
    func correctionBeside() {
        var larger = announced()
        larger.see(quake(6))
        larger.see(quake(6, latitude: 37.5), .located, silence: .correction)
        larger.pass(minutes: 5)
        #expect(larger.messages == [.announced, .updated])
        var smaller = announced()
        smaller.see(quake(4.6))
        smaller.see(quake(4.6, latitude: 37.5), .located, silence: .seeding)
        smaller.pass(minutes: 5)
        #expect(smaller.messages == [.announced, .ended])
        var moved = announced()
        moved.see(quake(longitude: -9.7))
        #expect(moved.row?.wish?.kind == .updated)
        moved.see(quake(latitude: 37.5), .located, silence: .correction)
        moved.pass(minutes: 5)
        #expect(moved.messages == [.announced])
    }

    @Test("a watch that began after the change announces nothing of it")
    func unbegun() {
        var judged = Judged()
        judged.see(quake(), .new, since: ["lisbon": 1])
        #expect(judged.row == nil)
    }

    @Test(
        "old events and events ahead are passed over, if the clock is trusted",
        arguments: [(-1441.0, Passed.tooOld), (-1439, nil), (9, nil), (11, Passed.ahead)] as [(Double, Passed?)])
    func ages(minutes: Double, passed: Passed?) {
        var judged = Judged()
        judged.see(quake(minutes: minutes), .new)
        #expect(judged.row?.passed == passed)
        var untrusted = Judged()
        untrusted.now.isTrusted = false
        untrusted.see(quake(minutes: minutes), .new)
        #expect(untrusted.row?.wish?.kind == .announced)
    }

    @Test("an event whose wrong date is mended is news then")
    func mendedDate() {
        var judged = Judged()
        judged.see(quake(minutes: 100_000), .new)
        judged.see(quake())
        #expect(judged.row?.wish?.kind == .announced)
    }

    // MARK: - Messages under way

    @Test("a message without an answer is what a change is compared with")
    func perhapsTold() {
        var judged = Judged()
        judged.see(quake(), .new)
        let said = judged.row?.now
        judged.row?.sent = said
        judged.row?.sentKind = .announced
        judged.row?.wish = nil
        judged.see(quake(5.5))
        #expect(judged.row?.wish == nil)
        judged.see(quake(6))
        #expect(judged.row?.wish?.kind == .updated)
        judged.see(quake(6).withdrawn(), .withdrawn)
        #expect(judged.row?.wish?.kind == .ended)
    }

    @Test("the first watch that matches speaks, and the next one when it no longer does")
    func leaders() {
        var all = Watch(name: "all", targets: ["desk"])
        all.filter.categories = [.earthquake]
        var judged = Judged()
        judged.watches.append(all)
        judged.see(quake(), .new)
        judged.deliver()
        #expect(judged.row?.watch == "lisbon")
        judged.see(quake(5.3, latitude: 0, longitude: 0))
        judged.pass(minutes: 5)
        #expect(judged.row?.watch == "all")
        #expect(judged.messages == [.announced, .updated])
    }
}
