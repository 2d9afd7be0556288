public import Foundation

/// Shifts the times of a recorded feed, so that it looks freshly written.
///
/// All times of a document move by the same amount and keep their form and zone; all other bytes stay the same, dates
/// in prose included.
public enum TimeShift {
    /// Shifts the times so that the newest item is at `newestAt`, to the millisecond if the form has them.
    ///
    /// Expiry times and build times (`lastBuildDate`, USGS `generated` and `updated`) are not times of items, but shift
    /// with the rest.
    /// - Parameter kind: `usgs`; `rss`, which serves any XML; `atom`, `cap`, `kml`, `sitemap`; `twitter`. Documents of
    ///   other kinds, or without times, are returned unchanged.
    public static func shift(_ data: Data, kind: String, newestAt: Date) -> Data {
        guard let newest = newestMilliseconds(in: data, kind: kind) else { return data }
        return shift(data, kind: kind, byMilliseconds: milliseconds(of: newestAt) - newest)
    }

    /// Shifts the times by `delta` milliseconds, to the past if negative; forms without milliseconds are rounded down
    /// to the second.
    /// - Parameter kind: As for `shift(_:kind:newestAt:)`.
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

    /// The time of the newest item, to the millisecond; nil if the document has no readable time of an item.
    /// - Parameter kind: As for `shift(_:kind:newestAt:)`; nil for other kinds.
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
