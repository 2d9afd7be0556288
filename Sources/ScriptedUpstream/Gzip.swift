import Foundation

/// The gzip format (RFC 1952) without compression: enough to show that a body is decoded.
enum Gzip {
    /// The data in stored blocks (RFC 1951 §3.2.4) of at most 65 535 bytes.
    static func stored(_ data: Data) -> Data {
        var out = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        var rest = [UInt8](data)[...]
        var checksum: UInt32 = 0xFFFF_FFFF
        repeat {
            let piece = rest.prefix(65_535)
            rest = rest.dropFirst(piece.count)
            out.append(rest.isEmpty ? 1 : 0)
            out.append(contentsOf: littleEndian(UInt16(piece.count)))
            out.append(contentsOf: littleEndian(~UInt16(piece.count)))
            out.append(contentsOf: piece)
            for byte in piece {
                checksum ^= UInt32(byte)
                for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
            }
        } while !rest.isEmpty
        out.append(contentsOf: littleEndian(~checksum))
        out.append(contentsOf: littleEndian(UInt32(truncatingIfNeeded: data.count)))
        return out
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
    }
}
