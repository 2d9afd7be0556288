/// The encoding of a table's text.
enum RowEncoding {
    case utf8
    case latin1

    /// UTF-8 if most of the bytes beyond ASCII are well-formed, else ISO-8859-1; nil if all are ASCII.
    static func guess(_ bytes: UnsafeBufferPointer<UInt8>) -> RowEncoding? {
        var wellFormed = 0
        var stray = 0
        var index = 0
        while index < bytes.count {
            if bytes[index] < 0x80 {
                index += 1
                continue
            }
            let length = RowText.sequenceLength(bytes, at: index)
            // A sequence cut off by the end of the sample proves nothing.
            if length == 0, index + 3 >= bytes.count { break }
            if length == 0 { stray += 1 } else { wellFormed += 1 }
            index += max(1, length)
        }
        return wellFormed + stray == 0 ? nil : wellFormed > stray ? .utf8 : .latin1
    }
}

/// A name in UTF-8, in a buffer that is reused for each row.
final class RowText {
    /// Length of the longest name in bytes.
    static let longest = 500

    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * longest)
    private var count = 0

    deinit { buffer.deallocate() }

    /// The name; valid until the next `take`.
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: buffer, count: count) }

    /// Copies a name without surrounding spaces; returns why it is unusable, or nil.
    func take(_ name: UnsafeBufferPointer<UInt8>, in encoding: RowEncoding) -> RowFault? {
        count = 0
        guard name.count <= Self.longest else { return .tooLong }
        var first = 0
        var end = name.count
        while first < end, name[first] == 0x20 { first += 1 }
        while end > first, name[end - 1] == 0x20 { end -= 1 }
        var index = first
        while index < end {
            let byte = name[index]
            if byte < 0x80 {
                guard byte >= 0x20, byte != 0x7F else { return .badEncoding }
                buffer[count] = byte
                count += 1
                index += 1
                continue
            }
            switch encoding {
            case .latin1:
                // In ISO-8859-1, 0x80…0x9F are control characters.
                guard byte >= 0xA0 else { return .badEncoding }
                buffer[count] = 0xC0 | byte >> 6
                buffer[count + 1] = 0x80 | byte & 0x3F
                count += 2
                index += 1
            case .utf8:
                let length = Self.sequenceLength(name, at: index)
                guard length > 0, index + length <= end, byte != 0xC2 || name[index + 1] >= 0xA0 else {
                    return .badEncoding
                }
                for offset in 0..<length { buffer[count + offset] = name[index + offset] }
                count += length
                index += length
            }
        }
        return nil
    }

    /// Length of the well-formed character at an index (Unicode 15 table 3-7); 0 if there is none.
    static func sequenceLength(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        let first = bytes[index]
        if first < 0x80 { return 1 }
        let length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
        guard length > 0, index + length <= bytes.count else { return 0 }
        let lowest: UInt8 = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
        guard (lowest...highest).contains(bytes[index + 1]) else { return 0 }
        for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
