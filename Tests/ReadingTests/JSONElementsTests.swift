import Foundation
import Testing

@testable import Reading

@Suite struct JSONElementsTests {
    /// The values `n` of all elements and the rest; nil if the document has to be read as a whole.
    private func read(_ text: String) -> (elements: [Int64], rest: String)? {
        JSONParser.withElements(
            of: "features", in: Data(text.utf8), limit: 60_000, collectedIn: { _ in [Int64]() },
            each: { found, element, number in found.append(element["n"]?.int64 ?? -Int64(number)) },
            rest: { found, root in (found, root.text) })
    }

    @Test(
        arguments: [
            (#"{"a":1,"features":[{"n":1},{"n":2}],"b":{"c":[3]}}"#, [1, 2], #"{"a":1,"features":[],"b":{"c":[3]}}"#),
            (" {\n \"features\" : [ {\"n\":1} \n, {\"n\" : 2} ] } ", [1, 2], #"{"features":[]}"#),
            (#"{"features":[]}"#, [], #"{"features":[]}"#),
            (#"{"x":"\"features\":[","features":[{"m":"]}\\","n":3}]}"#, [3], #"{"x":"\"features\":[","features":[]}"#),
            (
                #"{"x":[{"features":[{"n":9}]}],"features":[{"n":4}]}"#, [4],
                #"{"x":[{"features":[{"n":9}]}],"features":[]}"#
            ),
        ] as [(String, [Int64], String)])
    func elementsComeOneByOneAndTheRestIsWithoutThem(text: String, elements: [Int64], rest: String) {
        let found = read(text)
        #expect(found?.elements == elements)
        #expect(found?.rest == rest)
    }

    /// Broken and unexpected documents are left to `withValue`, which reports their faults.
    @Test(arguments: [
        "", "{", "[]", #"{"features":{}}"#, #"{"a":[]}"#, #"{"features":[1]}"#, #"{"features":[{"n":1},]}"#,
        #"{"features":[{"n":1}{"n":2}]}"#, #"{"features":[{"n":1}],}"#, #"{"features":[{"n":1}"#,
        #"{"features":[{"n":}]}"#, #"{"features":[{"n":1]}]}"#, #"{"features":[{"n":"\ud800"}]}"#,
        #"{"features":[{"n":1}]"#, #"{"features":[{"n":1}]} x"#, #"{"features":["#, #"{"features":[{"n":"1}]}"#,
    ])
    func whatIsNotSoundIsLeftToTheWholeParser(text: String) {
        #expect(read(text) == nil)
    }

    @Test func depthIsLimitedInElementsToo() {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(read(#"{"features":[{"n":\#(deep)}]}"#) == nil)
    }

    @Test func theElementsOfALargeArrayComeInOrder() {
        let padding = String(repeating: "x", count: 500)
        func document(_ broken: Int? = nil) -> String {
            let features = (1...3000).map { #"{"n":\#($0 == broken ? "" : "\($0)"),"text":"} \" \#(padding)"}"# }
            return #"{"features":[\#(features.joined(separator: ", "))]}"#
        }
        #expect(read(document())?.elements == (1...3000).map { Int64($0) })
        #expect(read(document(2999)) == nil)
    }
}
