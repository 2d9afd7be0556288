import Foundation
import Model
import Reading

/// Ids of messages and users. API v2 and the `…_str` members write these whole numbers as text.
enum TwitterID {
    /// The first id that contains a time; ids before 2010-11-04 were sequential.
    static let firstSnowflake: Int64 = 29_700_859_247

    /// Reads 1 to 19 digits, or a whole number if the value is no text; nil for anything else and for 0.
    ///
    /// Nil for `1.033e18`, too: programs that write ids so have rounded them, and many messages share one.
    static func read(_ value: JSONValue?) -> Int64? {
        guard let value else { return nil }
        guard let digits = value.utf8 else { return value.integer.flatMap { $0 > 0 ? $0 : nil } }
        guard (1...19).contains(digits.count) else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return number > 0 ? Int64(exactly: number) : nil
    }

    /// Reads a list of ids, of at most 1000 elements; skips everything else in it.
    static func list(_ value: JSONValue?) -> [Int64] {
        guard let value else { return [] }
        return value.elements.prefix(1000).compactMap { read($0) }
    }

    /// The time at which the id was assigned: the bits above the lowest 22 are milliseconds since
    /// 2010-11-04T01:42:54.657Z. Nil for ids before `firstSnowflake`.
    static func date(of id: Int64) -> Date? {
        id >= firstSnowflake ? Date(milliseconds: (id >> 22) + 1_288_834_974_657) : nil
    }
}
