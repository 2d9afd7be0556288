import Model

/// Closes streams whose source is edited, removed or reset.
extension Engine {
    /// How long such a stream may take to end. It is short because a caller waits for the edit or the reset.
    static let drainTimeout = Duration.milliseconds(500)

    /// Closes the open stream of a source, so that its last events are stored and unused reads are given back.
    ///
    /// - Parameter wait: Time from the stream's end until the source is due, unless it was closing for another reason.
    /// - Returns: Whether the source has an open stream. Its poll ends with a report or with `Effect.abandoned`.
    mutating func drainStream(_ index: Int, dueIn wait: Duration, at now: Moment) -> Bool {
        guard let stream = sources[index].poll?.stream else { return false }
        guard stream.drain == nil else { return true }
        let until = now.uptime + Self.drainTimeout
        sources[index].poll?.stream?.drain = (until, wait)
        set(.drainTimeout(index), at: until)
        closeStream(index, .draining)
        return true
    }

    /// Abandons a stream that has not ended in time. The number of reads it used is unknown, so they stay counted.
    mutating func endDrain(_ index: Int, at now: Moment) {
        guard let drain = sources[index].poll?.stream?.drain, drain.until <= now.uptime, !isEnding(index)
        else { return }
        abandonPoll(index, because: drainReason(index), dueIn: drain.wait, at: now)
    }

    /// The reason for a drain: a reset or an edit.
    func drainReason(_ index: Int) -> Failure {
        resetting[sources[index].settings.name] != nil ? .beingReset : .edited
    }

    /// Gives back reserved paid reads that cannot have been used.
    mutating func giveBack(_ reads: Int, of index: Int, at now: Moment) {
        let name = sources[index].settings.name
        giveBack(Reservation(source: name, at: now.wall, reads: reads, monthlyCap: 0), of: index)
    }

    /// Gives back the reads of a poll that no longer exists.
    mutating func giveBack(_ reservation: Reservation, of index: Int) {
        guard reservation.reads > 0 else { return }
        // If the write fails, the reads stay counted.
        let id = WriteID(number: newNumber(), poll: nil)
        purposes[id] = .givingBack(index)
        effects.append(.write(id, .giveBack(reservation)))
    }

    // MARK: Resets

    /// Ends the poll of a source before its state is removed. No poll begins until `resetDone`.
    mutating func abandon(_ name: String, at now: Moment) {
        resetting[name, default: 0] += 1
        guard let index = indices[name] else { return allowReset(of: name) }
        let source = sources[index]
        let wait = source.feed.stream?.afterErrors.first ?? source.settings.refreshInterval
        guard !drainStream(index, dueIn: wait, at: now) else { return }
        guard source.poll != nil else { return allowReset(of: name) }
        abandonPoll(index, because: .beingReset, dueIn: wait, at: now)
    }

    /// Lets a reset of the source begin: no poll of it writes any more.
    mutating func allowReset(of name: String) {
        if resetting[name] != nil { effects.append(.readyForReset(source: name)) }
    }

    /// Ends a reset. The source stays unpolled while another reset of it runs, which would remove new events, too.
    mutating func resetDone(_ name: String) {
        let others = (resetting[name] ?? 1) - 1
        resetting[name] = others > 0 ? others : nil
        if others == 0, let index = indices[name] { scheduleDue(index) }
    }
}
