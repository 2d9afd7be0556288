import Foundation
import Model
import Testing

/// Characters that a terminal or a reader of the log might interpret.
@Suite struct SafeTextTests {
    static let unsafe: [Unicode.Scalar] = {
        let ranges: [ClosedRange<UInt32>] = [0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069]
        return ranges.flatMap { range in range.compactMap { Unicode.Scalar($0) } }
    }()

    @Test func everythingUnsafeIsReplacedWhereverItStands() {
        for scalar in Self.unsafe {
            #expect("a\(Character(scalar))é".safeToShow == "a\u{FFFD}é", "\(scalar.value)")
            #expect("\(Character(scalar))\u{301}".safeToShow == "\u{FFFD}\u{301}", "\(scalar.value)")
        }
        let ordinary = "Ā “Málaga” – 火山 🌋 \u{200E}\u{200F}\u{A0}…"
        #expect(ordinary.safeToShow == ordinary)
    }

    @Test func jsonKeepsItsValue() throws {
        for scalar in Self.unsafe where scalar.value >= 0x20 {
            let shown = "[\"a\(Character(scalar))b\"]".safeJSON
            #expect(shown.unicodeScalars.allSatisfy { !$0.isUnsafeToShow })
            let value = try JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [String]
            #expect(value == ["a\(Character(scalar))b"], "\(scalar.value)")
        }
        #expect("{\n\t\"a\":1}".safeJSON == "{  \"a\":1}")
    }
}
