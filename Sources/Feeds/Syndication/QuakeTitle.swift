import Foundation
import Reading

/// The title of an entry in a USGS Atom feed: `M 2.1 - 27km SE of Campo, CA`, `M 1.5 Quarry Blast - 5km N of …`.
struct QuakeTitle: Hashable {
    /// The magnitude; nil when the title has `?`.
    var magnitude: Double?
    /// The kind of event if not an earthquake: `Quarry Blast`.
    var kind: String?
    /// The place in words.
    var place: String?

    /// Reads the title; nil unless it begins with `M `.
    init?(_ title: String) {
        guard title.hasPrefix("M ") else { return nil }
        let rest = title.dropFirst(2)
        let separator = rest.range(of: " - ") ?? rest.range(of: ", ")
        let words = rest[..<(separator?.lowerBound ?? rest.endIndex)].split(separator: " ")
        magnitude = words.first.flatMap { NumberReader.double($0) }
        if words.count > 1 { kind = words.dropFirst().joined(separator: " ") }
        if let separator, separator.upperBound < rest.endIndex { place = String(rest[separator.upperBound...]) }
    }

    /// The time of origin. These feeds give it only in the summary: `Time 2018-11-19 21:42:38 UTC …`.
    static func origin(in summary: String) -> Date? {
        let bytes = Array(summary.utf8.prefix(512))
        let mark = Array(" UTC".utf8)
        guard bytes.count >= 19 + mark.count else { return nil }
        for end in 19...(bytes.count - mark.count) where bytes[end..<(end + mark.count)].elementsEqual(mark) {
            return DateReader.rfc3339(String(decoding: bytes[(end - 19)..<end], as: UTF8.self) + "Z")
        }
        return nil
    }
}
