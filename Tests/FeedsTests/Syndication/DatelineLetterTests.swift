import Testing

@testable import Feeds

/// An ASCII place is read by bytes, any other by characters; both ways must agree.
@Suite struct DatelineLetterTests {
    static let places = [
        "LAGOS", "SOCHI, Russia", "MOSUL, Iraq/BAGHDAD", "ST. LOUIS", "D.C.", "SACRAMENTO, Calif.",
        "SACRAMENTO, Calif. A",
        "Calif./BERLIN", "Calif.,A", "Texas. A", "Tex. A", "Abcdef.", "A.B.C", ".A", "A..", "A .", "A a. B", "1A", " A",
        "a", "A", "A!", "A? B", "A; B", "A: B", "A\" B", "A-B", "A'b", "", "A1.B",
        String(repeating: "A", count: 80), String(repeating: "A", count: 81),
    ]

    @Test(arguments: DatelineLetterTests.places) func lettersOfUnicodeCountAsThoseOfASCII(_ place: String) {
        let foreign = place.replacing("A", with: "Å").replacing("a", with: "å")
        let found = Dateline(place + " (Reuters) - x")?.place
        #expect((found == nil) == (Dateline(foreign + " (Reuters) - x") == nil))
        #expect(found == nil || found == place)
    }

    @Test(arguments: [
        ("PARIS (AFP) -\u{301} x", true), ("Paris (AFP) -\u{301} x", false), ("Paris (AFP) —", true),
        ("Paris (AFP)", true), ("Paris (AFP)   ", true), ("Paris (AFP) said", false), ("Paris  (AFP)- x", true),
        ("Paris\u{A0}(AFP) - x", false), ("Paris (AFP x", false), (" (AFP) - x", false),
    ])
    func whatFollowsDecides(_ text: String, _ isDateline: Bool) {
        #expect((Dateline(text) != nil) == isDateline)
    }
}
