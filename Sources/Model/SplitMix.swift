/// A seeded generator with the same numbers on every machine (SplitMix64, Steele et al. 2014).
public struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator; the seed, any number, alone determines its numbers.
    public init(seed: UInt64) { state = seed }

    /// The next number, uniform in 0…2^64-1; the sequence repeats after 2^64 numbers.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
