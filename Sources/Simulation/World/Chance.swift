import Model

/// Random numbers of a simulation (SplitMix64), equal for equal seed and purpose on every machine.
struct Chance: Sendable {
    private var generator: SplitMix

    /// Creates a generator; the numbers of different purposes are unrelated.
    init(seed: UInt64, purpose: String) {
        generator = SplitMix(seed: FNV64.hash(purpose.utf8) ^ (seed &* 0x9E37_79B9_7F4A_7C15))
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 { generator.next() }

    /// A whole number from 0 up to, not including, `limit`, which is at least 1.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

    /// A number in a range, evenly distributed.
    mutating func within(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + Double(next() >> 11) / Double(1 << 53) * (range.upperBound - range.lowerBound)
    }

    /// Returns true with this probability.
    mutating func happens(_ probability: Double) -> Bool { within(0...1) < probability }

    /// One of several elements, of which there is at least one.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// The elements in random order.
    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var elements = elements
        for index in elements.indices.reversed() { elements.swapAt(index, below(index + 1)) }
        return elements
    }
}
