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

    @Test func aPlaceFoundByNameStaysUntilItsTextChanges() throws {
        let coordinate = try #require(Coordinate(latitude: 35, longitude: 135.75))
        for (evidence, title, place, stays) in [
            (PlaceEvidence.place, "Other", "Kyoto", true), (.place, "Report", "Nara", false),
            (.title, "Other", "Kyoto", false), (.title, "Report", "Kyoto", true),
            (.dateline, "Other", "Kyoto", false), (.author, "Other", "Kyoto", true),
        ] {
            var found = row(report("a", place: "Kyoto"))
            found.location = Location(
                coordinate, method: .gazetteer, precision: .city, matchedText: "Kyoto", evidence: evidence)
            found.update(from: report("a", place: place, title: title), source: 1)
            #expect((found.location != nil) == stays, "\(evidence) \(title) \(place)")
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
