import Glibc

extension UnsafeBufferPointer<UInt8> {
    /// Whether the text has `word` at an offset, ignoring ASCII case; `word` is in lower case. False for an offset
    /// below 0 and where fewer bytes remain.
    @inlinable
    public func reads(_ word: StaticString, at offset: Int) -> Bool {
        guard offset >= 0, offset + word.utf8CodeUnitCount <= count else { return false }
        for index in 0..<word.utf8CodeUnitCount {
            let byte = self[offset + index]
            guard (byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) == word.utf8Start[index] else { return false }
        }
        return true
    }

    /// Whether the text contains a byte; faster than `contains` for long texts.
    func holds(_ byte: UInt8) -> Bool {
        guard let baseAddress else { return false }
        return memchr(baseAddress, Int32(byte), count) != nil
    }
}
