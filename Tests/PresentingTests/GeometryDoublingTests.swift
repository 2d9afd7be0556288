import Foundation
import Model
import Testing
import WorkCount

@testable import Presenting

/// Twice the points take at most 2.5 times the work, also across 180° and around a pole.
@Suite struct GeometryDoublingTests {
    @Test(arguments: [0, 170, 359]) func aShapeIsCutAndWrittenInLinearWork(_ span: Int) {
        for form in ["{\"type\":\"Polygon\",\"coordinates\":[[*]]}", "{\"type\":\"LineString\",\"coordinates\":[*]}"] {
            func text(_ size: Int) -> String {
                let points = (0...size).map { step in
                    let turn = step == size ? 0 : Double(step) / Double(size)
                    return "[\(100 + Double(span) * turn),\(60 + Double(step % 2))]"
                }
                return form.replacingOccurrences(of: "*", with: points.joined(separator: ","))
            }
            let work = Doubling(of: 2000, text, { _ = GeoJSONShape.normalisedText($0) })
            #expect(work.isLinear, "\(form) over \(span)°: \(work)")
        }
    }

    @Test(arguments: [",", "\"", "\n", "=", "\u{FF1D}", "\u{0300}"]) func aCellIsWrittenInLinearWork(_ piece: String) {
        func write(_ text: String) {
            var record: [UInt8] = []
            record.append(cells: [text, text])
        }
        let work = Doubling(of: 4000, { String(repeating: piece, count: $0) }, write)
        #expect(work.isLinear, "\(work)")
    }
}
