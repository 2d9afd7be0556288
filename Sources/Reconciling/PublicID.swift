/// The public id of an event: 16 characters of Crockford's base 32 in lower case.
///
/// It is a hash of the provider and the first upstream id, so a database filled anew has the same ids. `attempt`
/// separates the rare events with the same hash.
package enum PublicID {
    /// The public id of the event with this first upstream id; the next attempts (from 1 on) give others.
    package static func of(provider: String, upstreamID: String, attempt: UInt64 = 0) -> String {
        var (first, second) = (StableHash(seed: attempt), StableHash(seed: attempt ^ 0xA5A5_A5A5_A5A5_A5A5))
        for text in [provider, upstreamID] {
            first.combine(text)
            second.combine(text)
        }
        return String(unsafeUninitializedCapacity: 16) { characters in
            var (high, low) = (first.value, second.value)
            for index in 0..<16 {
                // Twelve characters hold 60 bits of the first hash, four hold 20 bits of the second.
                let digit = index < 12 ? high & 31 : low & 31
                if index < 12 { high >>= 5 } else { low >>= 5 }
                characters[index] = alphabet[Int(digit)]
            }
            return 16
        }
    }

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}
