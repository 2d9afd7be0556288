package import Model

extension PaidReads {
    /// The paid reads of a month in words: `12 of 1000 paid reads this month`.
    /// - Parameter cap: The most that are allowed; nil: not known.
    package static func words(_ reads: Int, of cap: Int?) -> String {
        let nouns = reads == 1 && cap == nil ? "paid read" : "paid reads"
        return "\(reads)\(cap.map { " of \($0)" } ?? "") \(nouns) this month"
    }

    /// What the settings allow in a month of 31 days: `at most 1000 paid reads a month (monthly_cap)`, or less by the
    /// schedule.
    /// - Parameter interval: From one poll to the next, above zero.
    package func allowance(every interval: Duration) -> String {
        let month: Int64 = 31 * 86_400_000
        let polls = Int((month - 1) / max(1, interval.milliseconds) + 1)
        guard let perPoll, perPoll * polls < monthlyCap else {
            return "at most \(monthlyCap.counted("paid read")) a month (monthly_cap)"
        }
        return "at most \((perPoll * polls).counted("paid read")) a month by its schedule, "
            + "\(monthlyCap) by monthly_cap"
    }
}
