extension [UInt8] {
    /// Appends a character in UTF-8.
    @inlinable @inline(__always) public mutating func append(scalar: Unicode.Scalar) {
        let value = scalar.value
        if value < 0x80 {
            append(UInt8(truncatingIfNeeded: value))
            return
        }
        if value < 0x800 {
            append(UInt8(truncatingIfNeeded: 0xC0 | value >> 6))
        } else {
            if value < 0x10000 {
                append(UInt8(truncatingIfNeeded: 0xE0 | value >> 12))
            } else {
                append(UInt8(truncatingIfNeeded: 0xF0 | value >> 18))
                append(UInt8(truncatingIfNeeded: 0x80 | value >> 12 & 0x3F))
            }
            append(UInt8(truncatingIfNeeded: 0x80 | value >> 6 & 0x3F))
        }
        append(UInt8(truncatingIfNeeded: 0x80 | value & 0x3F))
    }

    /// Appends the reference for a character that is markup in XML and HTML: `&`, `<`, `>` or `"`. Returns false for
    /// any other, which is not appended.
    public mutating func append(reference character: Unicode.Scalar) -> Bool {
        switch character {
        case "&": append(contentsOf: "&amp;".utf8)
        case "<": append(contentsOf: "&lt;".utf8)
        case ">": append(contentsOf: "&gt;".utf8)
        case "\"": append(contentsOf: "&quot;".utf8)
        default: return false
        }
        return true
    }

    /// Appends any byte percent-encoded, with upper-case digits: `%2F` (RFC 3986 §2.1).
    public mutating func append(percentEncoding byte: UInt8) {
        append(UInt8(ascii: "%"))
        append(digit(byte >> 4, ten: UInt8(ascii: "A")))
        append(digit(byte & 15, ten: UInt8(ascii: "A")))
    }

    /// Appends UTF-8 text as a JSON string with its quotes (RFC 8259 §7). Only quotes, backslashes and bytes below 0x20
    /// are escaped; invalid UTF-8 stays as it is.
    public mutating func append(quoting text: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        var done = 0
        for index in text.indices where isSpecial(text[index]) {
            append(contentsOf: UnsafeBufferPointer(rebasing: text[done..<index]))
            append(escaping: text[index])
            done = index + 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: text[done...]))
        append(UInt8(ascii: "\""))
    }

    /// Appends a text as a JSON string with its quotes (RFC 8259 §7).
    public mutating func append(quoting text: String) {
        var text = text
        text.withUTF8 { append(quoting: $0) }
    }

    private mutating func append(escaping byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x0A: append(UInt8(ascii: "n"))
        default:
            append(contentsOf: "u00".utf8)
            append(digit(byte >> 4, ten: UInt8(ascii: "a")))
            append(digit(byte & 15, ten: UInt8(ascii: "a")))
        }
    }

    /// Appends the escape of a character up to U+FFFF in a JSON string: `\u` and four digits (RFC 8259 §7).
    public mutating func append(jsonEscaping character: Unicode.Scalar) {
        append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] {
            append(digit(UInt8(truncatingIfNeeded: character.value >> shift & 15), ten: UInt8(ascii: "a")))
        }
    }
}

extension String {
    /// The text's UTF-8 bytes, percent-encoded except for the unreserved `A–Z`, `a–z`, `0–9`, `-`, `.`, `_`, `~` (RFC
    /// 3986 §2.3).
    public var percentEncoded: String {
        var out: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: out.append(byte)
            default: out.append(percentEncoding: byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The text as a JSON string with its quotes; only quotes, backslashes and controls below U+0020 are escaped (RFC
    /// 8259 §7).
    public var jsonQuoted: String {
        var (text, out) = (self, [UInt8]())
        text.withUTF8 { out.append(quoting: $0) }
        return String(decoding: out, as: UTF8.self)
    }
}

extension String {
    /// The text with some characters replaced. It takes time and memory in proportion to its length, unlike a text that
    /// grows through its `unicodeScalars`, where each `append(contentsOf:)` copies all.
    /// - Parameter replace: Appends what stands for the character and returns true; false if the character stays.
    public func replacing(_ replace: (Unicode.Scalar, inout [UInt8]) -> Bool) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(utf8.count + utf8.count / 8)
        for scalar in unicodeScalars where !replace(scalar, &out) { out.append(scalar: scalar) }
        return String(decoding: out, as: UTF8.self)
    }
}

extension String {
    /// The text as one word of a shell command: as it is if it has only letters and digits of ASCII and `/._-+=`, else
    /// in single quotes.
    public var shellQuoted: String {
        let isPlain = utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "/._-+=".utf8.contains(byte)
        }
        guard !isPlain || isEmpty else { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

/// Whether a JSON string must escape the byte (RFC 8259 §7).
@inline(__always) private func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}

private func digit(_ value: UInt8, ten: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : ten + value - 10 }
