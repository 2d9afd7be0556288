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

    /// Whether other events have replaced the event of this name, or the family it belongs to.
    /// - Parameter stored: The stored withdrawal of a name.
    package static func isSuperseded(
        _ name: String, stored: (String) throws -> StoredWithdrawal?
    ) rethrows -> Bool {
        try families(of: name).contains { candidate, isFamily in
            guard let found = try stored(candidate), found.takesFamily || !isFamily else { return false }
            return !found.replacements.isEmpty
        }
    }
}

/// A withdrawal that is kept for events which arrive after it.
package struct StoredWithdrawal: Sendable, Hashable {
    /// What an event shows of it.
    package var standing: StandingWithdrawal
    /// Whether it takes each event whose name begins with the withdrawn one and a space.
    package var takesFamily: Bool
    /// The names of the events that replace the withdrawn one.
    package var replacements: [String]

    /// Creates a withdrawal that is kept.
    package init(standing: StandingWithdrawal, takesFamily: Bool = false, replacements: [String] = []) {
        self.standing = standing
        self.takesFamily = takesFamily
        self.replacements = replacements
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
