import Foundation

/// Zeros in the deflate format (RFC 1951), compressed to a thousandth.
enum Bombs {
    /// Number of zeros in `segment`.
    static let segmentBytes = 1 + 258 * 4000

    /// A block with its own Huffman codes, then an empty stored block; another segment may follow.
    static let segment: Data = {
        var bits = BitWriter()
        bits.put(0, 1)  // not the last block
        bits.put(2, 2)  // dynamic codes
        bits.put(29, 5)  // 286 codes for literals and lengths
        bits.put(0, 5)  // 1 for distances
        bits.put(14, 4)  // 18 lengths of codes for lengths: that of 18 is 1, of 2 and 1 is 2
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { bits.put(length, 3) }
        // The lengths: 2 for the literal 0, 2 for the end of the block, 1 for a copy of 258 bytes, 1 for distance 1.
        bits.put(0b11, 2)
        for zeros in [138, 117] { bits.zeros(zeros) }
        bits.put(0b11, 2)
        bits.zeros(28)
        bits.put(0b01, 2)
        bits.put(0b01, 2)
        // The literal 0, then 4000 copies of it as two zero bits each, then the end.
        bits.put(0b01, 2)
        for _ in 0..<1000 { bits.put(0, 8) }
        bits.put(0b11, 2)
        bits.put(0, 3)
        bits.align()
        var block = bits.bytes
        block.append(contentsOf: [0, 0, 0xFF, 0xFF] as [UInt8])
        return block
    }()

    /// At least `count` zeros as a complete deflate stream.
    static func zeros(_ count: Int) -> Data {
        var out = Data()
        for _ in 0..<(count / segmentBytes + 1) { out.append(segment) }
        out.append(contentsOf: [1, 0, 0, 0xFF, 0xFF] as [UInt8])
        return out
    }

    /// At least `count` zeros as a gzip stream (RFC 1952). Its checksum is wrong, but no reader should get that far.
    static func gzip(zeros count: Int) -> Data {
        var out = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        out.append(zeros(count))
        out.append(Data(repeating: 0, count: 8))
        return out
    }

    /// A file in a zip archive.
    struct Member {
        var name: String
        /// The bytes in the archive.
        var packed: Data
        /// Whether `packed` is in the deflate format; otherwise it is stored.
        var isDeflated = true
        /// The declared size.
        var declared = 0
        var checksum: UInt32 = 0
    }

    /// A zip archive (APPNOTE 4.3).
    static func zip(_ members: [Member]) -> Data {
        var out = Data()
        var directory = Data()
        for member in members {
            let offset = out.count
            // Method, time, date, checksum, sizes, length of the name, no extra field.
            var facts = Data()
            facts.append(little: UInt16(member.isDeflated ? 8 : 0))
            facts.append(little: UInt32(0))
            facts.append(little: member.checksum)
            facts.append(little: UInt32(member.packed.count))
            facts.append(little: UInt32(truncatingIfNeeded: member.declared))
            facts.append(little: UInt16(member.name.utf8.count))
            facts.append(little: UInt16(0))
            out.append(contentsOf: [0x50, 0x4B, 3, 4, 20, 0, 0, 0] as [UInt8])
            out.append(facts)
            out.append(contentsOf: member.name.utf8)
            out.append(member.packed)
            directory.append(contentsOf: [0x50, 0x4B, 1, 2, 20, 0, 20, 0, 0, 0] as [UInt8])
            directory.append(facts)
            // No comment, disk 0, attributes.
            directory.append(Data(repeating: 0, count: 10))
            directory.append(little: UInt32(offset))
            directory.append(contentsOf: member.name.utf8)
        }
        let start = out.count
        out.append(directory)
        out.append(contentsOf: [0x50, 0x4B, 5, 6, 0, 0, 0, 0] as [UInt8])
        for _ in 0..<2 { out.append(little: UInt16(truncatingIfNeeded: members.count)) }
        out.append(little: UInt32(directory.count))
        out.append(little: UInt32(start))
        out.append(little: UInt16(0))
        return out
    }

    /// The CRC-32 of RFC 1952 §8.
    static func checksum(_ data: Data) -> UInt32 {
        let table = (0..<256).map { index -> UInt32 in
            (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        }
        return data.withUnsafeBytes { bytes in
            var sum: UInt32 = 0xFFFF_FFFF
            for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
            return ~sum
        }
    }
}

/// Bits in the order of deflate: the first one lowest, also in Huffman codes.
private struct BitWriter {
    private(set) var bytes = Data()
    private var pending = 0
    private var count = 0

    mutating func put(_ value: Int, _ width: Int) {
        for bit in 0..<width {
            pending |= (value >> bit & 1) << count
            count += 1
            if count == 8 { align() }
        }
    }

    /// A run of 11 to 138 unused codes: symbol 18, whose code is one zero bit (RFC 1951 §3.2.7).
    mutating func zeros(_ run: Int) {
        put(0, 1)
        put(run - 11, 7)
    }

    mutating func align() {
        guard count > 0 else { return }
        bytes.append(UInt8(pending))
        pending = 0
        count = 0
    }
}

extension Data {
    fileprivate mutating func append(little number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
