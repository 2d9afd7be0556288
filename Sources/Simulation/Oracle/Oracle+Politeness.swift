import Engine
import Foundation
import Model
import Store

// When and how sources may be asked: promises 5, 6 and 13.
extension Oracle {
    /// Tolerance for the rounding of stored times.
    private static let slack = Duration.milliseconds(3)
    /// Tolerance for the start of a poll that nothing delays.
    private static let startTolerance = Duration.seconds(2)
    private static let day = Duration.seconds(86_400)

    static func host(of url: String) -> String {
        guard !url.hasPrefix("file:") else { return "" }
        return String(url.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }.prefix { $0 != "/" && $0 != "?" })
    }

    // MARK: - Requests

    func sending(_ order: FetchOrder, at now: Moment) throws {
        let validators = order.fetch.validators.etag ?? order.fetch.validators.lastModified ?? "-"
        trace.note(elapsed(now), "ask \(order.url) \(validators)")
        summary.requests += 1
        guard let source = sources[order.source], source.pollBegan != nil else {
            throw broken(6, "\(order.source) is asked without a poll: \(order.url)", at: now)
        }
        if source.settings.isStream { streamRequests[order.id] = order }
        let host = Self.host(of: order.url)
        if !host.isEmpty {
            let isHome = source.settings.urls().contains { Self.host(of: $0.url) == host }
            let isStray = !isHome || !order.request.isEssential
            if isStray { strays.insert(order.id) }
            let rest = max(restUntil[host] ?? .zero, isStray ? documentRest[host] ?? .zero : .zero)
            if now.uptime < rest - Self.slack {
                let seconds = (rest - now.uptime).seconds
                throw broken(6, "\(host) is asked \(seconds) s before the end of its Retry-After", at: now)
            }
            if let last = lastStart[host], now.uptime - last < gap - Self.slack {
                throw broken(6, "\(host) is asked \((now.uptime - last).seconds) s after the last request", at: now)
            }
            if underWay.values.contains(host) {
                throw broken(6, "\(host) is asked while another request to it is under way", at: now)
            }
            lastStart[host] = now.uptime
            underWay[order.id] = host
        }
        if order.request.isConditional {
            let known = source.validators[order.url]
            let expected = known?.fingerprint == source.fingerprint ? known?.value ?? Validators() : Validators()
            guard order.fetch.validators == expected else {
                let what = "\(order.url) is asked with \(order.fetch.validators), stored is \(expected)"
                throw broken(expected.isEmpty ? 1 : 6, what, at: now)
            }
            if !expected.isEmpty { summary.conditional += 1 }
        } else if order.request.role == "search" {
            try checkCursor(order, source, at: now)
        }
    }

    /// Checks that a search continues from the last message read, unless that is too old for `since_id`.
    private func checkCursor(_ order: FetchOrder, _ source: Source, at now: Moment) throws {
        guard let since = source.state["since_id"].flatMap({ Int64($0) }) else { return }
        let asked = World.Address(order.url).parameters["since_id"].flatMap { Int64($0) }
        if let asked, asked >= since {
            summary.conditional += 1
            return
        }
        let age = now.wall.timeIntervalSince(Date(milliseconds: (since >> 22) + 1_288_834_974_657))
        guard age > 6.5 * 86_400 - 60 else {
            throw broken(6, "the search begins anew although messages up to \(since) are stored", at: now)
        }
    }

    func landed(_ id: FetchID, _ input: Input, at now: Moment) throws {
        let host = underWay.removeValue(forKey: id)
        let isStray = strays.remove(id) != nil
        followStream(id, input, at: now)
        guard case .failed(_, let failure, _) = input else { return }
        pending[id] = nil
        guard let host, failure.fault == .server, failure.status != nil, let until = failure.retryAfter else { return }
        let rest = min(now.uptime(at: until), now.uptime + Self.day)
        if isStray {
            documentRest[host] = max(documentRest[host] ?? .zero, rest)
        } else {
            restUntil[host] = max(restUntil[host] ?? .zero, rest)
        }
    }

    func cancelled(_ id: FetchID) {
        underWay[id] = nil
        pending[id] = nil
    }

    // MARK: - Polls

    /// Judges an attempt that is stored.
    func begun(_ beginning: PollBeginning, at now: Moment) throws {
        guard var source = sources[beginning.source], source.isConfigured, source.settings.isEnabled else {
            throw broken(6, "\(beginning.source) is polled although it is not configured", at: now)
        }
        let isForced = forced == beginning.source
        guard isForced || now.uptime >= source.due - Self.slack else {
            let seconds = (source.due - now.uptime).seconds
            throw broken(6, "\(beginning.source) is polled \(seconds) s before it is due", at: now)
        }
        guard now.uptime >= pausedUntil - Self.slack else {
            throw broken(13, "\(beginning.source) is polled while the store cannot be written", at: now)
        }
        let excused = excuse(source)
        guard isForced || now.uptime <= excused + Self.startTolerance else {
            let seconds = (now.uptime - excused).seconds
            throw broken(5, "\(beginning.source) is polled \(seconds) s late", at: now)
        }
        if let last = source.fingerprint, last != beginning.fingerprint { source.state = FeedState() }
        source.fingerprint = beginning.fingerprint
        source.pollBegan = now.uptime
        streamBegins(&source)
        sources[beginning.source] = source
    }

    /// The latest permitted start of a poll, as uptime.
    private func excuse(_ source: Source) -> Duration {
        let rest = restUntil[Self.host(of: source.settings.url)] ?? .zero
        return max(source.due, pausedUntil, resumed, rest, source.pollEnded)
    }

    /// Judges the end of a poll that is stored.
    func ended(_ name: String, _ end: PollEnd, at now: Moment) throws {
        guard end.dueReason != .stream else { return try noted(name, end, at: now) }
        guard var source = sources[name] else { return }
        summary.polls += 1
        source.pollBegan = nil
        source.pollEnded = now.uptime
        source.due = now.uptime(at: end.nextDue)
        if end.failure == nil { source.lastSuccess = now.uptime }
        if source.settings.isStream { try checkReopening(&source, end, at: now) }
        sources[name] = source
        // Only a `since_id` that is too old is answered 400.
        if end.failure?.status == 400, source.state["since_id"] != nil {
            throw broken(5, "\(name) keeps a since_id that has been refused as too old", at: now)
        }
        let interval = source.settings.refreshInterval
        let most: Duration
        switch end.dueReason {
        case .interval, .work: most = interval
        case .reconnect: most = .seconds(1080)
        case .backOff: most = max(interval, .seconds(3600)) * 1.2
        case .retryAfter, .rateLimit, .gone: most = Self.day
        case .serverInterval, .stream, .spendCap, .unknown:
            throw broken(5, "\(name) is due for an unknown reason: \(end.dueReason)", at: now)
        }
        guard source.due <= now.uptime + most + .seconds(1), source.due >= now.uptime - .seconds(1) else {
            let seconds = (source.due - now.uptime).seconds
            throw broken(5, "\(name) is due in \(seconds) s by \(end.dueReason)", at: now)
        }
    }

    /// Checks that no due poll was forgotten.
    func checkPunctuality(at now: Moment) throws {
        for (name, source) in sources.sorted(by: { $0.key < $1.key })
        where source.isConfigured && source.settings.isEnabled {
            if source.pollBegan != nil, let noted = source.stream.noted {
                guard now.uptime <= max(noted, resumed) + .seconds(5) else {
                    throw broken(5, "it is not noted that the stream of \(name) is open", at: now)
                }
            } else if let began = source.pollBegan {
                guard now.uptime - max(began, resumed) < .seconds(3 * 3600) else {
                    throw broken(5, "a poll of \(name) does not end", at: now)
                }
            } else if excuse(source) + .seconds(5) < now.uptime {
                throw broken(5, "\(name) was due \((now.uptime - source.due).seconds) s ago and is not polled", at: now)
            }
        }
    }

    // MARK: - A new life

    /// Takes over the configured sources and their stored state.
    /// - Parameter isVague: Whether commits may be missing, or failed writes be present.
    func takeSources(
        _ settings: [SourceSettings], _ records: [SourceRecord], isVague: Bool, at now: Moment
    ) throws {
        pending = [:]
        for batch in batches.values.joined() { remember(batch.reply.expectedEvents) }
        batches = [:]
        streamRequests = [:]
        underWay = [:]
        lastStart = [:]
        restUntil = [:]
        documentRest = [:]
        strays = []
        pausedUntil = .zero
        resumed = now.uptime
        for name in sources.keys { sources[name]?.isConfigured = false }
        var stored: [String: [String: (value: Validators, fingerprint: String)]] = [:]
        for row in try look(
            """
            SELECT s.name, v.url, v.etag, v.last_modified, v.fingerprint FROM validator v
            JOIN source s ON s.id = v.source_id
            """)
        {
            let value = Validators(
                etag: row[2] == "NULL" ? nil : row[2], lastModified: row[3] == "NULL" ? nil : row[3])
            stored[row[0], default: [:]][row[1]] = (value: value, fingerprint: row[4])
        }
        let fingerprints = Dictionary(
            try look("SELECT name, fingerprint FROM source WHERE fingerprint IS NOT NULL").map { ($0[0], $0[1]) },
            uniquingKeysWith: { first, _ in first })
        for record in records {
            guard let configured = settings.first(where: { $0.name == record.name }) ?? sources[record.name]?.settings
            else { continue }
            var source = sources[record.name] ?? Source(settings: configured, due: .zero)
            source.settings = configured
            source.isConfigured = settings.contains { $0.name == record.name }
            // A loss of power may have undone the last change before its removal.
            if !source.isConfigured { source.settings.maxAge = record.maxAge }
            source.pollBegan = nil
            source.stream = Streaming()
            source.pollEnded = .zero
            source.lastSuccess = nil
            if isVague { source.said = [:] }
            source.state = record.state
            source.fingerprint = fingerprints[record.name]
            source.validators = stored[record.name] ?? [:]
            if source.fingerprint == Self.renewed { source.snapshot?.fingerprint = "" }
            source.due = firstDue(configured, record, at: now)
            if let due = record.nextDue, due > now.wall, source.isConfigured,
                [DueReason.retryAfter, .rateLimit].contains(record.dueReason)
            {
                let host = Self.host(of: configured.url)
                let rest = min(now.uptime(at: due), now.uptime + Self.day)
                restUntil[host] = max(restUntil[host] ?? .zero, rest)
            }
            sources[record.name] = source
        }
    }

    /// The fingerprint of a source that asks without validators and state at its next poll, as after a longer `max_age`.
    private static let renewed = "renewed"

    /// Forgets what the store has forgotten of sources with a longer `max_age`.
    func forgetRenewed() throws {
        for row in try look("SELECT name FROM source WHERE fingerprint = ?", Self.renewed) {
            sources[row[0]]?.fingerprint = Self.renewed
            sources[row[0]]?.validators = [:]
            sources[row[0]]?.snapshot?.fingerprint = ""
        }
    }

    /// The first due time of a source in a life, by its stored state, as uptime.
    func firstDue(_ settings: SourceSettings, _ record: SourceRecord?, at now: Moment) -> Duration {
        if let record, let due = reopening(settings, record, at: now) { return due }
        guard let record, let due = record.nextDue, due > now.wall else { return now.uptime + settings.offset }
        // What a poll lacked that asked nobody may be there now.
        if record.failures > 0, record.dueReason == .backOff, record.lastFailure?.isUnasked == true {
            return now.uptime + settings.offset
        }
        let isLong = record.failures > 0 || record.dueReason != .interval
        let most = isLong ? max(Self.day, settings.refreshInterval) : settings.refreshInterval
        return min(now.uptime(at: due), now.uptime + most)
    }
}
