import Foundation
import Model

extension Engine {
    /// Puts a request of a poll into its host's queue.
    mutating func enqueue(_ key: RequestKey) {
        guard let url = sources[key.source].poll?.requests[key.number].url, !isStopping else { return }
        sources[key.source].poll?.requests[key.number].status = .waiting
        let host = Origin(url).host
        if hosts[host, default: HostGate()].waiting.isEmpty { waitingHosts.append(host) }
        hosts[host, default: HostGate()].waiting.append(key)
    }

    /// Sends what may be sent now, and sets a timer for what has to wait for time to pass.
    mutating func sendWaiting(at now: Moment) {
        guard !waitingHosts.isEmpty, !isStopping else { return }
        let candidates = waitingHosts
        waitingHosts = []
        var kept = 0
        for host in candidates {
            // The gate itself is not copied: its queue would be, too, with each request that leaves it.
            while let key = hosts[host]?.waiting.first {
                if let free = hosts[host]?.notBefore, free - now.uptime > Self.maximumQueueDelay {
                    hosts[host]?.waiting.removeFirst()
                    refuseForNow(key, host: host, until: now.wall(at: free), at: now)
                    continue
                }
                guard let earliest = earliestSend(to: host, at: now) else { break }
                if earliest > now.uptime {
                    set(.host, at: earliest)
                    break
                }
                hosts[host]?.waiting.removeFirst()
                send(key, host: host, at: now)
            }
            guard hosts[host]?.waiting.isEmpty == false else { continue }
            // All of them were kept here, unless something has been queued meanwhile.
            guard waitingHosts.count == kept || !waitingHosts.contains(host) else { continue }
            waitingHosts.append(host)
            kept += 1
        }
        // A refused request may have ended a poll or begun the next part of it, which queued for other hosts.
        guard waitingHosts.count > kept else { return }
        if waitingHosts.contains(where: { !candidates.contains($0) }) { set(.host, at: now.uptime) }
    }

    /// How long a request waits in the queue of a host that asked to be left alone, before its poll fails instead.
    private static let maximumQueueDelay = Duration.seconds(60)

    /// When the next request may be sent to a host; nil while one under way has to end before.
    private func earliestSend(to host: String, at now: Moment) -> Duration? {
        guard hasSlot else { return nil }
        guard !host.isEmpty, let gate = hosts[host] else { return now.uptime }
        return gate.open < limits.perHostConcurrency ? gate.earliest(gap: limits.perHostGap) : nil
    }

    private var hasSlot: Bool {
        countedFlights < limits.concurrency
            && flights.count - heldFlights < limits.concurrency * EngineLimits.openFactor
    }

    private mutating func send(_ key: RequestKey, host: String, at now: Moment) {
        guard let poll = sources[key.source].poll else { return }
        let request = poll.requests[key.number]
        let asked = request.pending.request
        if asked.cost > 0, request.reserved == nil {
            guard disk.allowsPaidReads else {
                return settle(key, .failure(.lowDisk), at: now)
            }
            sources[key.source].poll?.requests[key.number].status = .reserving
            return reserve(key, at: now)
        }
        let id = newFetchID()
        let chain = poll.chains[request.pending.chain]
        sources[key.source].poll?.requests[key.number].status = .open
        sources[key.source].poll?.made += 1
        hosts[host]?.open += 1
        hosts[host]?.lastSent = now.uptime
        countedFlights += 1
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

    /// How a request is asked, and the file that holds its Authorization header.
    private static func fetch(
        _ request: ActivePoll.Request, of source: SourceState, _ validators: Validators
    ) -> (FetchRequest, authorizationFile: String?) {
        let (asked, settings) = (request.pending.request, source.settings)
        var fetch = FetchRequest(
            url: request.url, headers: asked.headers, form: asked.form, json: asked.json, validators: validators,
            proxy: settings.proxy, certificateAuthorityFile: settings.certificateAuthorityFile,
            allowsFile: settings.url.lowercased().hasPrefix("file:"), stream: asked.stream)
        fetch.rateLimitResetHeader = source.feed.rateLimitResetHeader
        fetch.needsNewConnection = request.isRepeated
        // Credentials and headers of the user's own never go to another host than the one configured.
        guard !isForeign(request.url, to: settings) else {
            fetch.home = settings.urls().first?.url ?? settings.url
            return (fetch, nil)
        }
        fetch.headers.merge(settings.headers) { _, own in own }
        fetch.authorization = asked.authorization.header(with: source.secrets)
        return (fetch, asked.authorization == .none ? settings.authorizationFile : nil)
    }

    /// Whether a URL leads to another host than the source's; a document's comes out of an index and may lead anywhere.
    private static func isForeign(_ url: String, to settings: SourceSettings) -> Bool {
        guard url != settings.url else { return false }
        let (origin, home) = (Origin(url), Origin(settings.url))
        // A topic may stand in the host.
        let homes = home.host.contains("{topic}") ? settings.urls().map { Origin($0.url) } : [home]
        return !homes.contains {
            $0.host == origin.host && ($0.scheme == origin.scheme || origin.scheme == "https")
        }
    }

    /// Takes a request that is no longer under way off the books.
    mutating func land(_ id: FetchID) -> Flight? {
        guard let flight = flights.removeValue(forKey: id) else { return nil }
        if flight.isHeld { heldFlights -= 1 } else { hosts[flight.host]?.open -= 1 }
        if flight.isCounted { countedFlights -= 1 }
        return flight
    }

    /// Follows a redirect by one hop, through the queue of the host it leads to.
    mutating func redirect(_ id: FetchID, to url: String, isPermanent: Bool, at now: Moment) {
        guard let flight = flights[id], let poll = sources[flight.key.source].poll else { return }
        var request = poll.requests[flight.key.number]
        let asked = request.pending.request
        let refusal: Failure? =
            if asked.form != nil || asked.json != nil {
                Failure(
                    .server, .redirectedPost, "the server redirects a request that must not be repeated elsewhere")
            } else if request.hops >= limits.maximumRedirects {
                Failure(.server, .tooManyRedirects, "gave up after \(limits.maximumRedirects) redirects")
            } else {
                nil
            }
        if let refusal { return take(id, .failure(refusal), FetchFacts(), at: now) }
        _ = land(id)
        request.hasMoved = isPermanent && (request.hops == 0 || request.hasMoved)
        request.hops += 1
        request.url = url
        sources[flight.key.source].poll?.requests[flight.key.number] = request
        if request.isRoot, request.hasMoved {
            sources[flight.key.source].poll?.moved = PollStep.Moved(
                from: asked.url.withoutQuery, to: url.withoutQuery)
        }
        enqueue(flight.key)
    }

    /// Has the next paid reads of a request reserved.
    mutating func reserve(_ key: RequestKey, at now: Moment) {
        let request = sources[key.source].poll?.requests[key.number].pending.request
        let reservation = Reservation(
            source: sources[key.source].settings.name, at: now.wall, reads: request?.cost ?? 0,
            monthlyCap: request?.monthlyCap ?? 0)
        write(.reserve(reservation), for: .reservation(key, reservation))
    }

    /// The paid reads of a request were reserved, or the cap forbids them.
    mutating func reserved(_ key: RequestKey, _ isGranted: Bool, at now: Moment) {
        if sources[key.source].poll?.stream?.key == key { return reservedMore(key, isGranted, at: now) }
        guard let request = sources[key.source].poll?.requests[key.number] else { return }
        guard isGranted else { return settle(key, .failure(.spendCap(at: now.wall)), at: now) }
        sources[key.source].poll?.requests[key.number].reserved = request.pending.request.cost
        enqueue(key)
    }

    private mutating func refuseForNow(_ key: RequestKey, host: String, until: Date, at now: Moment) {
        let failure = Failure(
            .server, .hostWaiting, "\(host) has asked not to be called before \(until.rfc3339)", retryAfter: until)
        settle(key, .failure(failure), at: now)
    }
}
