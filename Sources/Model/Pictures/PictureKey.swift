import Foundation

/// The name under which the picture of a link is kept and served: the link in base64url without padding (RFC 4648 §5).
/// So two links never share a key, and a page makes it in one line.
public enum PictureKey {
    /// The key of a link.
    public static func of(_ link: String) -> String {
        let bytes = Data(link.utf8).base64EncodedData().filter { $0 != UInt8(ascii: "=") }
        return String(
            decoding: bytes.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }, as: UTF8.self)
    }

    /// Whether a text has the form of a key; not whether a link has it.
    public static func isKey(_ text: String) -> Bool {
        func isDigit(_ byte: UInt8) -> Bool {
            switch UnicodeScalar(byte) {
            case "A"..."Z", "a"..."z", "0"..."9", "-", "_": true
            default: false
            }
        }
        return !text.isEmpty && text.utf8.count % 4 != 1 && text.utf8.allSatisfy(isDigit)
    }
}
