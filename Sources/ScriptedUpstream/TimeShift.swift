public import Foundation

/// Moves the times of a recorded feed, so that it reads as if it had just been written.
///
/// All times of a document move by the same amount and keep their form and zone; every other byte stays as it is.
/// Dates in prose, such as the week of a volcano report, stay too.
public enum TimeShift {
    /// Moves the times so that the newest item's is `newestAt`.
    ///
    /// What an item expires at and when a feed was built (`lastBuildDate`, USGS `generated` and `updated`) do not
    /// count as an item's time, but move with the rest.
    /// - Parameter kind: `usgs`; `rss`, which serves any XML; `atom`, `cap`, `kml`, `sitemap`; `twitter`. A document
    ///   of another kind, or without times, comes back unchanged.
    public static func shift(_ data: Data, kind: String, newestAt: Date) -> Data {
        guard let newest = newestMilliseconds(in: data, kind: kind) else { return data }
        return shift(data, kind: kind, byMilliseconds: milliseconds(of: newestAt) - newest)
    }

    /// Moves the times by a number of milliseconds; times without milliseconds are rounded down to the second.
    public static func shift(_ data: Data, kind: String, byMilliseconds delta: Int64) -> Data {
        let bytes = [UInt8](data)
        var out = Data(capacity: bytes.count)
        var copied = 0
        for stamp in TimeStamp.all(in: bytes, forms: forms(of: kind)) {
            out.append(contentsOf: bytes[copied..<stamp.range.lowerBound])
            out.append(contentsOf: stamp.text(laterBy: delta).utf8)
            copied = stamp.range.upperBound
        }
        out.append(contentsOf: bytes[copied...])
        return out
    }

    /// The time of the newest item; nil when the document has none that can be read.
    public static func newest(in data: Data, kind: String) -> Date? {
        newestMilliseconds(in: data, kind: kind).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    static func newestMilliseconds(in data: Data, kind: String) -> Int64? {
        TimeStamp.all(in: [UInt8](data), forms: forms(of: kind)).lazy.filter(\.datesAnItem).map(\.instant).max()
    }

    static func milliseconds(of date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }

    private static func forms(of kind: String) -> Set<TimeStamp.Form> {
        switch kind {
        case "usgs": [.milliseconds]
        case "rss": [.rfc822, .rfc3339]
        case "atom", "cap", "kml", "sitemap": [.rfc3339]
        case "twitter": [.twitter, .rfc3339]
        default: []
        }
    }
}
