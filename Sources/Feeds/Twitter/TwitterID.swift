import Foundation
import Model
import Reading

/// Ids of messages and users: whole numbers that API v2 and the `…_str` members write as text.
enum TwitterID {
    /// The first id that holds a time; those before 2010-11-04 were merely counted.
    static let firstSnowflake: Int64 = 29_700_859_247

    /// Reads 1 to 19 digits, or a whole number where nothing better is given; nil for anything else and for 0.
    static func read(_ value: JSONValue?) -> Int64? {
        guard let value else { return nil }
        guard let digits = value.utf8 else { return value.int64.flatMap { $0 > 0 ? $0 : nil } }
        guard (1...19).contains(digits.count) else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return number > 0 ? Int64(exactly: number) : nil
    }

    /// Reads the ids of a list; others than ids are left out.
    static func list(_ value: JSONValue?) -> [Int64] {
        guard let value else { return [] }
        return value.elements.compactMap { read($0) }
    }

    /// When the id was given: the milliseconds since 2010-11-04T01:42:54.657Z stand above its lowest 22 bits.
    static func date(of id: Int64) -> Date? {
        id >= firstSnowflake ? Date(milliseconds: (id >> 22) + 1_288_834_974_657) : nil
    }
}
