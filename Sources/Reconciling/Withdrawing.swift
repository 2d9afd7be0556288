/// What a withdrawal takes.
package enum Withdrawing {
    /// The name, and its part before each space, which names a family.
    package static func families(of name: String) -> [(name: String, isFamily: Bool)] {
        var families = [(name: name, isFamily: false)]
        for index in name.indices where name[index] == " " {
            families.append((name: String(name[..<index]), isFamily: true))
        }
        return families
    }
}

/// A withdrawal as an event shows it.
package struct StandingWithdrawal: Sendable, Hashable {
    /// A raw value of `Withdrawal.Reason`.
    package var reason: String
    /// Its time in milliseconds since 1970.
    package var time: Int64
    /// What it rests on.
    package var evidence: String
    /// Whether the provider has deleted the words.
    package var erases: Bool

    /// Creates a withdrawal with these values.
    package init(reason: String, time: Int64, evidence: String, erases: Bool) {
        self.reason = reason
        self.time = time
        self.evidence = evidence
        self.erases = erases
    }
}

/// The values of `EventRow.withdrawnReason` beyond `Withdrawal.Reason`.
package enum WithdrawalReason {
    /// Missing from complete snapshots.
    package static let absent = "absent"
}

extension EventRow {
    /// Marks the row as withdrawn and blanks its words if the provider has deleted them.
    package mutating func withdraw(by withdrawal: StandingWithdrawal) {
        (withdrawnReason, withdrawnAt, withdrawnEvidence) = (withdrawal.reason, withdrawal.time, withdrawal.evidence)
        if withdrawal.erases { erase() }
    }
}
