import Foundation
import Testing

@testable import Reading

@Suite struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return writer.finish()
    }

    @Test func anEmptyObjectIsWrittenToo() {
        var writer = JSONWriter()
        #expect(writer.isEmpty)
        #expect(writer.finish() == "{}")
        writer.member("none", nil as Int?)
        #expect(writer.isEmpty)
        writer.member("a", true)
        #expect(!writer.isEmpty)
        #expect(writer.finish() == #"{"a":true}"#)
        #expect(writer.isEmpty)
        #expect(writer.finish() == "{}")
    }

    @Test(arguments: [0, 1, -1, 7, 9, 10, 99, 100, 12_345, -9_876_543_210, Int.max, Int.min])
    func wholeNumbersAreWrittenInFull(_ number: Int) {
        #expect(written { $0.member("n", number) } == "{\"n\":\(number)}")
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (12, "12"), (-3, "-3"), (0.1, "0.1"), (-2.5, "-2.5"), (1e15, "1000000000000000"),
            (9_007_199_254_740_991, "9007199254740991"), (9_007_199_254_740_992, "9007199254740992.0"),
            (1e300, "1e+300"),
            (1e-7, "1e-07"),
        ] as [(Double, String)])
    func numbersAreWrittenAsShortAsCanBe(_ number: Double, _ text: String) {
        #expect(written { $0.member("n", number) } == "{\"n\":\(text)}")
        #expect(number.jsonText == text)
    }

    @Test func aValueIsAppendedBehindItsKey() {
        let (first, second) = (JSONWriter.Key("a\"b"), JSONWriter.Key("c"))
        var writer = JSONWriter()
        writer.member(first) { $0 += "[1]".utf8 }
        writer.member(second) { $0 += "2".utf8 }
        writer.member("d", 3)
        #expect(writer.finish() == #"{"a\"b":[1],"c":2,"d":3}"#)
    }

    @Test func everyTextComesBack() throws {
        let parser = JSONParser()
        for value in UInt8(0)..<128 {
            let character = String(Unicode.Scalar(value))
            for text in [character, "aé" + character, character + "b", "\"" + character + "\\" + character] {
                let json = written { $0.member(text, text) }
                let found = try parser.withValue(of: Data(json.utf8)) { root throws(ReadingError) -> [String] in
                    var found: [String] = []
                    for (key, value) in root.members { found += [key.string, value.string ?? "none"] }
                    return found
                }
                #expect(found == [text, text], "\(json)")
                #expect(json.utf8.allSatisfy { $0 >= 0x20 })
            }
        }
    }

    @Test func membersOfADocumentAreWrittenAsTheyAre() throws {
        let json = #"{"a\"b":[1,-20,18446744073709551615,-9223372036854775808,0.25,"x\\y"],"c":{"d":{},"e":[]}}"#
        let text = try JSONParser().withValue(of: Data(json.utf8)) { root throws(ReadingError) -> String in
            var writer = JSONWriter()
            for (key, value) in root.members { writer.member(key, value) }
            return writer.finish()
        }
        #expect(text == json)
    }
}
