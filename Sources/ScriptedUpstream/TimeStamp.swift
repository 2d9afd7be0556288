/// A time in a document, with all that is needed to write another one in its place.
struct TimeStamp {
    /// The format of the time.
    enum Form: Hashable {
        /// A whole number of milliseconds since 1970 after one of the keys `time`, `updated`, `generated`.
        case milliseconds
        /// RFC 3339 with seconds, as the whole text of an element or JSON string.
        case rfc3339
        /// RFC 822 with a four-digit year, as the whole text of an element.
        case rfc822
        /// Twitter's format, as a JSON string.
        case twitter
    }

    /// The bytes of its text.
    var range: Range<Int>
    /// The time in milliseconds since 1970, UTC.
    var instant: Int64
    var form: Form
    /// The zone as written, and its seconds east of UTC.
    var zone: (text: String, seconds: Int) = ("", 0)
    /// Digits after the decimal point (RFC 3339 only).
    var fractionDigits = 0
    /// Whether it is the time of an item, not an expiry time or the time of the file.
    var datesAnItem = true

    /// The text of the time `delta` milliseconds later, in the same form and zone.
    func text(laterBy delta: Int64) -> String {
        let moved = instant + delta
        let local = CivilTime(milliseconds: moved + Int64(zone.seconds) * 1000)
        return switch form {
        case .milliseconds: String(moved)
        case .rfc3339: local.rfc3339(fractionDigits: fractionDigits, zone: zone.text)
        case .rfc822: local.rfc822(zone: zone.text)
        case .twitter: local.twitter(zone: zone.text)
        }
    }

    // MARK: - Finding

    /// All times in the given forms, in document order.
    static func all(in bytes: [UInt8], forms: Set<Form>) -> [TimeStamp] {
        let quote = UInt8(ascii: "\"")
        let readsNumbers = forms.contains(.milliseconds)
        var found: [TimeStamp] = []
        var at = 0
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            guard byte == quote || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "[") else { continue }
            var cursor = StampCursor(bytes: bytes, at: at)
            let read = readsNumbers ? (byte == quote ? cursor.milliseconds() : nil) : cursor.text(forms)
            guard var stamp = read else { continue }
            if byte == UInt8(ascii: ">") { stamp.datesAnItem = !isAside(bytes, tagEnd: at - 1) }
            found.append(stamp)
            at = stamp.range.upperBound
        }
        return found
    }

    /// Whether the tag that ends at `tagEnd` holds a time that is no item's.
    private static func isAside(_ bytes: [UInt8], tagEnd: Int) -> Bool {
        ["<expires", ":expires", "<lastBuildDate"].contains { name in
            bytes[..<tagEnd].suffix(name.utf8.count).elementsEqual(name.utf8)
        }
    }
}
