import Model

/// Converts header values between bytes and text without loss.
///
/// Values are ASCII, historically ISO-8859-1 (RFC 9110 §5.5). An ETag may hold bytes above 0x7F and must not change.
enum HeaderText {
    /// The text with one character for each byte, by its number (ISO-8859-1).
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        for byte in bytes { text.append(scalar: Unicode.Scalar(byte)) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The inverse of `text(_:)`; UTF-8 if a character is outside ISO-8859-1.
    static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return Array(text.utf8) }
            bytes.append(byte)
        }
        return bytes
    }

    /// Whether the text is valid in a header line: no control characters except tabs.
    static func isSendable(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// Whether the text is a valid header name (a token, RFC 9110 §5.6.2).
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isTokenByte($0) }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
