package import Model

/// A 64-bit hash that is the same on every machine and in every version of the program.
///
/// It takes eight bytes a step (multiply and fold), so comparing hashes is cheaper than reading the row. It does not
/// resist hostile keys: a feed controls its own events anyway.
struct StableHash {
    private var state: UInt64
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Begins a hash; different seeds give unrelated hashes.
    init(seed: UInt64 = 0) { state = seed ^ 0x51_7C_C1_B7_27_22_0A_95 }

    mutating func combine(_ value: UInt64) {
        let (high, low) = (state ^ value).multipliedFullWidth(by: StableHash.factor)
        state = (high ^ low) &+ 0x2545_F491_4F6C_DD1D
    }

    /// Adds the length and the UTF-8 bytes of a text; nil differs from the empty text.
    mutating func combine(_ text: String?) {
        guard var text else { return combine(UInt64.max) }
        text.withUTF8 { bytes in
            combine(UInt64(bytes.count))
            let raw = UnsafeRawBufferPointer(bytes)
            var offset = 0
            while offset + 8 <= raw.count {
                combine(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += 8
            }
            var rest: UInt64 = 0
            while offset < raw.count {
                rest = rest << 8 | UInt64(raw[offset])
                offset += 1
            }
            combine(rest)
        }
    }

    /// Adds a number; nil differs from 0, and -0 equals 0.
    mutating func combine(_ number: Double?) {
        combine(number.map { ($0 == 0 ? 0 : $0).bitPattern } ?? 0x7FF8_DEAD_BEEF_0000)
    }

    /// Adds an instant in milliseconds; nil differs from 1970.
    mutating func combine(_ milliseconds: Int64?) {
        combine(milliseconds.map { UInt64(bitPattern: $0) } ?? UInt64.max)
    }

    /// The hash of everything added.
    var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ (mixed >> 33)
    }
}

/// Compares an event with its source's last version. Every field counts.
package enum ContentHash {
    /// Stands for no version, so that the source's next one counts as new. An event with this very hash costs one read
    /// of its row each time.
    package static let ofNothing: Int64 = 0

    /// The hash of everything that a feed has said of an event.
    package static func of(_ event: Event) -> Int64 {
        var hash = StableHash()
        hash.combine(event.provider)
        hash.combine(event.id)
        hash.combine(UInt64(event.aliases.count))
        for alias in event.aliases { hash.combine(alias) }
        hash.combine(event.time?.milliseconds)
        hash.combine(event.updated?.milliseconds)
        hash.combine(event.expires?.milliseconds)
        hash.combine(event.category.rawValue)
        hash.combine(event.title)
        hash.combine(event.summary)
        hash.combine(event.link)
        hash.combine(event.author?.name)
        hash.combine(event.author?.link)
        hash.combine(event.author?.picture)
        hash.combine(event.weight)
        hash.combine(event.magnitude)
        hash.combine(event.depth)
        hash.combine(event.status)
        hash.combine(event.place)
        hash.combine(event.language)
        if let location = event.location {
            hash.combine(location.coordinate.latitude)
            hash.combine(location.coordinate.longitude)
            hash.combine(location.method.rawValue)
            hash.combine(location.precision.rawValue)
            hash.combine(location.confidence)
            hash.combine(location.matchedText)
        } else {
            hash.combine(UInt64.max)
        }
        hash.combine(event.geometry)
        hash.combine(event.details)
        return Int64(bitPattern: hash.value)
    }

    /// The hash of provider and id, to find the same event twice in one answer.
    package static func name(_ id: String, of provider: String) -> UInt64 {
        var hash = StableHash()
        hash.combine(provider)
        hash.combine(id)
        return hash.value
    }
}
