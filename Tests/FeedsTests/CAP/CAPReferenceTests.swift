import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct CAPReferenceTests {
    @Test func updateSupersedesWhatItRefersTo() throws {
        let answer = try CAPTesting.fixture("update-one-place.xml")
        try #require(answer.events.count == 1)
        #expect(answer.events[0].id == "STORM-3")
        #expect(answer.events[0].aliases == ["STORM-2"])
        #expect(answer.tallies["updates"] == 1)
        let sent = Date(milliseconds: 1_714_557_600_000)
        #expect(
            answer.withdrawals == [
                Withdrawal(
                    provider: "storm@example.org", id: "STORM-2", takesFamily: true, reason: .cancelled, time: sent,
                    evidence: "superseded by STORM-3", replacements: ["STORM-3"])
            ])
        #expect(answer.issues.map(\.reason) == ["foreign_reference"])
        #expect(answer.issues.first?.found == "other@example.org,X-9")
    }

    /// An alert affects only its own sender's events, whatever it says.
    @Test func nobodySpeaksForOthers() throws {
        let answer = try CAPTesting.fixture("foreign.xml")
        // Whether a sender's name holds is for the store to judge.
        #expect(answer.events.map(\.id) == ["R1", "R2", "R3", "R4", "K1", "GVP-Weekly-1", "K2", "K5"])
        #expect(answer.events.prefix(4).map(\.provider) == ["usgs", "gvp", "twitter", "reuters"])
        #expect(answer.events.dropFirst(4).prefix(3).allSatisfy { $0.provider == "s@example.org" })
        #expect(answer.events.allSatisfy { $0.category == .alert })
        #expect(answer.events.last?.provider == "gvp@si.edu")
        #expect(answer.issues.map(\.reason) == ["foreign_reference", "foreign_reference"])
        #expect(answer.issues.map(\.costsItem) == [false, false])
        #expect(answer.withdrawals.map(\.provider) == ["s@example.org", "s@example.org", "gvp"])
        #expect(answer.withdrawals.map(\.id) == ["GVP-Weekly-20140702", "K0", "GVP-Weekly-20140702"])
    }

    @Test func placesSupersedeTheirOwn() throws {
        let answer = try CAPTesting.fixture("update-two-places.xml")
        #expect(answer.events.map(\.id) == ["FLOOD-8 upper-valley", "FLOOD-8 lower-town", "FLOOD-8 lower-town-2"])
        #expect(
            answer.events.map(\.aliases) == [
                ["FLOOD-7 upper-valley"], ["FLOOD-7 lower-town"], ["FLOOD-7 lower-town-2"],
            ])
        #expect(answer.withdrawals.map(\.id) == ["FLOOD-7"])
        #expect(answer.withdrawals.first?.replacements == answer.events.map(\.id))
    }

    @Test func cancelWithdrawsAndIsNoEvent() throws {
        let answer = try CAPTesting.fixture("cancel.xml")
        #expect(answer.events.isEmpty)
        #expect(answer.issues.isEmpty)
        #expect(answer.tallies["cancels"] == 1)
        #expect(
            answer.withdrawals == [
                Withdrawal(
                    provider: "river@example.org", id: "FLOOD-7", takesFamily: true, reason: .cancelled,
                    time: Date(milliseconds: 1_714_629_600_000), evidence: "Cancel FLOOD-9: Sent by mistake.")
            ])
    }

    /// Sender and references may write the sender's name in different case.
    @Test(arguments: ["Cancel", "Update"], ["Wind@Example.org", "wind@example.org"])
    func aSenderIsTheSameInAnyCase(kind: String, named: String) throws {
        func alert(_ identifier: String, _ sender: String, _ kind: String, references: String = "") -> String {
            """
            <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>\(identifier)</identifier>
            <sender>\(sender)</sender><sent>2024-05-01T10:00:00+00:00</sent><status>Actual</status>
            <msgType>\(kind)</msgType><scope>Public</scope><references>\(references)</references>
            <info><category>Met</category><event>Wind</event><headline>Wind</headline></info></alert>
            """
        }
        let text =
            "<alerts>" + alert("W-1", "Wind@Example.org", "Alert")
            + alert("W-2", "WIND@EXAMPLE.ORG", kind, references: "\(named),W-1,2024-05-01T10:00:00+00:00") + "</alerts>"
        let answer = try CAPTesting.decode(Data(text.utf8))
        #expect(answer.issues.isEmpty)
        let first = try #require(answer.events.first)
        #expect(answer.withdrawals.map(\.provider) == [first.provider])
        #expect(answer.withdrawals.map(\.id) == ["W-1"])
        #expect(answer.events.dropFirst().map(\.aliases) == (kind == "Update" ? [["W-1"]] : []))
        #expect(answer.events.allSatisfy { $0.provider == first.provider })
    }

    @Test func cancelOfAnExerciseTouchesNothing() throws {
        let text = String(decoding: try Fixtures.data("cap/cancel.xml"), as: UTF8.self)
        let exercise = text.split(separator: "<status>Actual").joined(separator: "<status>Exercise")
        let answer = try CAPTesting.decode(Data(exercise.utf8))
        #expect(answer.withdrawals.isEmpty)
        #expect(answer.issues.map(\.reason) == ["status_exercise"])
    }

    @Test func versionOneWritesReferencesAndCodesInItsOwnWay() throws {
        let answer = try CAPTesting.fixture("version-1.0.xml")
        #expect(answer.withdrawals.map(\.id) == ["OLD-1"])
        #expect(answer.withdrawals.first?.provider == "old@example.org")
        let event = try #require(answer.events.first)
        #expect(event.aliases == ["OLD-1"])
        let details = try CAPTesting.details(event)
        #expect(details["eventCodes"] as? [String: String] == ["SAME": "CEM"])
        #expect(details["geocodes"] as? [String: String] == ["FIPS6": "006109"])
    }

    @Test(arguments: [
        ("a@b,X-1,2024-01-01T00:00:00Z", CAPReference(sender: "a@b", identifier: "X-1")),
        ("X-1/a@b", CAPReference(sender: "a@b", identifier: "X-1")),
        ("urn:oid:2.49/x", CAPReference(sender: nil, identifier: "urn:oid:2.49/x")),
        ("X-1", CAPReference(sender: nil, identifier: "X-1")),
        (",X-1,", CAPReference(sender: nil, identifier: "X-1")),
    ])
    func referenceForms(text: String, reference: CAPReference) {
        #expect(CAPReference.all(in: " \(text)\n") == [reference])
    }

    @Test(arguments: [
        "w@met.example, A-1, 2025-09-01T10:00:00+02:00", "w@met.example ,A-1 ,2025-09-01T10:00:00+02:00",
        "w@met.example ,\n A-1\n, 2025-09-01T10:00:00+02:00", "w@met.example,A-1,2025-09-01T10:00:00+02:00,",
    ])
    func blanksBesideCommasSeparateNothing(text: String) {
        #expect(CAPReference.all(in: text) == [CAPReference(sender: "w@met.example", identifier: "A-1")])
    }

    @Test func commasBetweenReferencesAreNoPartOfThem() {
        let text = """
            w@met.example, A-0, 2025-08-31T10:00:00Z, w@met.example, A-1,
            2025-09-01T10:00:00Z w@met.example,A-2,2025-09-02T10:00:00Z
            """
        #expect(CAPReference.all(in: text).map(\.identifier) == ["A-0", "A-1", "A-2"])
        #expect(CAPReference.all(in: "X-1 X-2, X-3").last == CAPReference(sender: nil, identifier: "X-3"))
        for text in [",", ",,,", " , , ,", ",,, ,2025-09-01T10:00:00Z"] {
            #expect(CAPReference.all(in: text).allSatisfy { $0.sender == nil }, "\(text)")
        }
    }

    /// An alert cannot withdraw itself; what it names besides is withdrawn.
    @Test(
        arguments: [
            ("w@met.example,A-3,2025-09-01T11:00:00+02:00", ["no_references"], []),
            ("A-3 A-3/w@met.example", ["no_references"], []),
            ("w@met.example, A-1, 2025-09-01T10:00:00+02:00", [], ["A-1"]),
            ("w@met.example,A-3,2025-09-01T11:00:00Z w@met.example,A-2,2025-09-01T10:00:00Z", [], ["A-2"]),
        ] as [(String, [String], [String])])
    func aCancelOfItselfIsReported(references: String, issues: [String], withdrawn: [String]) throws {
        let text = """
            <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>A-3</identifier><sender>w@met.example</sender>
            <sent>2025-09-01T11:00:00+02:00</sent><status>Actual</status><msgType>Cancel</msgType>
            <references>\(references)</references></alert>
            """
        let answer = try CAPTesting.decode(Data(text.utf8))
        #expect(answer.issues.map(\.reason) == issues)
        #expect(answer.withdrawals.map(\.id) == withdrawn)
    }
}
