import Foundation
import Model
import Presenting
import Testing
import WorkCount

@testable import Serving

/// Each output of an event takes at most 2.5 times the work for texts and shapes of twice the size.
@Suite struct WriterDoublingTests {
    private static func stored(_ change: (inout Event) -> Void) -> StoredEvent {
        var event = quake("chile")
        change(&event)
        return StoredEvent(
            publicID: "0123456789abcdef", event: event, firstSeen: start, lastChanged: start, changeSequence: 1)
    }

    /// The outputs: each gives the bytes of one event.
    static let writers: [(name: String, write: @Sendable (StoredEvent) -> Int)] = [
        ("JSON", { $0.json.utf8.count }), ("KML", { KMLWriter.placemark($0).utf8.count }),
        (
            "CSV",
            {
                var record: [UInt8] = []
                EventCSV.append($0, to: &record)
                return record.count
            }
        ),
        ("QuakeML", { QuakeML.event(USGSFeature($0)).utf8.count }),
        ("FDSN", { FDSNText.line(USGSFeature($0)).utf8.count }),
        (
            "USGS CSV",
            {
                var record: [UInt8] = []
                USGSCSV.append(USGSFeature($0), to: &record)
                return record.count
            }
        ),
        ("XML", { XMLText.escaped($0.event.title).utf8.count }),
        ("HTML", { HTMLPage.escaped($0.event.title).utf8.count }),
    ]

    @Test(arguments: [
        "'", "\"", "&", "<", ",", "|", "\n", "\r\n", "\u{0}", "\u{1B}", "\u{202E}", "\u{FFFE}", "é", "日", "=",
        "\u{0315}\u{0300}\u{0327}", "\u{1F468}\u{200D}",
    ]) func aTextIsWrittenInLinearWork(_ unit: String) {
        for (name, write) in Self.writers {
            let work = Doubling(of: 4000) { size in
                let text = String(repeating: unit, count: size)
                return Self.stored { event in
                    (event.title, event.summary, event.place, event.link) = (text, text, text, "http://x/" + text)
                    event.author = Author(name: text)
                    event.details = "{\"x\":\(text.jsonQuoted)}"
                }
            } _: {
                _ = write($0)
            }
            #expect(work.isLinear, "\(name) of \(unit.debugDescription): \(work)")
        }
    }

    @Test(arguments: [
        #"{"type":"LineString","coordinates":[[0,0]*]}"#, #"{"type":"Polygon","coordinates":[[[0,0]*,[0,0]]]}"#,
        #"{"type":"MultiPoint","coordinates":[[0,0]*]}"#,
    ]) func aShapeIsWrittenInLinearWork(_ form: String) {
        for (name, write) in Self.writers {
            let work = Doubling(of: 2000) { size in
                let points = (0..<size).map { ",[\(Double($0 % 3600) / 20 - 90),\(Double($0 % 7) - 3)]" }.joined()
                return Self.stored { $0.geometry = form.replacingOccurrences(of: "*", with: points) }
            } _: {
                _ = write($0)
            }
            #expect(work.isLinear, "\(name) of \(form): \(work)")
        }
    }
}
