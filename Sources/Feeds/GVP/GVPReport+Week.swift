import Foundation
import Model

extension GVPReport {
    /// The week in a heading: `25 June-1 July 2014`, `3-9 June 2020`, `30 December 2015-5 January 2016`.
    ///
    /// The first range of 4 to 14 days with a year counts; reports over holidays cover two weeks. Dates of single
    /// eruptions are no ranges. Without such a range and with `near` given, the first range without a year counts, as
    /// the week that ends nearest to `near`.
    static func week(in text: String, near: Date?) -> Week? {
        let words = tokens(in: text)
        var ranges: [DayRange] = []
        for index in words.indices {
            if let range = DayRange(words[index...]) { ranges.append(range) }
        }
        for range in ranges {
            if let year = range.endYear, let week = range.week(endingIn: year) { return week }
        }
        guard let near else { return nil }
        let nearYear = CivilDate.from(daysSince1970: near.milliseconds / 86_400_000).year
        for range in ranges where range.endYear == nil {
            let weeks = [nearYear - 1, nearYear, nearYear + 1].compactMap { range.week(endingIn: $0) }
            let nearest = weeks.min {
                abs($0.end.timeIntervalSince(near)) < abs($1.end.timeIntervalSince(near))
            }
            if let nearest { return nearest }
        }
        return nil
    }

    // MARK: Reading

    private enum Token: Equatable {
        case number(Int64)
        case month(Int64)
        case dash
        case other
    }

    /// `day [month [year]] dash day month [year]`.
    private struct DayRange {
        var startDay: Int64
        var startMonth: Int64?
        var startYear: Int64?
        var endDay: Int64
        var endMonth: Int64
        var endYear: Int64?

        /// Reads the range at the start of the tokens; nil when they begin otherwise.
        init?(_ tokens: ArraySlice<Token>) {
            var rest = tokens
            guard case .number(let startDay)? = rest.popFirst(), (1...31).contains(startDay) else { return nil }
            self.startDay = startDay
            if case .month(let month)? = rest.first {
                startMonth = month
                rest = rest.dropFirst()
                if case .number(let year)? = rest.first, Self.years.contains(year) {
                    startYear = year
                    rest = rest.dropFirst()
                }
            }
            guard rest.popFirst() == .dash,
                case .number(let endDay)? = rest.popFirst(), (1...31).contains(endDay),
                case .month(let endMonth)? = rest.popFirst()
            else { return nil }
            self.endDay = endDay
            self.endMonth = endMonth
            if case .number(let year)? = rest.first, Self.years.contains(year) { endYear = year }
        }

        func week(endingIn year: Int64) -> Week? {
            let month = startMonth ?? endMonth
            let ownYear = startYear ?? (month > endMonth ? year - 1 : year)
            guard let first = Self.day(ownYear, month, startDay), let last = Self.day(year, endMonth, endDay),
                (3...13).contains(last - first)
            else { return nil }
            return Week(firstDay: first, lastDay: last)
        }

        /// Days since 1970, or nil when the month has no such day.
        private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
            let days = CivilDate.daysSince1970(year: year, month: month, day: day)
            return CivilDate.from(daysSince1970: days) == (year, month, day) ? days : nil
        }

        private static let years: ClosedRange<Int64> = 1900...2999
    }

    /// The most tokens that are read of a text.
    private static let maximumTokens = 10_000

    /// The numbers, months and dashes of the text, other words as `other`. White space is left out.
    private static func tokens(in text: String) -> [Token] {
        var tokens: [Token] = []
        // No month has ten letters, no year five digits.
        var word = ""
        var digits = ""
        func flush() {
            if !digits.isEmpty { tokens.append(digits.utf8.count <= 4 ? .number(Int64(digits) ?? 0) : .other) }
            if !word.isEmpty { tokens.append(month(word).map { Token.month($0) } ?? .other) }
            digits = ""
            word = ""
        }
        for scalar in text.unicodeScalars {
            guard tokens.count < maximumTokens else { break }
            switch scalar.value {
            case 0x30...0x39:
                if !word.isEmpty { flush() }
                if digits.utf8.count < 5 { digits.append(Character(scalar)) }
            case 0x41...0x5A, 0x61...0x7A:
                if !digits.isEmpty { flush() }
                if word.utf8.count < 10 { word.append(Character(scalar)) }
            case 0x09...0x0D, 0x20, 0xA0:
                flush()
            case 0x2D, 0x2010...0x2015, 0x2212:
                flush()
                tokens.append(.dash)
            default:
                flush()
                tokens.append(.other)
            }
        }
        flush()
        return tokens
    }

    /// The month of an English name or its abbreviation of at least three letters.
    private static func month(_ word: String) -> Int64? {
        guard (3...9).contains(word.utf8.count) else { return nil }
        let name = word.lowercased()
        return months.firstIndex { $0.hasPrefix(name) }.map { Int64($0 + 1) }
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
}
