package import Foundation
package import Model

extension SourceBudget {
    /// The budget in words: `at most 200000 rows, 512 MiB a day, 5000000 rows, 8192 MiB in all`.
    package var words: String {
        "at most \(daily.rows) rows, \(Int64(daily.bytes).asSize()) a day, "
            + "\(total.rows) rows, \(Int64(total.bytes).asSize()) in all"
    }
}

extension SourceUse {
    /// The use and its budget in words: `120 of 200000 rows, 90 KiB of 512 MiB today, 3000 of …  in all`.
    /// - Parameter now: Wall time.
    package func words(at now: Date) -> String {
        func words(_ used: StoredAmount, _ most: StoredAmount) -> String {
            "\(used.rows) of \(most.rows) rows, \(Int64(used.bytes).asSize()) of \(Int64(most.bytes).asSize())"
        }
        return words(today(at: now), budget.daily) + " today, " + words(total, budget.total) + " in all"
    }
}
