import Foundation
import Model

extension Engine {
    /// Takes an input about pictures; without a plan it changes nothing.
    mutating func take(_ input: PictureInput, at now: Moment) {
        guard var lane = pictures, !isStopping else { return }
        switch (input, lane.stage) {
        case (.wanted, .taking): lane.isNews = true
        case (.wanted, _): lane.isWanted = true
        case (.taken(.job(let job)), .taking): lane.stage = .waiting(PictureLane.Hop(job: job, url: job.link))
        case (.taken(.none(let until)), .taking):
            lane.stage = .idle
            lane.isWanted = lane.isNews
            // Wall time may be wrong, so it is not believed for long.
            let soonest = now.uptime + lane.plan.gap
            lane.due = until.map { min(max(now.uptime(at: $0), soonest), now.uptime + Backoff.longest) }
        case (.answered(let number, let outcome, let facts), .requesting(let hop, let asked, let host, _))
        where number == asked:
            pictures = lane
            return answered(hop, from: host, outcome, facts, at: now)
        case (.settled, .settling):
            lane.stage = .idle
            lane.isWanted = true
        case (.storeFailed, .taking), (.storeFailed, .settling):
            lane.stage = .idle
            lane.isWanted = false
            lane.due = now.uptime + PictureLane.pause
        default: break
        }
        pictures = lane
    }

    /// Asks for the next picture as far as polls leave room.
    mutating func sendPicture(at now: Moment) {
        guard var lane = pictures, !isStopping else { return }
        if let alarm = lane.alarm, alarm <= now.uptime { lane.alarm = nil }
        if let due = lane.due, due <= now.uptime { (lane.due, lane.isWanted) = (nil, true) }
        switch lane.stage {
        case .taking, .settling: break
        case .idle:
            if !lane.isWanted {
                if let due = lane.due { lane.alarm = alarm(lane, at: due) }
            } else if lane.free > now.uptime {
                lane.alarm = alarm(lane, at: lane.free)
            } else if disk.allowsPolls, storePausedUntil == nil {
                (lane.stage, lane.isNews, lane.due) = (.taking, false, nil)
                effects.append(.picture(.take))
            }
        case .waiting(let hop):
            pictures = lane
            return send(hop, at: now)
        case .requesting(let hop, let number, let host, let until):
            let isTaken = hosts[host]?.waiting.isEmpty == false
            guard isTaken || until <= now.uptime else {
                lane.alarm = alarm(lane, at: until)
                break
            }
            effects.append(.picture(.cancel(number: number)))
            hosts[host]?.open -= 1
            pictures = lane
            guard isTaken else {
                return settle(hop, .failed(Failure(.network, .timeout, "no whole picture in time")), at: now)
            }
            settle(
                PictureSettlement(
                    key: hop.job.key, outcome: .postponed, due: now.wall(at: now.uptime + PictureLane.pause),
                    redirects: hop.redirects))
            return sendWaiting(at: now)
        }
        pictures = lane
    }

    /// Sets the timer of the lane unless it rings before; the time at which it rings.
    private mutating func alarm(_ lane: PictureLane, at time: Duration) -> Duration {
        if let alarm = lane.alarm, alarm <= time { return alarm }
        set(.picture, at: time)
        return time
    }

    private mutating func wakePictures(at time: Duration) {
        guard let lane = pictures else { return }
        let alarm = alarm(lane, at: time)
        pictures?.alarm = alarm
    }

    private mutating func send(_ hop: PictureLane.Hop, at now: Moment) {
        guard let lane = pictures else { return }
        guard let host = lane.plan.hosts.host(of: hop.url) else {
            return settle(hop, .redirected(to: hop.url), at: now)
        }
        let gate = hosts[host] ?? HostGate()
        let pause = gate.pauseEnd(for: .led)
        if pause - now.uptime > PictureLane.longestQueueing {
            let until = now.wall(at: pause)
            return settle(
                hop, .failed(Failure(.server, .hostWaiting, "the host has asked for a pause", retryAfter: until)),
                at: now)
        }
        guard gate.waiting.isEmpty, gate.open == 0, countedFlights < limits.concurrency else { return }
        let earliest = max(gate.earliest(gap: limits.perHostGap), pause, lane.free)
        guard earliest <= now.uptime else { return wakePictures(at: earliest) }
        let number = newNumber()
        hosts[host, default: HostGate()].open += 1
        hosts[host]?.lastSent = now.uptime
        pictures?.free = now.uptime + lane.plan.gap
        let until = now.uptime + PictureLane.timeout
        pictures?.stage = .requesting(hop, number: number, host: host, until: until)
        wakePictures(at: until)
        var request = FetchRequest(
            url: hop.url, headers: ["Accept": PictureFormat.allCases.map(\.rawValue).joined(separator: ", ")],
            validators: hop.job.validators)
        request.reachesPublicOnly = true
        request.maximumBytes = PictureContent.largestFile
        effects.append(.picture(.request(number: number, request)))
    }

    private mutating func answered(
        _ hop: PictureLane.Hop, from host: String, _ outcome: PictureOutcome, _ facts: FetchFacts, at now: Moment
    ) {
        hosts[host]?.open -= 1
        if let sent = facts.sent { hosts[host]?.note(sent: sent) }
        if case .failed(let failure) = outcome, let asked = failure.retryAfter {
            // An event led to the picture; the sources of its host go on.
            hosts[host]?.pause(until: min(now.uptime(at: asked), now.uptime + Backoff.longest), for: .led)
            hasNewDocumentPause = true
        }
        guard case .redirected(let url) = outcome else { return settle(hop, outcome, facts, at: now) }
        let isInsecure = Origin(hop.url).scheme == "https" && Origin(url).scheme != "https"
        guard hop.redirects < PictureLane.maximumRedirects else {
            let words = "gave up after \(PictureLane.maximumRedirects) redirects"
            return settle(hop, .failed(Failure(.server, .tooManyRedirects, words)), at: now)
        }
        guard !isInsecure else {
            return settle(hop, .failed(Failure(.server, .insecureRedirect, "leads from https to http")), at: now)
        }
        var next = hop
        next.url = url
        next.redirects += 1
        pictures?.stage = .waiting(next)
    }

    private mutating func settle(
        _ hop: PictureLane.Hop, _ outcome: PictureOutcome, _ facts: FetchFacts = FetchFacts(), at now: Moment
    ) {
        let spread = Double.random(in: 0...1, using: &random)
        settle(PictureLane.settlement(of: hop, outcome, facts: facts, spread: spread, at: now))
    }

    private mutating func settle(_ settlement: PictureSettlement) {
        pictures?.stage = .settling
        effects.append(.picture(.settle(settlement)))
    }

    /// Gives up the request under way; the picture is due again an hour after it was taken.
    mutating func stopPictures() {
        if case .requesting(_, let number, _, _) = pictures?.stage {
            effects.append(.picture(.cancel(number: number)))
        }
        pictures = nil
    }
}
