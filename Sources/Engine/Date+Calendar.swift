import Foundation
import Model

extension Date {
    private var day: Int64 { Int64(clamping: (Double(milliseconds) / 86_400_000).rounded(.down)) }

    private init(day: Int64) { self.init(timeIntervalSince1970: Double(day) * 86_400) }

    /// The beginning of the next day (UTC).
    var nextDay: Date { Date(day: day + 1) }

    /// The beginning of the next calendar month (UTC), when counts of paid reads and of requests restart.
    var nextMonth: Date {
        let (year, month, _) = CivilDate.from(daysSince1970: day)
        let isLast = month == 12
        let (nextYear, nextMonth) = isLast ? (year + 1, 1) : (year, month + 1)
        return Date(day: CivilDate.daysSince1970(year: nextYear, month: nextMonth, day: 1))
    }
}
