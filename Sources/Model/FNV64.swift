/// The 64-bit FNV-1a hash: the same on every machine and in every run, unlike Swift's `Hasher`; no defence against
/// forgery.
public enum FNV64 {
    /// The hash of the text's UTF-8 bytes as 16 hexadecimal digits.
    public static func hex(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            hash ^= UInt64(byte)
            hash = hash &* 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
