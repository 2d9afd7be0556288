import Reading
import Testing

@Suite struct GzipTests {
    private func inflated(_ packed: [UInt8], room: Int) throws -> [UInt8] {
        let inflater = try #require(GzipInflater())
        var output = [UInt8](repeating: 0, count: room + 1)
        let step = packed.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { inflater.step(input, into: $0) }
        }
        #expect(inflater.isAtEnd && !inflater.hasForeignTail)
        return Array(output.prefix(try #require(step).written))
    }

    @Test(arguments: [0, 1, 1023, 100_000, 1 << 20])
    func whatIsCompressedComesBack(count: Int) throws {
        // A short pattern, and what does not repeat.
        var state: UInt32 = 1
        let content = (0..<count).map { index -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return index % 3 == 0 ? UInt8(truncatingIfNeeded: state >> 24) : UInt8(index % 7)
        }
        let packed = try #require(Gzip.compressed(content))
        #expect(try inflated(packed, room: count) == content)
    }

    @Test func textThatRepeatsBecomesShort() throws {
        let text = Array(String(repeating: "{\"type\":\"Feature\"},", count: 5000).utf8)
        #expect(try #require(Gzip.compressed(text)).count < text.count / 50)
    }
}
