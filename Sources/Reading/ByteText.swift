import Glibc

extension UnsafeBufferPointer<UInt8> {
    /// Whether the text goes on with `word` at an offset; `word` is in lower case, the text may be in either.
    @inlinable
    public func reads(_ word: StaticString, at offset: Int) -> Bool {
        guard offset >= 0, offset + word.utf8CodeUnitCount <= count else { return false }
        for index in 0..<word.utf8CodeUnitCount {
            let byte = self[offset + index]
            guard (byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) == word.utf8Start[index] else { return false }
        }
        return true
    }

    /// Whether the text holds a byte; of long texts faster than `contains`.
    func holds(_ byte: UInt8) -> Bool {
        guard let baseAddress else { return false }
        return memchr(baseAddress, Int32(byte), count) != nil
    }
}
