package import Model

// What follows the events of an answer: its withdrawals, then its absences.
extension Reconciliation {
    /// Takes a withdrawal of the answer. If the source has no room for it, it is not kept, and what it takes now has no
    /// evidence.
    package func take(_ withdrawal: Withdrawal, in rows: some Rows) throws -> [Mutation] {
        var mutations: [Mutation] = []
        if withdrawal.erases { mutations = erase(withdrawal) }
        var matched: Set<Int64> = []
        if let row = try rows.row(named: withdrawal.id, of: withdrawal.provider) { matched.insert(row) }
        if withdrawal.takesFamily {
            matched.formUnion(try rows.rows(ofFamily: withdrawal.id, of: withdrawal.provider))
        }
        func kept(_ name: String) throws -> StoredWithdrawal? {
            try rows.withdrawal(of: name, by: withdrawal.provider)
        }
        let known = try kept(withdrawal.id)
        let isNew = known == nil && matched.isEmpty && !withdrawal.erases
        let isKept = mayStore(isNew ? .new : .known, in: rows)
        if isKept, let kept = Withdrawing.kept(withdrawal, over: known, at: now) {
            mutations.append(.keep(kept, of: withdrawal))
        }
        if matched.isEmpty { return mutations }
        let isReplaced = try !withdrawal.replacements.isEmpty || Withdrawing.isSuperseded(withdrawal.id, stored: kept)
        var standing = StandingWithdrawal(withdrawal, at: now)
        if !isKept { standing.evidence = "" }
        for id in matched.sorted() {
            guard let row = try rows.load(id) else { continue }
            let isListed = coverage != nil && listed[ContentHash.name(row.upstreamID, of: row.provider)] != nil
            let isTaken = try Withdrawing.takes(
                withdrawal, row, isReplaced: isReplaced, isListed: isListed, names: { try rows.names(of: id) })
            if isTaken { mutations += withdraw(row, by: standing) }
        }
        return mutations
    }

    /// Erases what a deletion names and no row holds. What sources of this kind have shown without an id may quote it,
    /// and so may samples of their issues, also of this answer.
    private func erase(_ withdrawal: Withdrawal) -> [Mutation] {
        defer { hasErased = true }
        if !hasErased { result.issues = result.issues.mapValues { IssueCount(items: $0.items, sample: "") } }
        return [.eraseWaiting(withdrawal, samples: !hasErased)]
    }

    /// Withdraws an event and, if the provider has deleted its words, erases every copy of them.
    package func withdraw(_ old: EventRow, by withdrawal: StandingWithdrawal) -> [Mutation] {
        var row = old
        row.withdraw(by: withdrawal)
        var mutations: [Mutation] = []
        if withdrawal.erases { mutations = [.eraseAnswers(old)] }
        if let replacement = Replacement(of: old, by: row, as: .withdrawn, at: now) {
            mutations.append(.revise(replacement))
            if replacement.previous != nil { result.withdrawn += 1 }
        }
        if withdrawal.erases { mutations.append(.eraseTraces(row)) }
        return mutations
    }

    /// Withdraws what the snapshot proves to be gone, and notes what it covers. The answer also covers its oldest event
    /// where it proves no absence: at the old end of a window, and if it is incomplete or was made under an untrusted
    /// clock.
    package func end(in rows: some Rows) throws -> [Mutation] {
        let oldest = events.lazy.compactMap(\.time).min()
        return try absences(in: rows) + (oldest.map { [.widen($0.milliseconds)] } ?? [])
    }

    private func absences(in rows: some Rows) throws -> [Mutation] {
        guard let coverage else { return [] }
        let isWaiting = result.refused[StepResult.overBudget] != nil
        let snapshot = LastSnapshot(coverage, after: lastSnapshot, under: step.fingerprint, isWaiting: isWaiting)
        var mutations: [Mutation] = [.cover(snapshot, of: coverage.provider)]
        guard let window = coverage.window else { return mutations }
        var inside = 0
        var missing: [(id: Int64, since: Int64?)] = []
        try rows.eachPromised(from: window.lowerBound.milliseconds, to: window.upperBound.milliseconds) { id, since in
            inside += 1
            if shown[id] == nil { missing.append((id, since)) }
        }
        guard !LastSnapshot.isBaseline(after: lastSnapshot, under: step.fingerprint) else {
            return mutations + missing.map { Mutation.unpromise($0.id) }
        }
        var absence = Absence(coverage, of: source, inside: inside)
        for (id, since) in missing {
            let note = try absence.judge(
                rows.load(id), since: since, names: { try rows.names(of: id) },
                links: { try rows.links(of: id, by: coverage.provider) })
            if let note { mutations.append(note) }
        }
        for (row, since) in absence.proved {
            mutations += withdraw(row, by: absence.withdrawal(from: step.source, since: since))
            mutations.append(.renewLinks(row.id))
        }
        return mutations
    }
}
