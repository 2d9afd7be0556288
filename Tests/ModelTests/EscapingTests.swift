import Testing

@testable import Model

@Suite struct EscapingTests {
    @Test func onlyUnreservedCharactersStandForThemselvesInAURL() {
        #expect("aZ09-._~ /?é%".percentEncoded == "aZ09-._~%20%2F%3F%C3%A9%25")
    }

    @Test func quotesBackslashesAndControlsAreEscapedInJSON() {
        #expect("a\"b\\c\nd\u{1F}e\u{0}é".jsonQuoted == #""a\"b\\c\nd\u001fe\u0000é""#)
        #expect("".jsonQuoted == #""""#)
    }

    @Test func aShellReadsAQuotedTextAsOneWord() {
        #expect("refresh_interval=10m".shellQuoted == "refresh_interval=10m")
        #expect("a b".shellQuoted == "'a b'")
        #expect("it's $HOME".shellQuoted == #"'it'\''s $HOME'"#)
        #expect("é".shellQuoted == "'é'")
        #expect("".shellQuoted == "''")
    }
}
