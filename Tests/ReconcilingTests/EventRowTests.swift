import Model
import Reconciling
import Testing

/// What a row takes over from a newer version, and what users see of it.
@Suite struct EventRowTests {
    @Test func aRevisionHasTheOldValues() {
        let old = row(quake("us1", updated: 1))
        var new = old
        new.update(from: quake("us1", updated: 2, title: #"M "6""#), source: 1)
        let updated = start + minute
        #expect(old.previous(comparedTo: new) == #"{"title":"M 5.0 - Chile","updated_ms":\#(updated)}"#)
        #expect(new.previous(comparedTo: old)?.hasPrefix(#"{"title":"M \"6\"","#) == true)
    }

    @Test func anotherUpdateTimeAloneIsNoDifference() {
        let old = row(quake("us1", updated: 1))
        var new = old
        new.update(from: quake("us1", updated: 2), source: 1)
        #expect(new.updated == start + 2 * minute && old.previous(comparedTo: new) == nil)
    }

    @Test func aVersionWithoutATimeLeavesTheTimes() {
        var old = row(quake("us1", time: 1, updated: 2))
        old.update(from: quake("us1", time: nil), source: 1)
        #expect(old.time == start + minute && old.hasFeedTime && old.updated == start + 2 * minute)
    }

    @Test func firstSightMayBeProvisional() {
        #expect(EventRow(quake("us1"), source: 1, at: start, isProvisional: true).isFirstSeenProvisional)
        #expect(!row(quake("us1")).isFirstSeenProvisional)
    }

    @Test func onlyTheFeedsTimesTellTheNewer() {
        #expect(row(quake("us1", time: 1, updated: 2)).version == start + 2 * minute)
        #expect(row(quake("us1", time: 1)).version == start + minute)
        #expect(row(quake("us1", time: nil)).version == nil, "its time is that of first sight")
    }

    @Test func theAgeCountsFromFirstSightAtTheLatest() {
        #expect(row(quake("us1", time: 1)).ageBase == start)
        #expect(row(quake("us1", time: -1)).ageBase == start - minute)
    }

    @Test func whatAnotherSourceLeavesOutStays() {
        var full = quake("us1")
        full.summary = "Text"
        var brief = quake("us1", title: "Other")
        (brief.magnitude, brief.details, brief.location) = (nil, "{}", nil)
        var own = row(full)
        var others = own
        own.update(from: brief, source: 1)
        others.update(from: brief, source: 2)
        #expect(own.magnitude == nil && own.summary == nil && own.details == "{}" && own.location == nil)
        #expect(others.magnitude == 5 && others.summary == "Text" && others.details == full.details)
        #expect(others.location == full.location && others.title == "Other" && others.source == 2)
    }

    /// A text that differs from the one before, and whether the place stays that was found by each kind of text.
    @Test(arguments: [
        ("title", [PlaceEvidence.place: true, .author: true, .summary: true, .title: false, .dateline: false]),
        ("summary", [.place: true, .author: true, .summary: false, .title: true, .dateline: false]),
        ("place", [.place: false, .author: false, .summary: false, .title: false, .dateline: false]),
        ("none", [.place: true, .author: true, .summary: true, .title: true, .dateline: true]),
        ("left out", [.place: true, .author: true, .summary: true, .title: true, .dateline: true]),
    ]) func aPlaceFoundByNameStaysUntilItsTextChanges(_ text: String, _ fates: [PlaceEvidence: Bool]) {
        var event = report("a", place: "Kyoto")
        event.summary = "Text"
        let old = row(event)
        switch text {
        case "title": event.title = "Other"
        case "summary": event.summary = "Other"
        case "place": event.place = "Nara"
        case "left out": (event.summary, event.place) = (nil, nil)
        default: break
        }
        for (evidence, stays) in fates {
            for method in [Location.Method.gazetteer, .mapquest, .nominatim, .operator] {
                var found = old
                found.location = fullPlace(method: method)
                found.location?.evidence = evidence
                found.update(from: event, source: 1)
                #expect((found.location != nil) == stays, "\(evidence) \(method)")
            }
        }
    }

    @Test func equalTextsOfOtherBytesAreOtherWords() {
        let (one, two) = (row(report("a", title: "caf\u{E9}")), row(report("a", title: "cafe\u{301}")))
        #expect(one.title == two.title && !one.hasWords(of: two) && one.hasWords(of: one))
    }

    @Test func erasureLeavesNoWord() {
        var erased = row(quake("us1", title: "Secret"))
        (erased.summary, erased.place, erased.link, erased.language) = ("Secret", "Secret", "Secret", "en")
        erased.author = Author(name: "Secret")
        erased.withdraw(by: StandingWithdrawal(reason: "deleted", time: start, evidence: "gone", erases: true))
        #expect(erased.isErased && !erased.state.contains("Secret") && erased.location == nil)
        #expect(erased.withdrawnReason == "deleted" && erased.withdrawnAt == start && erased.details == "{}")
    }
}
