import Foundation
import Model

/// The length of a histogram's bins, and where they begin.
struct BinWidth: Sendable, Hashable {
    let seconds: Int64
    /// A time at which a bin begins.
    let origin: Date

    /// The values of the parameter in words.
    static let accepted = "minute, hour, day, week or a number of seconds from 1 to 99999999"
    /// The values of the parameter as a regular expression of JSON Schema.
    static let pattern = "^(minute|hour|day|week|[1-9][0-9]{0,7})$"

    /// Takes `bin`, a day by default. Weeks begin on Mondays, all other bins at a multiple of their length since 1970.
    init(_ parameters: inout Parameters) throws(Problem) {
        var length: Int64 = 86_400
        var first = Date(milliseconds: 0)
        switch try parameters.take("bin", accepted: Self.accepted) {
        case nil, "day"?: break
        case "minute"?: length = 60
        case "hour"?: length = 3600
        case "week"?:
            length = 7 * 86_400
            // 1970-01-01 was a Thursday.
            first = Date(milliseconds: -3 * 86_400_000)
        case let text?:
            guard (1...8).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                !text.hasPrefix("0"), let number = Int64(text)
            else { throw .parameter("bin", found: text, accepted: Self.accepted) }
            length = number
        }
        seconds = length
        origin = first
    }
}
