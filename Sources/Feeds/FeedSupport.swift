import Foundation
import Model
import Reading

extension Failure {
    /// The failure of a document that does not fit its kind of feed. It keeps the first 64 KiB of the body.
    static func feed(_ code: String, _ message: String, body: Data? = nil) -> Failure {
        var failure = Failure(.feed, code, message, excerpt: body.map { Data($0.prefix(64 << 10)) })
        failure.isPlaceholder = code == ReadingError.htmlPageCode
        return failure
    }

    /// The failure of a document that could not be read at all.
    static func feed(_ error: ReadingError, body: Data) -> Failure {
        feed(error.code, error.message + (error.line.map { " (line \($0))" } ?? ""), body: body)
    }
}

extension DateReader {
    /// The date of a text; nil if it cannot be read. `note` takes the word of what is odd, and what was found.
    static func date(_ text: String, note: (_ reason: String, _ found: String) -> Void) -> Date? {
        guard let reading = reading(text) else {
            note("bad_date", text)
            return nil
        }
        if let zone = reading.unknownZone { note("unknown_zone", zone) }
        return reading.date
    }
}

extension FeedResponse {
    /// The charset of Content-Type, unquoted; nil without one.
    var charset: String? {
        for parameter in (headers["content-type"] ?? "").split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, HTMLText.cleaned(String(parts[0])).lowercased() == "charset" else { continue }
            // A repeated header is joined by a comma.
            let name = String(parts[1].prefix { $0 != "," }).filter { $0 != "\"" && $0 != "'" }
            return HTMLText.cleaned(name)
        }
        return nil
    }
}

extension Event {
    /// The weight on a heat map: an earthquake's magnitude / 10, limited to 0…1 (0 without a magnitude); 1 for all
    /// else.
    static func weight(_ category: Model.Category, magnitude: Double?) -> Double {
        category == .earthquake ? max(0, min(1, (magnitude ?? 0) / 10)) : 1
    }
}

extension Event {
    /// Removes a magnitude or a depth that no earthquake on Earth has; returns the reason of an issue and the number.
    mutating func removeImpossible() -> [(reason: String, found: String)] {
        var faults: [(reason: String, found: String)] = []
        if let value = magnitude, !Self.magnitudes.contains(value) {
            faults.append(("bad_magnitude", "\(value)"))
            magnitude = nil
        }
        if let value = depth, !Self.depths.contains(value) {
            faults.append(("bad_depth", "\(value)"))
            depth = nil
        }
        return faults
    }
}

extension String {
    /// A hash of the UTF-8 bytes, seeded anew in each run, as a key within a document. `hashValue` normalises the text,
    /// which takes long for piles of combining marks.
    var byteHash: Int {
        var (text, hasher) = (self, Hasher())
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }

    /// The first `scalars` Unicode scalars. `prefix` counts characters, and one character may hold any number of
    /// scalars.
    func beginning(_ scalars: Int) -> String { String(unicodeScalars.prefix(scalars)) }
}

// The standard library compares normalised characters, and one character of a feed may be a pile of thousands of marks.
// In this target these take the place of its methods of the same names.
extension String {
    /// Whether the text begins with the bytes of `prefix`.
    func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the text ends with the bytes of `suffix`.
    func hasSuffix(_ suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
}

extension Substring {
    /// Whether the text begins with the bytes of `prefix`.
    func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the text ends with the bytes of `suffix`.
    func hasSuffix(_ suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
}
