/// Mends faults that simdjson refuses in otherwise valid JSON: invalid UTF-8, unpaired surrogates, control characters
/// and unknown escapes in strings, and numbers beyond the range of doubles and 64 bits.
enum JSONMender {
    /// The mended document; nil when nothing could be mended. Time is linear in its length.
    static func mended(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        // Decoding replaces invalid UTF-8 by U+FFFD.
        let source = Array(String(decoding: bytes, as: UTF8.self).utf8)
        var out: [UInt8] = []
        out.reserveCapacity(source.count + 64)
        var index = 0
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "\"") {
                index = appendString(source, at: index, to: &out)
            } else if byte == UInt8(ascii: "-") || isDigit(byte) {
                let end = source[index...].firstIndex { !isNumeric($0) } ?? source.count
                appendNumber(source[index..<end], to: &out)
                index = end
            } else {
                out.append(byte)
                index += 1
            }
        }
        return out.elementsEqual(bytes) ? nil : out
    }

    /// Copies a string from its opening quotation mark on; returns the index after it.
    private static func appendString(_ source: [UInt8], at start: Int, to out: inout [UInt8]) -> Int {
        out.append(source[start])
        var index = start + 1
        while index < source.count {
            let byte = source[index]
            switch byte {
            case UInt8(ascii: "\""):
                out.append(byte)
                return index + 1
            case UInt8(ascii: "\\"):
                index = appendEscape(source, at: index, to: &out)
            case 0..<0x20:
                out.append(0x20)
                index += 1
            default:
                out.append(byte)
                index += 1
            }
        }
        return index
    }

    private static func appendEscape(_ source: [UInt8], at start: Int, to out: inout [UInt8]) -> Int {
        guard start + 1 < source.count else { return source.count }
        guard source[start + 1] == UInt8(ascii: "u") else {
            if plainEscapes.contains(source[start + 1]) {
                out.append(contentsOf: source[start...start + 1])
            } else {
                out.append(contentsOf: replacement)
            }
            return start + 2
        }
        guard let unit = codeUnit(source, at: start) else {
            out.append(contentsOf: replacement)
            return start + 2
        }
        switch unit {
        case 0xD800..<0xDC00:
            if let low = codeUnit(source, at: start + 6), (0xDC00..<0xE000).contains(low) {
                out.append(contentsOf: source[start..<start + 12])
                return start + 12
            }
            out.append(contentsOf: replacement)
        case 0xDC00..<0xE000: out.append(contentsOf: replacement)
        default: out.append(contentsOf: source[start..<start + 6])
        }
        return start + 6
    }

    /// The value of the escape `\uXXXX` at an index; nil without one.
    private static func codeUnit(_ source: [UInt8], at start: Int) -> UInt16? {
        guard start + 6 <= source.count, source[start] == UInt8(ascii: "\\"), source[start + 1] == UInt8(ascii: "u")
        else { return nil }
        return UInt16(String(decoding: source[start + 2..<start + 6], as: UTF8.self), radix: 16)
    }

    private static func appendNumber(_ digits: ArraySlice<UInt8>, to out: inout [UInt8]) {
        let text = String(decoding: digits, as: UTF8.self)
        let isWhole = digits.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "-") }
        let isExpressible = isWhole ? Int64(text) != nil || UInt64(text) != nil : Double(text)?.isFinite == true
        out.append(contentsOf: isExpressible ? Array(digits) : Array("null".utf8))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: isDigit(byte)
        }
    }

    private static let plainEscapes = Array("\"\\/bfnrt".utf8)
    private static let replacement = Array("\u{FFFD}".utf8)
}
