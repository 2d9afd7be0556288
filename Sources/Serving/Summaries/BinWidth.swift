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
        var length = Self.day
        var first = Date(milliseconds: 0)
        switch try parameters.take("bin", accepted: Self.accepted) {
        case nil, "day"?: break
        case "minute"?: length = 60
        case "hour"?: length = 3600
        case "week"?:
            length = 7 * Self.day
            first = Self.monday
        case let text?:
            guard (1...8).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                !text.hasPrefix("0"), let number = Int64(text)
            else { throw .parameter("bin", found: text, accepted: Self.accepted) }
            length = number
        }
        seconds = length
        origin = first
    }

    private static let day: Int64 = 86_400
    /// A Monday at 00:00 UTC: 1970-01-01 was a Thursday.
    private static let monday = Date(milliseconds: -3 * day * 1000)

    private init(seconds: Int64, origin: Date) {
        self.seconds = seconds
        self.origin = origin
    }

    // MARK: - By their number

    /// Round lengths in seconds, up to a year of 365 days.
    private static let round: [Int64] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, day, 2 * day, 7 * day,
        14 * day, 30 * day, 90 * day, 365 * day,
    ]

    /// The least round length of which at most so many bins cover a span. Longer ones than a year are whole years of 365
    /// days, and begin with the span.
    /// - Parameter most: The most bins, 1 or more.
    init(covering span: ClosedRange<Date>, atMost most: Int) {
        let aligned = Self.round.lazy.map { seconds in
            let isOfWeeks = seconds % (7 * Self.day) == 0
            return Self(seconds: seconds, origin: isOfWeeks ? Self.monday : Date(milliseconds: 0))
        }
        let year = 365 * Self.day
        let length = (span.upperBound.milliseconds - span.lowerBound.milliseconds) / 1000
        let years = length / year / max(1, Int64(clamping: most)) + 1
        self =
            aligned.first { $0.count(over: span) <= most } ?? Self(seconds: years * year, origin: span.lowerBound)
    }

    /// When the bin of a time begins.
    func start(of time: Date) -> Date {
        let width = seconds * 1000
        let rest = (time.milliseconds - origin.milliseconds) % width
        return Date(milliseconds: time.milliseconds - (rest < 0 ? rest + width : rest))
    }

    /// The number of bins that a span touches.
    func count(over span: ClosedRange<Date>) -> Int {
        let (first, last) = (start(of: span.lowerBound).milliseconds, start(of: span.upperBound).milliseconds)
        return Int(clamping: (last - first) / (seconds * 1000) + 1)
    }
}
