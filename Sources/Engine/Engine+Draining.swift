import Model

/// Streams that end because their source is edited, removed or reset.
extension Engine {
    /// How long the end of such a stream is waited for: somebody waits for what follows.
    static let drainTimeout = Duration.milliseconds(500)

    /// Closes the open stream of a source, so that what has come of it is stored and the reads that it did not need are
    /// given back.
    ///
    /// - Parameter wait: From its end until the source is due, unless it was ending for reasons of its own.
    /// - Returns: Whether there is one. Its poll is over with its report, or with `Effect.abandoned`.
    mutating func drainStream(_ index: Int, dueIn wait: Duration, at now: Moment) -> Bool {
        guard let stream = sources[index].poll?.stream else { return false }
        guard stream.drain == nil else { return true }
        let until = now.uptime + Self.drainTimeout
        sources[index].poll?.stream?.drain = (until, wait)
        set(.drainTimeout(index), at: until)
        closeStream(index, .draining)
        return true
    }

    /// A stream that has not ended in time is given up; how many of its reads came is not known, so they stay counted.
    mutating func endDrain(_ index: Int, at now: Moment) {
        guard let drain = sources[index].poll?.stream?.drain, drain.until <= now.uptime, !isEnding(index)
        else { return }
        abandonPoll(index, because: drainReason(index), dueIn: drain.wait, at: now)
    }

    /// Why the stream of a source is closed that is edited or reset.
    func drainReason(_ index: Int) -> Failure {
        resetting[sources[index].settings.name] != nil ? .beingReset : .edited
    }

    /// Gives back paid reads of a source that were reserved and that nothing can have used.
    mutating func giveBack(_ reads: Int, of index: Int, at now: Moment) {
        let name = sources[index].settings.name
        giveBack(Reservation(source: name, at: now.wall, reads: reads, monthlyCap: 0), of: index)
    }

    /// The same, of a poll that is gone.
    mutating func giveBack(_ reservation: Reservation, of index: Int) {
        guard reservation.reads > 0 else { return }
        // Where it fails the reads stay counted.
        let id = WriteID(number: newNumber(), poll: nil)
        purposes[id] = .givingBack(index)
        effects.append(.write(id, .giveBack(reservation)))
    }

    // MARK: Resets

    /// Ends the poll of a source whose state is about to be forgotten; none begins before that has been done.
    mutating func abandon(_ name: String, at now: Moment) {
        resetting[name, default: 0] += 1
        guard let index = indices[name] else { return allowReset(of: name) }
        let source = sources[index]
        let wait = source.feed.stream?.afterErrors.first ?? source.settings.refreshInterval
        guard !drainStream(index, dueIn: wait, at: now) else { return }
        guard source.poll != nil else { return allowReset(of: name) }
        abandonPoll(index, because: .beingReset, dueIn: wait, at: now)
    }

    /// The poll of a source is over: whoever waits to forget the source's state may begin.
    mutating func allowReset(of name: String) {
        if resetting[name] != nil { effects.append(.readyForReset(source: name)) }
    }

    /// A reset is over. What a poll stores while another reset of the source goes on would go with that.
    mutating func resetDone(_ name: String) {
        let others = (resetting[name] ?? 1) - 1
        resetting[name] = others > 0 ? others : nil
        if others == 0, let index = indices[name] { scheduleDue(index) }
    }
}
