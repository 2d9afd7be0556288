import Model
import Reading

/// Twitter's texts as plain text.
enum TweetText {
    /// The most characters of a title.
    static let titleLength = 80
    /// The most characters of a message; paying accounts may write 25,000.
    static let textLength = 65_536
    /// The most characters of a name or place.
    static let lineLength = 300

    /// A message's text, trimmed: `&amp;`, `&lt;` and `&gt;` decoded, line breaks kept, other control characters
    /// removed. Nil when nothing is left or the value is no text.
    static func plain(_ value: JSONValue?) -> String? {
        guard let bytes = value?.utf8, let first = bytes.first, let last = bytes.last else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if first > 0x20 && last > 0x20 && bytes.count <= textLength && isPlain(bytes) { return text }
        let plain = HTMLText.decodingEntities(text).replacing { scalar, plain in
            switch (scalar, scalar.hazard) {
            case ("\n", _): return false
            case (_, .lineSeparator): plain.append(UInt8(ascii: "\n"))
            case ("\t", _): plain.append(0x20)
            case (_, .control), (_, .direction): break
            default: return false
            }
            return true
        }
        let isText = { (byte: UInt8) in byte != 0x20 && byte != 0x0A }
        guard let start = plain.utf8.firstIndex(where: isText), let end = plain.utf8.lastIndex(where: isText) else {
            return nil
        }
        return HTMLText.bounded(String(plain[start...end]), textLength)
    }

    /// Whether nothing needs to be decoded or removed. Most texts are such and are taken unchanged.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            switch byte {
            case 0x0A: break
            case 0..<0x20, 0x7F, UInt8(ascii: "&"): return false
            // U+0080…U+009F; line separators and bidirectional overrides, U+2028…U+202E and U+2066…U+2069.
            case 0x80...0x9F where previous == 0xC2: return false
            case 0xA6...0xAE: if previous == 0x80 || previous == 0x81 { return false }
            default: break
            }
            previous = byte
        }
        return true
    }

    /// A name or place in one line; nil when nothing is left or the value is no text.
    static func oneLine(_ value: JSONValue?) -> String? {
        guard let bytes = value?.utf8 else { return nil }
        let line = HTMLText.bounded(HTMLText.cleaned(bytes), lineLength)
        return line.isEmpty ? nil : line
    }

    /// A user name that is safe in a URL: 1 to 30 ASCII letters, digits and underscores; else nil.
    static func account(_ value: JSONValue?) -> String? {
        guard let bytes = value?.utf8, (1...30).contains(bytes.count) else { return nil }
        let isName = bytes.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
            default: false
            }
        }
        return isName ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The program that sent a message. v1.1 wraps its name in a link: `<a href="…">Twitter Web Client</a>`.
    static func source(_ value: JSONValue?) -> String? {
        guard let text = oneLine(value) else { return nil }
        guard text.utf8.first == UInt8(ascii: "<") else { return text }
        let plain = HTMLText.plain(text)
        return plain.isEmpty ? nil : plain
    }

    /// The beginning of a text, in one line of at most 80 characters. A longer text ends in `…`, cut at a space if
    /// there is one in the second half.
    static func title(_ text: String) -> String {
        var bytes = text
        return bytes.withUTF8 { isTitle($0) ? text : title($0) }
    }

    /// Whether a text is already short and in one line.
    private static func isTitle(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count <= titleLength else { return false }
        var isAfterSpace = true
        for byte in text {
            if byte == 0x0A || byte == 0x20 && isAfterSpace { return false }
            isAfterSpace = byte == 0x20
        }
        return !isAfterSpace
    }

    private static func title(_ text: UnsafeBufferPointer<UInt8>) -> String {
        var line: [UInt8] = []
        line.reserveCapacity(min(text.count, 4 * titleLength))
        var characters = 0
        var space: Int?
        var isAfterSpace = true
        for byte in text {
            let isSpace = byte == 0x20 || byte == 0x0A
            if isSpace && isAfterSpace { continue }
            isAfterSpace = isSpace
            if byte & 0xC0 != 0x80 {
                characters += 1
                if characters > titleLength + 1 { break }
                if isSpace && characters > titleLength / 2 && characters <= titleLength { space = line.count }
            }
            line.append(isSpace ? 0x20 : byte)
        }
        if line.last == 0x20 {
            line.removeLast()
            characters -= 1
        }
        if characters <= titleLength { return String(decoding: line, as: UTF8.self) }
        if let space { return String(decoding: line[..<space], as: UTF8.self) + "…" }
        // Without a space to cut at, as in Japanese, whole characters are cut; each may have several scalars.
        var whole = String(decoding: line, as: UTF8.self)
        while whole.unicodeScalars.count >= titleLength { whole.removeLast() }
        if whole.isEmpty {
            let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
            whole = String(scalars.prefix(titleLength - 1))
        }
        return whole + "…"
    }
}
