import Foundation
import Reading

/// Invariants of every text from a decoder.
enum TextCheck {
    /// Throws unless the text has 1 to `limit` Unicode scalars and no control character; line feeds are allowed if
    /// `hasLines`.
    static func check(
        _ text: String, _ name: String, atMost limit: Int, hasLines: Bool = false
    ) throws(BrokenInvariant) {
        try hold(!text.isEmpty, "\(name) is empty")
        let scalars = text.unicodeScalars
        let isLong = scalars.index(scalars.startIndex, offsetBy: limit + 1, limitedBy: scalars.endIndex) != nil
        try hold(!isLong, "\(name) has \(scalars.count) characters, of at most \(limit): \(quoted(text))")
        let control = scalars.first { isControl($0) && !(hasLines && $0 == "\n") }
        try hold(control == nil, "\(name) has a control character: \(quoted(text))")
    }

    /// Like `check(_:_:atMost:hasLines:)`, for an optional text.
    static func check(
        _ text: String?, _ name: String, atMost limit: Int, hasLines: Bool = false
    ) throws(BrokenInvariant) {
        if let text { try check(text, name, atMost: limit, hasLines: hasLines) }
    }

    /// Throws unless the address is http or https with at most 8,192 bytes, without blanks and control characters.
    static func check(address: String?, _ name: String) throws(BrokenInvariant) {
        guard let address else { return }
        // Bytes are compared, since a combining mark after the slashes would merge with the last one.
        let head = address.utf8.prefix(8).map { $0 | 0x20 }
        let isWeb = head.starts(with: "http://".utf8) || head.starts(with: "https://".utf8)
        try hold(isWeb, "\(name) is no web address: \(quoted(address))")
        try hold(address.utf8.count <= 8192, "\(name) has \(address.utf8.count) bytes")
        let unfit = address.unicodeScalars.first { $0 == " " || isControl($0) || isTurning($0) }
        try hold(unfit == nil, "\(name) has a character that no address has: \(quoted(address))")
    }

    /// Throws unless the text is valid JSON with an object as its root.
    static func check(json text: String, _ name: String) throws(BrokenInvariant) {
        let parser = JSONParser()
        let kind: JSONKind
        do throws(ReadingError) {
            kind = try parser.withValue(of: Data(text.utf8)) { root throws(ReadingError) in root.kind }
        } catch {
            throw BrokenInvariant("\(name) is no JSON: \(error.message): \(quoted(text))")
        }
        try hold(kind == .object, "\(name) is JSON, but no object: \(quoted(text))")
        try hold(!parser.hasMended, "\(name) is JSON only once mended: \(quoted(text))")
    }

    /// C0 without exception, delete and C1.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        default: false
        }
    }

    /// Characters that change the direction of the following text.
    static func isTurning(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
