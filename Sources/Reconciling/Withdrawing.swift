package import Model

/// Which events a provider's withdrawal takes, and what is kept of it for events that come later (`Acceptance`).
///
/// 1. It names an event by any of its names and, if it takes families, each event with a name that begins with the
///    withdrawn one and a space.
/// 2. If it replaces the event by others, now or before, it takes the event only while that shows the withdrawn name or
///    family, and never one of the replacements.
/// 3. A snapshot that lists the event under the name it shows withdraws no other of its names, unless to delete words.
/// 4. A version later than the withdrawal stays. So does one that its provider has withdrawn before, unless this deletes
///    words that are still there; one that was only missing is withdrawn anew.
/// 5. Of two withdrawals of one name the later is kept, or the first that deletes; a deletion and the replacements
///    outlive it. Deletion blanks every word of the row (`EventRow.erase`).
package enum Withdrawing {
    /// Whether a withdrawal takes an event that it names.
    /// - Parameters:
    ///   - isReplaced: Whether others replace the withdrawn event, by this withdrawal or by a kept one.
    ///   - isListed: Whether the withdrawal's snapshot lists the event under the name that the row shows.
    ///   - names: All names of the event; asked only where they decide.
    package static func takes(
        _ withdrawal: Withdrawal, _ row: EventRow, isReplaced: Bool, isListed: Bool, names: () throws -> [String]
    ) rethrows -> Bool {
        // An event that has replaced this one before has a name of its own and does not match.
        if isReplaced, !families(of: row.upstreamID).contains(where: { $0.name == withdrawal.id }) { return false }
        // A snapshot lists the event under the name it shows, so the withdrawal concerns another of its names only.
        if isListed, !withdrawal.erases, row.upstreamID != withdrawal.id { return false }
        let replacements = withdrawal.replacements
        if !replacements.isEmpty, try names().contains(where: replacements.contains) { return false }
        if let time = withdrawal.time?.milliseconds, let version = row.version, version > time { return false }
        let isSettled = row.withdrawnReason != nil && row.withdrawnReason != WithdrawalReason.absent
        return !isSettled || withdrawal.erases && !row.isErased
    }

    /// What is kept of a withdrawal; nil: the stored one says as much.
    /// - Parameter now: Stands for the time of a withdrawal that has none; such a one displaces no other as the later.
    package static func kept(
        _ withdrawal: Withdrawal, over known: StoredWithdrawal?, at now: Int64
    ) -> StoredWithdrawal? {
        var kept = StoredWithdrawal(
            standing: StandingWithdrawal(withdrawal, at: now), takesFamily: withdrawal.takesFamily,
            replacements: withdrawal.replacements)
        guard let known else { return kept }
        let isLater = withdrawal.time != nil && kept.standing.time > known.standing.time
        guard isLater || withdrawal.erases && !known.standing.erases else { return nil }
        kept.standing.erases = withdrawal.erases || known.standing.erases
        if kept.replacements.isEmpty { kept.replacements = known.replacements }
        return kept
    }

    /// The name, and its part before each space, which names a family.
    package static func families(of name: String) -> [(name: String, isFamily: Bool)] {
        var text = name
        let lengths = text.withUTF8 { bytes in bytes.indices.filter { bytes[$0] == UInt8(ascii: " ") } }
        var families = [(name: name, isFamily: false)]
        for length in lengths {
            families.append((name: String(Substring(name.utf8.prefix(length))), isFamily: true))
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
    /// A raw value of `Withdrawal.Reason`, or `WithdrawalReason.absent`.
    package var reason: String
    /// Its time in milliseconds since 1970.
    package var time: Int64
    /// What it rests on.
    package var evidence: String
    /// Whether the provider has deleted the words.
    package var erases: Bool

    /// Creates what an event shows of a withdrawal; `now` stands for its time if it has none.
    package init(_ withdrawal: Withdrawal, at now: Int64) {
        self.init(
            reason: withdrawal.reason.rawValue, time: withdrawal.time?.milliseconds ?? now,
            evidence: withdrawal.evidence, erases: withdrawal.erases)
    }

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
