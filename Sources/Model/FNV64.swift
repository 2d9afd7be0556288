/// The 64-bit FNV-1a hash: unlike Swift's `Hasher` the same in every run, and no defence against forgery.
public enum FNV64 {
    /// The offset basis: the hash of no bytes (draft-eastlake-fnv).
    public static let basis: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The hash of `bytes`, continued from the hash `start`; by default a new one.
    @inlinable public static func hash(_ bytes: some Sequence<UInt8>, after start: UInt64 = basis) -> UInt64 {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    /// The hash of the text's UTF-8 bytes as 16 hexadecimal digits in lower case.
    public static func hex(_ text: String) -> String { hex(hash(text.utf8)) }

    /// A hash as 16 hexadecimal digits in lower case.
    public static func hex(_ hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
