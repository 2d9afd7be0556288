/// The address of a mailbox: a plain local part, `@` and a domain, in ASCII (RFC 5321 §4.1.2, without quoted local
/// parts and address literals).
///
/// libcurl passes an address on to the server as it is, line breaks included, so nothing but this type is sent.
public struct MailAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address as written: `desk@example.org`.
    public let description: String
    /// The part behind the `@`, in lower case.
    public let domain: String

    /// Reads an address; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), (1...253).contains(parts[1].utf8.count),
            parts[0].split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Self.isAtom),
            parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Self.isLabel)
        else { return nil }
        description = text
        domain = parts[1].lowercased()
    }

    private static func isAtom(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
    }

    private static func isLabel(_ text: Substring) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(text.utf8.count) && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
            && text.utf8.first != hyphen && text.utf8.last != hyphen
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
