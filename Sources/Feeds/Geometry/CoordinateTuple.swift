import Reading

/// One group of numbers in a text of coordinates. Commas join the numbers of a tuple, white space separates tuples.
///
/// CAP writes `lat,lon lat,lon`, KML `lon,lat,alt lon,lat,alt`. White space beside a comma belongs to the tuple, since
/// real feeds write `-118.0, 50.0`.
struct CoordinateTuple {
    /// The first number; NaN when missing or unreadable, like the others.
    private(set) var first = Double.nan
    private(set) var second = Double.nan
    private(set) var third = Double.nan
    /// How many numbers the tuple has, unreadable ones and those beyond the third included.
    private(set) var count = 0

    /// The first three numbers, or fewer if the tuple has fewer.
    var numbers: [Double] { Array([first, second, third].prefix(count)) }

    /// The tuple as text, for issues.
    var text: String { numbers.map { "\($0)" }.joined(separator: ",") }

    /// Calls `body` with each tuple of UTF-8 text, in order, until it returns false. The rest is not read.
    static func read(_ text: UnsafeBufferPointer<UInt8>, _ body: (CoordinateTuple) -> Bool) {
        var tuple = CoordinateTuple()
        var followsComma = false
        var index = 0
        while index < text.count {
            let byte = text[index]
            if isSpace(byte) {
                index += 1
                continue
            }
            if byte == comma {
                if followsComma || tuple.count == 0 { tuple.append(.nan) }
                followsComma = true
                index += 1
                continue
            }
            let start = index
            while index < text.count, !isSpace(text[index]), text[index] != comma { index += 1 }
            if !followsComma && tuple.count > 0 {
                guard body(tuple) else { return }
                tuple = CoordinateTuple()
            }
            tuple.append(NumberReader.double(text[start..<index]) ?? .nan)
            followsComma = false
        }
        if tuple.count > 0 { _ = body(tuple) }
    }

    private mutating func append(_ number: Double) {
        switch count {
        case 0: first = number
        case 1: second = number
        case 2: third = number
        default: break
        }
        count += 1
    }

    private static let comma = UInt8(ascii: ",")

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
