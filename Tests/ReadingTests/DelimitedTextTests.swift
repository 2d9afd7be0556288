import Foundation
import Testing

@testable import Reading

@Suite struct DelimitedTextTests {
    private func records(
        _ text: String, delimiter: String = ",", accepts: (Int) -> Bool = { _ in true }
    ) throws -> [DelimitedText.Record] {
        var reader = try DelimitedText(Data(text.utf8), delimiter: try #require(delimiter.utf8.first))
        var records: [DelimitedText.Record] = []
        while let record = reader.next(accepts: accepts) { records.append(record) }
        return records
    }

    @Test(
        "Fields are taken out of their quotes",
        arguments: [
            ("a,b", ["a", "b"]), ("a,", ["a", ""]), (",", ["", ""]), ("\"a,b\",c", ["a,b", "c"]),
            ("\"a\"\"b\"", ["a\"b"]), ("\"\",\"\"", ["", ""]), ("a\"b,c", ["a\"b", "c"]),
            (" \"a\",b", [" \"a\"", "b"]),
            ("\"a\nb\",c", ["a\nb", "c"]), ("\"a\r\nb\",c", ["a\nb", "c"]), ("\"a\"b,c", ["ab", "c"]),
        ] as [(String, [String])]) func oneRecord(text: String, fields: [String]) throws
    {
        for ending in ["", "\n", "\r\n", "\r"] {
            let record = DelimitedText.Record(line: 1, fields: fields, isTruncated: false)
            #expect(try records(text + ending) == [record], "\(ending.debugDescription)")
        }
    }

    @Test("Lines are counted, also those without a record and those within quotes")
    func lines() throws {
        let found = try records("a\n\n\"b\r\nb\"\r\nc\r\rd")
        #expect(found.map { $0.line } == [1, 3, 5, 7])
        #expect(found.map { $0.fields } == [["a"], ["b\nb"], ["c"], ["d"]])
        #expect(try records("").isEmpty)
        #expect(try records("\r\n\n").isEmpty)
    }

    @Test("Another delimiter makes a comma text")
    func semicolons() throws {
        #expect(try records("1,5;\"a;b\"", delimiter: ";").map { $0.fields } == [["1,5", "a;b"]])
    }

    @Test("A quote that is not closed costs its line alone")
    func openQuotes() throws {
        let toTheEnd = try records("a,\"b\nc,d\ne,f")
        #expect(toTheEnd.map { $0.fields } == [["a", "b"], ["c", "d"], ["e", "f"]])
        #expect(toTheEnd.map { $0.isTruncated } == [true, false, false])
        #expect(toTheEnd.map { $0.line } == [1, 2, 3])

        let toTheNext = try records("a,\"b\"\"\n\"c\",d\ne,f") { $0 == 2 }
        #expect(toTheNext.map { $0.fields } == [["a", "b\""], ["c", "d"], ["e", "f"]])
        #expect(toTheNext.map { $0.isTruncated } == [true, false, false])

        let long = String(repeating: "x\n", count: 40_000)
        let tooLong = try records("\"" + long + "\"\ny")
        #expect(tooLong.count == 40_002)
        #expect(tooLong.first == DelimitedText.Record(line: 1, fields: ["x"], isTruncated: true))
    }

    @Test("A hostile text is read in bounded time and memory")
    func hostile() throws {
        let found = try records(String(repeating: "\"a\n", count: 20_000)) { _ in false }
        #expect(found.count == 20_000)
        #expect(found.allSatisfy { $0.fields == ["a"] && $0.isTruncated })
        #expect(try records(String(repeating: ",", count: 5000)).first?.fields.count == 1000)
    }
}
