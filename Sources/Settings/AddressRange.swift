/// A range of addresses, such as `10.0.0.0/8`, or one address.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let first: IPLiteral
    /// The leading bits that all addresses of the range share.
    private let bits: Int

    /// What `init` accepts, as a phrase.
    public static let accepted = "an address such as 127.0.0.1, or a range such as 10.0.0.0/8"

    /// Reads `ADDRESS` or `ADDRESS/BITS`; nil for other text, and for an address with bits beyond those of the range.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first.flatMap({ IPLiteral($0) }) else { return nil }
        let all = first.bytes.count * 8
        guard let bits = parts.count == 1 ? all : Quantity.integer(String(parts[1])), (0...all).contains(bits) else {
            return nil
        }
        let isFirst = first.bytes.indices.allSatisfy { index in
            let shared = min(8, max(0, bits - index * 8))
            return first.bytes[index] & UInt8(truncatingIfNeeded: 0xFF >> shared) == 0
        }
        guard isFirst else { return nil }
        (self.first, self.bits) = (first, bits)
    }

    /// Whether the address is in the range.
    public func contains(_ address: IPLiteral) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        return address.bytes.indices.allSatisfy { index in
            let shared = min(8, max(0, bits - index * 8))
            let mask = ~UInt8(truncatingIfNeeded: 0xFF >> shared)
            return (address.bytes[index] ^ first.bytes[index]) & mask == 0
        }
    }

    /// The range as `init` reads it.
    public var description: String { bits == first.bytes.count * 8 ? "\(first)" : "\(first)/\(bits)" }
}
