/// The name by which users know an event: 16 characters of Crockford's base 32 in lower case.
///
/// It is a hash of the provider and the first upstream id, so a database that is filled again gives the same names;
/// `attempt` tells apart the rare events whose hashes agree.
enum PublicID {
    /// The name of an event.
    static func of(provider: String, upstreamID: String, attempt: UInt64 = 0) -> String {
        var (first, second) = (StableHash(seed: attempt), StableHash(seed: attempt ^ 0xA5A5_A5A5_A5A5_A5A5))
        for text in [provider, upstreamID] {
            first.combine(text)
            second.combine(text)
        }
        return String(unsafeUninitializedCapacity: 16) { characters in
            var (high, low) = (first.value, second.value)
            for index in 0..<16 {
                // Twelve characters are 60 bits of the first hash, four are 20 bits of the second.
                let digit = index < 12 ? high & 31 : low & 31
                if index < 12 { high >>= 5 } else { low >>= 5 }
                characters[index] = alphabet[Int(digit)]
            }
            return 16
        }
    }

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}
