/// Header values between bytes and text, without loss in either direction.
///
/// RFC 9110 §5.5: values are ASCII, historically ISO-8859-1; an ETag may hold any byte above 0x7F, and it has to go
/// back as it came.
enum HeaderText {
    /// Each byte as the character of that number.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
        return String(scalars)
    }

    /// The bytes that `text(_:)` made a text of; UTF-8 where a character has no byte of its number.
    static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return Array(text.utf8) }
            bytes.append(byte)
        }
        return bytes
    }

    /// Whether the text can stand in a header line: no line breaks, no other control characters but tabs.
    static func isSendable(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// Whether the text can be a header's name (RFC 9110 §5.6.2: a token).
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
