import Testing

@testable import Reading

@Suite struct TimeZoneRulesTests {
    /// A file of version 1 or 2 with two offsets, +1 h and +2 h, that change at the given times.
    private static func file(_ times: [Int64], version: UInt8 = 0x32, kinds: [UInt8]? = nil) -> [UInt8] {
        func bytes(_ value: Int64, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
        }
        func block(_ times: [Int64], width: Int) -> [UInt8] {
            var block = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
            for count in [0, 0, 0, times.count, 2, 4] { block += bytes(Int64(count), 4) }
            for time in times { block += bytes(time, width) }
            block += kinds ?? times.indices.map { UInt8($0 % 2 == 0 ? 1 : 0) }
            for seconds: Int64 in [3600, 7200] { block += bytes(seconds, 4) + [0, 0] }
            return block + Array("LMT".utf8) + [0]
        }
        return version == 0 ? block(times, width: 4) : block([], width: 4) + block(times, width: 8)
    }

    @Test(arguments: [0x00, 0x32] as [UInt8]) func theOffsetChangesAtEachTransition(version: UInt8) throws {
        let rules = try #require(TimeZoneRules(Self.file([1_000_000, 2_000_000], version: version)))
        #expect(
            [0, 999_999, 1_000_000, 1_999_999, 2_000_000, .max].map { rules.offset(at: $0) } == [
                3600, 3600, 7200, 7200, 3600, 3600,
            ])
    }

    @Test func ofALocalTimeThatComesTwiceTheFirstCounts() throws {
        let rules = try #require(TimeZoneRules(Self.file([1_000_000, 2_000_000])))
        #expect(rules.offset(atLocal: 1_000_000 + 3600 - 1) == 3600)
        #expect(rules.offset(atLocal: 1_000_000 + 3600) == 3600, "skipped")
        #expect(rules.offset(atLocal: 1_000_000 + 7200) == 7200)
        #expect(rules.offset(atLocal: 2_000_000 + 3600) == 7200, "twice")
        #expect(rules.offset(atLocal: 2_000_000 + 7200) == 3600)
    }

    @Test func whatIsNoSoundFileIsRefused() {
        let file = Self.file([1_000_000, 2_000_000])
        for length in [0, 4, 43, 60, file.count - 1] { #expect(TimeZoneRules(Array(file.prefix(length))) == nil) }
        #expect(TimeZoneRules(Self.file([2_000_000, 1_000_000])) == nil)
        #expect(TimeZoneRules(Self.file([1_000_000], kinds: [2])) == nil)
        #expect(TimeZoneRules([UInt8](repeating: 0xFF, count: 4096)) == nil)
    }

    @Test(arguments: ["UTC", "../etc/passwd", "America/../../etc/passwd", "/etc/passwd", "", "Etc/\u{0}"])
    func otherNamesOpenNoFile(name: String) {
        #expect(TimeZoneRules.named(name) == nil)
    }
}
