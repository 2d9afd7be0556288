import Foundation
import Testing

@testable import Reading

@Suite struct JSONParserTests {
    private func text(_ json: String) throws -> String {
        try JSONParser().withValue(of: Data(json.utf8)) { root throws(ReadingError) in root.text }
    }

    @Test func valuesComeBackAsTheyWere() throws {
        let json = #"{"a":1,"b":[-2.5,true,false,null,"x\"y\\z\n"],"c":{"d":18446744073709551615},"e":[]}"#
        #expect(try text(json) == json)
        #expect(try text(" [12.0, 1e3] ") == "[12,1000]")
    }

    @Test func integersHaveNoFractionAndNoExponent() throws {
        try JSONParser().withValue(of: Data("[12,12.0,1.2e1,\"12\",18446744073709551615]".utf8)) {
            root throws(ReadingError) in
            let integers: [Int64?] = root.elements.map { $0.integer }
            #expect(integers == [12, nil, nil, nil, nil])
            let whole: [Int64?] = root.elements.map { $0.int64 }
            #expect(whole == [12, 12, 12, nil, nil])
        }
    }

    @Test func membersAndElementsAreFound() throws {
        let json = #"{"skip":{"deep":[1,{"x":2}]},"id":"é","list":[1,"two",null],"n":3.5,"b":true}"#
        try JSONParser().withValue(of: Data(json.utf8)) { root throws(ReadingError) in
            #expect(root["id"]?.string == "é" && root["n"]?.double == 3.5 && root["n"]?.int64 == nil)
            let kinds: [JSONKind] = root["list"].map { $0.elements.map { $0.kind } } ?? []
            #expect(kinds == [JSONKind.number, .string, .null])
            #expect(root["b"]?.bool == true && root["missing"] == nil && root["id"]?["x"] == nil)
            let keys: [String] = root.members.map { $0.key.string }
            #expect(keys == ["skip", "id", "list", "n", "b"])
            #expect(root.count == 5 && root["list"]?.count == 3 && root["id"]?.count == nil)
        }
    }

    @Test(arguments: [
        (#"{"a":"x\ud83d"}"#, "{\"a\":\"x\u{FFFD}\"}"), (#"{"a":"\udc00y"}"#, "{\"a\":\"\u{FFFD}y\"}"),
        (#"{"a":"\ud83d\ude00"}"#, "{\"a\":\"😀\"}"), (#"{"a":1e999,"b":2}"#, #"{"a":null,"b":2}"#),
        (#"{"a":123456789012345678901234567890}"#, #"{"a":null}"#), (#"{"a":"\x"}"#, "{\"a\":\"\u{FFFD}\"}"),
        ("{\"a\":\"tab\there\"}", #"{"a":"tab here"}"#), ("\u{FEFF}{\"a\":1}", #"{"a":1}"#),
    ])
    func oneBadCharacterOrNumberCostsNothingElse(json: String, mended: String) throws {
        #expect(try text(json) == mended)
    }

    @Test func bytesThatAreNoUTF8AreReplaced() throws {
        let data = Data(#"{"a":"x"#.utf8) + Data([0xE9]) + Data(#"y"}"#.utf8)
        let parser = JSONParser()
        let text = try parser.withValue(of: data) { root throws(ReadingError) in root["a"]?.string }
        #expect(text == "x\u{FFFD}y")
        #expect(parser.hasMended)
        _ = try parser.withValue(of: Data("{}".utf8)) { root throws(ReadingError) in root.count }
        #expect(!parser.hasMended)
    }

    @Test func theBeginningOfWhatIsNoneIsOnOneLine() {
        let error = #expect(throws: ReadingError.self) { try text("hello\n\tworld no json") }
        #expect(
            error?.message.hasSuffix(" It begins with \"hello world no json\"") == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("", "empty"), (" \n", "empty"), ("<!doctype html>", "html_page"), ("<!-- x --><html>", "html_page"),
        ("<rss/>", "not_json"), ("cb({})", "jsonp"), ("/**/cb({})", "jsonp"), ("{\"a\":", "not_json"),
        ("{\"a\":1}}", "not_json"), ("nul", "not_json"),
        (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), "too_deep"),
    ])
    func faultsAreNamed(json: String, code: String) {
        #expect(throws: ReadingError.self) { try text(json) }
        do { _ = try text(json) } catch { #expect((error as? ReadingError)?.code == code) }
    }

    @Test(arguments: [("[", 1 << 20, "too_deep"), ("1,", 5_000_000, "too_large"), ("[],", 2_500_000, "too_large")])
    func tooMuchOfAPieceIsNamed(piece: String, count: Int, code: String) {
        let json = Data("[".utf8) + Data(String(repeating: piece, count: count).utf8) + Data("1]".utf8)
        let error = #expect(throws: ReadingError.self) { try JSONParser().withValue(of: json) { _ in } }
        #expect(error?.code == code)
    }

    @Test func aDocumentCutAnywhereIsRefused() {
        let json = Data(#"{"a":[1,2,{"b":"cé\u00e9"}],"d":null}"#.utf8)
        for length in 0..<json.count {
            #expect(throws: ReadingError.self, "cut after \(length) bytes") {
                try JSONParser().withValue(of: json.prefix(length)) { root throws(ReadingError) in root.count }
            }
        }
    }

    @Test func aWriterEscapesWhatItMust() {
        var writer = JSONWriter()
        writer.member("t", "a\"b\\c\n\u{1}")
        writer.member("none", nil as String?)
        writer.member("d", 0.1)
        writer.member("nan", Double.nan)
        writer.member("l", ["x", "y"])
        writer.member("raw", raw: "[1]")
        #expect(writer.finish() == #"{"t":"a\"b\\c\n\u0001","d":0.1,"l":["x","y"],"raw":[1]}"#)
    }
}
