import Model

/// Writes to the store and their outcomes.
extension Engine {
    mutating func write(_ content: StoreWrite, for purpose: WritePurpose) {
        let id = WriteID(number: newNumber(), poll: sources[purpose.source].poll?.number)
        purposes[id] = purpose
        effects.append(.write(id, content))
    }

    mutating func wrote(_ id: WriteID, _ result: StoreResult, at now: Moment) {
        guard let purpose = purposes.removeValue(forKey: id) else { return }
        if storePausedUntil == nil, purpose.isStep, storePause.recover() { effects.append(.notice(.storeResumed)) }
        // An abandoned poll changes nothing here, but reads reserved for it are given back.
        guard let poll = id.poll, sources[purpose.source].poll?.number == poll else {
            if case (.reservation(_, let reservation), .reserved(.granted)) = (purpose, result) {
                giveBack(reservation, of: purpose.source)
            }
            return
        }
        if case .stepped(let counts) = result {
            let source = sources[purpose.source].settings.name
            effects += counts.takenSenders.map { .notice(.senderTaken($0, by: source)) }
        }
        switch (purpose, result) {
        case (.beginning(let index), .begun(let record)): begun(index, record, at: now)
        case (.step(let index), .stepped(let counts)):
            sources[index].poll?.result.add(counts)
            if counts.isOverBudget { closeStream(index, .overBudget) }
        case (.note(let index, let end), .stepped(let counts)):
            noted(index, end, counts, at: now)
            if counts.isOverBudget { closeStream(index, .overBudget) }
        case (.end(let index, let end, let overBudget), .stepped(let counts)):
            ended(index, counts.isOverBudget ? overBudget : end, counts, at: now)
        case (.reservation(let key, _), .reserved(let grant)): reserved(key, grant, at: now)
        default: preconditionFailure("the store answered a write with the result of another")
        }
        readOn(purpose.source)
    }

    /// Handles a failed write. After a transient failure, such as a full disk, the poll is abandoned without blame, and
    /// polls pause. After another one the source backs off.
    mutating func writeFailed(_ id: WriteID, reason: String, isTransient: Bool, at now: Moment) {
        guard let purpose = purposes.removeValue(forKey: id) else { return }
        let index = purpose.source
        // Writes of an abandoned poll need no handling.
        guard let poll = id.poll, sources[index].poll?.number == poll else { return }
        guard isTransient else {
            let refusal = Failure(.ours, .storeRefuses, "the store refuses what it has brought: \(reason)")
            let until = retryLater(index, because: refusal, at: now)
            effects.append(
                .notice(.writeRefused(source: sources[index].settings.name, reason: reason, until: until)))
            return
        }
        storeFault = reason
        abandonPoll(index, because: .storePaused(reason), dueIn: .zero, at: now)
        guard storePausedUntil == nil else { return }
        let until = storePause.begin(at: now)
        storePausedUntil = until
        effects.append(.notice(.storePaused(reason: reason, until: now.wall(at: until))))
        set(.storeProbe, at: until)
    }

    mutating func probeStore(at now: Moment) {
        storePausedUntil = nil
        beginDue(at: now)
    }

    /// Begins the polls that fell due during a pause.
    mutating func beginDue(at now: Moment) {
        for index in sources.indices where sources[index].due <= now.uptime && sources[index].settings.isEnabled {
            begin(index, isForced: false, at: now)
        }
    }
}
