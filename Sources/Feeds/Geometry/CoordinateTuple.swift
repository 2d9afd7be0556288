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
    /// The tuple's place in the text that was read.
    private(set) var range = 0..<0

    init() {}

    /// A tuple of these numbers.
    init(_ numbers: some Sequence<Double>) {
        for number in numbers { append(number, at: range) }
    }

    /// The first three numbers, or fewer if the tuple has fewer.
    var numbers: [Double] { Array([first, second, third].prefix(count)) }

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
                if followsComma || tuple.count == 0 { tuple.append(.nan, at: index..<index) }
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
            tuple.append(NumberReader.double(text[start..<index]) ?? .nan, at: start..<index)
            followsComma = false
        }
        if tuple.count > 0 { _ = body(tuple) }
    }

    private mutating func append(_ number: Double, at place: Range<Int>) {
        range = (count == 0 ? place.lowerBound : range.lowerBound)..<place.upperBound
        switch count {
        case 0: first = number
        case 1: second = number
        case 2: third = number
        default: break
        }
        count += 1
    }

    static let comma = UInt8(ascii: ",")

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
