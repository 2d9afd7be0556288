import Foundation
import Model

extension Engine {
    /// Puts a request of a poll into its host's queue. `handle` sends it at its end, by `sendWaiting`.
    mutating func enqueue(_ key: RequestKey) {
        guard let request = sources[key.source].poll?.requests[key.number], !isStopping else { return }
        sources[key.source].poll?.requests[key.number].status = .waiting
        let host = Origin(request.url).host
        if hosts[host, default: HostGate()].waiting.isEmpty { waitingHosts.append(host) }
        hosts[host, default: HostGate()].waiting.append(key, Self.lane(of: request, of: sources[key.source].settings))
    }

    static func lane(of request: ActivePoll.Request, of settings: SourceSettings) -> Lane {
        if isForeign(request.url, to: settings) { return .led }
        return request.isRoot ? .configured : request.asked.isEssential ? .own : .document
    }

    /// Sends the requests that may be sent now, and sets timers for those that must wait.
    mutating func sendWaiting(at now: Moment) {
        guard !waitingHosts.isEmpty, !isStopping else { return }
        let candidates = waitingHosts
        waitingHosts = []
        var kept = 0
        for host in candidates {
            refuseDuringPause(of: host, at: now)
            while hosts[host]?.waiting.isEmpty == false, let earliest = earliestSend(to: host, at: now) {
                if earliest > now.uptime {
                    set(.host, at: earliest)
                    break
                }
                guard let key = takeNext(of: host, at: now) else { break }
                send(key, host: host, at: now)
            }
            guard hosts[host]?.waiting.isEmpty == false else { continue }
            // `waitingHosts` holds only kept hosts, unless requests were queued meanwhile.
            guard waitingHosts.count == kept || !waitingHosts.contains(host) else { continue }
            waitingHosts.append(host)
            kept += 1
        }
        // A refused request may have caused new requests to other hosts.
        guard waitingHosts.count > kept else { return }
        if waitingHosts.contains(where: { !candidates.contains($0) }) { set(.host, at: now.uptime) }
    }

    /// The longest wait of a request for a host that asked for a pause; a longer pause fails the request.
    static let maximumQueueDelay = Duration.seconds(60)

    /// Fails the requests that would wait too long for the end of a pause.
    private mutating func refuseDuringPause(of host: String, at now: Moment) {
        for lane in Lane.allCases {
            guard let end = hosts[host]?.pauseEnd(for: lane), end - now.uptime > Self.maximumQueueDelay else {
                continue
            }
            while let key = hosts[host]?.waiting.next(where: { other, _ in other == lane }) {
                refuseForNow(key, host: host, until: end, at: now)
            }
        }
    }

    /// Removes the next request to a host from its queue. Nil if all must wait: for the end of a pause, which sets a
    /// timer, or for their sources' shares.
    private mutating func takeNext(of host: String, at now: Moment) -> RequestKey? {
        let (sources, free) = (self.sources, self.free)
        let paused = Lane.allCases.filter { lane in hosts[host].map { $0.pauseEnd(for: lane) > now.uptime } ?? false }
        let key = hosts[host]?.waiting.next { lane, source in
            !paused.contains(lane) && (lane == .configured || sources[source].load.leaves(free))
        }
        if key == nil, let gate = hosts[host] {
            let ends = paused.filter { !gate.waiting.isEmpty($0) }.map { gate.pauseEnd(for: $0) }
            if let end = ends.min() { set(.host, at: end) }
        }
        return key
    }

    /// When the next request to a host may be sent, as uptime, pauses aside; nil while another must end first.
    private func earliestSend(to host: String, at now: Moment) -> Duration? {
        guard hasSlot else { return nil }
        guard !host.isEmpty, let gate = hosts[host] else { return now.uptime }
        return gate.open < limits.perHostConcurrency ? gate.earliest(gap: limits.perHostGap) : nil
    }

    /// The requests that may be sent now by the limits of all sources.
    private var free: Load {
        Load(
            counted: limits.concurrency - countedFlights,
            open: limits.concurrency * EngineLimits.openFactor - (flights.count - heldFlights))
    }

    private var hasSlot: Bool { Load().leaves(free) }

    private mutating func send(_ key: RequestKey, host: String, at now: Moment) {
        guard let poll = sources[key.source].poll else { return }
        let request = poll.requests[key.number]
        let asked = request.asked
        if asked.cost > 0, request.reserved == nil {
            guard disk.allowsPaidReads else { return fail(key, .lowDisk, at: now) }
            sources[key.source].poll?.requests[key.number].status = .reserving
            return reserve(key, at: now)
        }
        let id = newFetchID()
        let chain = poll.chains[request.chain]
        sources[key.source].poll?.requests[key.number].status = .open
        sources[key.source].poll?.made += 1
        hosts[host]?.open += 1
        hosts[host]?.lastSent = now.uptime
        countedFlights += 1
        sources[key.source].load.counted += 1
        sources[key.source].load.open += 1
        flights[id] = Flight(key: key, host: host, isCounted: true)
        set(.slot(id), at: now.uptime + EngineLimits.slotTime)
        let source = sources[key.source]
        let validators = asked.isConditional ? poll.validators[request.url.validatorKey] : nil
        let (fetch, authorizationFile) = Self.fetch(request, of: source, validators ?? Validators())
        effects.append(
            .fetch(
                FetchOrder(
                    id: id, source: source.settings.name, feed: source.feed, request: asked, fetch: fetch,
                    authorizationFile: authorizationFile,
                    context: source.context(topic: asked.topic, held: chain.held.state, at: now))))
    }

    /// The fetch for a request, and the file with its Authorization header; nil if no file is needed.
    private static func fetch(
        _ request: ActivePoll.Request, of source: SourceState, _ validators: Validators
    ) -> (FetchRequest, authorizationFile: String?) {
        let (asked, settings) = (request.asked, source.settings)
        var fetch = FetchRequest(
            url: request.url, headers: asked.headers, form: asked.form, json: asked.json, validators: validators,
            proxy: settings.proxy, certificateAuthorityFile: settings.certificateAuthorityFile,
            allowsFile: settings.url.lowercased().hasPrefix("file:"), stream: asked.stream)
        fetch.rateLimitResetHeader = source.feed.rateLimitResetHeader
        fetch.needsNewConnection = request.isRepeated
        // Credentials and the user's own headers go to the configured host only.
        guard !isForeign(request.url, to: settings) else {
            fetch.home = settings.urls().first?.url ?? settings.url
            return (fetch, nil)
        }
        fetch.headers.merge(settings.headers) { _, own in own }
        fetch.authorization = asked.authorization.header(with: source.secrets)
        return (fetch, asked.authorization == .none ? settings.authorizationFile : nil)
    }

    /// Whether a URL leads to another host than the source's, as documents of an index may.
    private static func isForeign(_ url: String, to settings: SourceSettings) -> Bool {
        guard url != settings.url else { return false }
        let (origin, home) = (Origin(url), Origin(settings.url))
        // The host may contain `{topic}`.
        let homes = home.host.contains("{topic}") ? settings.urls().map { Origin($0.url) } : [home]
        return !homes.contains {
            $0.host == origin.host && ($0.scheme == origin.scheme || origin.scheme == "https")
        }
    }

    /// Removes a request that is no longer under way, and frees its slots.
    mutating func land(_ id: FetchID) -> Flight? {
        guard let flight = flights.removeValue(forKey: id) else { return nil }
        if flight.isHeld {
            heldFlights -= 1
        } else {
            hosts[flight.host]?.open -= 1
            sources[flight.key.source].load.open -= 1
        }
        uncount(flight)
        return flight
    }

    /// Frees the slot of a request, unless its time has passed.
    mutating func uncount(_ flight: Flight) {
        guard flight.isCounted else { return }
        countedFlights -= 1
        sources[flight.key.source].load.counted -= 1
    }

    /// Follows one redirect through the queue of the new host.
    mutating func redirect(_ id: FetchID, to url: String, isPermanent: Bool, at now: Moment) {
        guard let flight = flights[id], let poll = sources[flight.key.source].poll else { return }
        var request = poll.requests[flight.key.number]
        let asked = request.asked
        let refusal: Failure? =
            if asked.form != nil || asked.json != nil {
                Failure(
                    .server, .redirectedPost, "the server redirects a request that must not be repeated elsewhere")
            } else if request.hops >= limits.maximumRedirects {
                Failure(.server, .tooManyRedirects, "gave up after \(limits.maximumRedirects) redirects")
            } else {
                nil
            }
        _ = land(id)
        if let refusal { return fail(flight.key, refusal, at: now) }
        request.hasMoved = isPermanent && (request.hops == 0 || request.hasMoved)
        request.redirects.append(url)
        request.url = url
        sources[flight.key.source].poll?.requests[flight.key.number] = request
        if request.isRoot, request.hasMoved {
            sources[flight.key.source].poll?.moved = PollStep.Moved(
                from: asked.url.withoutQuery, to: url.withoutQuery)
        }
        enqueue(flight.key)
    }

    /// Reserves the next paid reads of a request.
    mutating func reserve(_ key: RequestKey, at now: Moment) {
        let request = sources[key.source].poll?.requests[key.number].asked
        let reservation = Reservation(
            source: sources[key.source].settings.name, at: now.wall, reads: request?.cost ?? 0,
            monthlyCap: request?.monthlyCap ?? 0)
        write(.reserve(reservation), for: .reservation(key, reservation))
    }

    /// Takes the answer to a reservation: queues the request, or fails it if the cap is reached or the budget is used up.
    mutating func reserved(_ key: RequestKey, _ grant: ReadGrant, at now: Moment) {
        if sources[key.source].poll?.stream?.key == key { return reservedMore(key, grant, at: now) }
        guard let request = sources[key.source].poll?.requests[key.number] else { return }
        if let refusal = Failure.refusal(grant, at: now.wall) { return fail(key, refusal, at: now) }
        sources[key.source].poll?.requests[key.number].reserved = request.asked.cost
        enqueue(key)
    }

    /// Refuses a request to a host that wants to be left alone until an uptime. Where nothing else is left of its poll,
    /// the poll waits for the host and begins again then, since its source has not failed.
    private mutating func refuseForNow(_ key: RequestKey, host: String, until: Duration, at now: Moment) {
        let refusal = Failure.hostWaits(host, until: now.wall(at: until))
        guard sources[key.source].poll?.onlyWaits(with: key.number) == true else { return fail(key, refusal, at: now) }
        let name = sources[key.source].settings.name
        effects.append(.notice(.pollWaits(source: name, host: host, until: now.wall(at: until))))
        abandonPoll(key.source, because: refusal, dueIn: until - now.uptime, at: now)
    }
}

extension Failure {
    /// The host has asked to be left alone for longer than a request waits in its queue.
    static func hostWaits(_ host: String, until time: Date) -> Failure {
        Failure(
            .server, .hostWaiting, "waits for \(host) until \(time.wholeSeconds) (it asked for it)", retryAfter: time)
    }
}
