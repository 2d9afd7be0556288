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

    /// Calls `body` with each tuple of the text, in order.
    static func read(_ text: String, _ body: (CoordinateTuple) -> Void) {
        let bytes = text.utf8
        var tuple = CoordinateTuple()
        var followsComma = false
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if isSpace(byte) {
                index = bytes.index(after: index)
                continue
            }
            if byte == comma {
                if followsComma || tuple.count == 0 { tuple.append(.nan) }
                followsComma = true
                index = bytes.index(after: index)
                continue
            }
            var end = index
            while end < bytes.endIndex, !isSpace(bytes[end]), bytes[end] != comma { end = bytes.index(after: end) }
            if !followsComma && tuple.count > 0 {
                body(tuple)
                tuple = CoordinateTuple()
            }
            tuple.append(NumberReader.double(Substring(bytes[index..<end])) ?? .nan)
            followsComma = false
            index = end
        }
        if tuple.count > 0 { body(tuple) }
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
