import Testing

@testable import Reading

@Suite struct NumberReaderTests {
    @Test(
        arguments: [
            ("0", 0), ("-4.5", -4.5), ("+1", 1), (".5", 0.5), ("5.", 5), ("1e3", 1000), ("1.5E-1", 0.15), ("007", 7),
        ] as [(String, Double)]) func decimalsAreRead(text: String, number: Double)
    {
        #expect(NumberReader.double(text) == number)
    }

    @Test(arguments: [
        "", " 1", "1 ", "nan", "inf", "-infinity", "0x1p3", "0x10", "1e", "e1", ".", "-", "+-1", "1-", "1.2.3", "1e1.5",
        "1e999", "1,5", "1_000", "１",
    ]) func allElseIsNone(text: String) {
        #expect(NumberReader.double(text) == nil)
    }
}
