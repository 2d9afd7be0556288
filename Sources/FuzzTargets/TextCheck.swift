import Foundation
import Reading

/// What holds for every text that leaves a decoder.
enum TextCheck {
    /// Throws unless the text has something in it, at most `limit` Unicode scalars and no control character; line feeds
    /// are allowed where `hasLines`.
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

    /// As `check(_:_:atMost:hasLines:)` for a text that may be missing.
    static func check(
        _ text: String?, _ name: String, atMost limit: Int, hasLines: Bool = false
    ) throws(BrokenInvariant) {
        if let text { try check(text, name, atMost: limit, hasLines: hasLines) }
    }

    /// Throws unless the address is http or https and fit to be sent: at most 8,192 bytes without blanks and controls.
    static func check(address: String?, _ name: String) throws(BrokenInvariant) {
        guard let address else { return }
        // Bytes: a combining mark behind the slashes would make another character of the last one.
        let head = address.utf8.prefix(8).map { $0 | 0x20 }
        let isWeb = head.starts(with: "http://".utf8) || head.starts(with: "https://".utf8)
        try hold(isWeb, "\(name) is no web address: \(quoted(address))")
        try hold(address.utf8.count <= 8192, "\(name) has \(address.utf8.count) bytes")
        let unfit = address.unicodeScalars.first { $0 == " " || isControl($0) || isTurning($0) }
        try hold(unfit == nil, "\(name) has a character that no address has: \(quoted(address))")
    }

    /// Throws unless the text is sound JSON whose root is an object.
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

    /// C0 without exception, delete, and C1.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        default: false
        }
    }

    /// Marks that turn the direction of writing for what follows.
    static func isTurning(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
