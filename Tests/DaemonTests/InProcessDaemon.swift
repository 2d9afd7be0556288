import Engine
import Feeds
import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// What a scripted server says to one request.
enum ScriptedAnswer {
    /// 200 with a whole body.
    case body(Data, etag: String? = nil, headers: [String: String] = [:])
    /// 304.
    case notModified
    /// Anything that went wrong.
    case failure(Failure)
}

/// The whole daemon on one thread: real engine, real feeds, real store, a test clock and a scripted network.
///
/// It carries the engine's effects out as `Poller` does, but one after the other, so it can die after any of them.
final class InProcessDaemon {
    /// 2026-03-01T00:00:00Z.
    static let start = Date(timeIntervalSince1970: 1_772_323_200)

    /// A request as the network saw it.
    struct Sent {
        var source: String
        var request: FeedRequest
        var url: String
        var validators: Validators
        var at: Date
    }

    /// Answers a request at once; the harness decodes the body.
    var network: (FetchOrder) -> ScriptedAnswer
    /// The server's clock less ours; nil: the server sends no date.
    var serverClockOffset: TimeInterval? = 0
    /// Whether writes come after all requests that could be made without them, as when the disk is slow.
    var writesLag = false
    /// Dies after so many effects, counted from the start of this life.
    var lifetime: Int?
    /// The geocode queue's lanes; nil: nothing is located.
    let geocoding: LaneDriver?

    private(set) var store: EventStore
    private(set) var engine: Engine
    private(set) var now: Moment
    private(set) var sent: [Sent] = []
    private(set) var reports: [PollReport] = []
    private(set) var notices: [Notice] = []
    private(set) var truncations: [(at: Date, asOf: Date)] = []
    /// Effects carried out in this life.
    private(set) var carriedOut = 0
    private(set) var isDead = false

    private let directory: TemporaryDirectory
    private var settings: [SourceSettings]
    private let secrets: [String: [String: Secret]]
    private let limits: EngineLimits
    private let truncation: TruncationPlan
    private var sources: [EngineSource]
    /// From which the moments are reckoned, so that no rounding errors add up.
    private var origin: Moment
    private var inbox: [Input] = []
    private var outbox: [Effect] = []

    /// Opens a fresh database; nothing happens before `advance`.
    /// - Parameters:
    ///   - secrets: By source, then by the name polls know them by.
    ///   - geocoding: What locates events beside the polls, on the same store and clock.
    init(
        _ settings: [SourceSettings], secrets: [String: [String: Secret]] = [:], limits: EngineLimits = EngineLimits(),
        truncation: TruncationPlan = TruncationPlan(), at wall: Date = start, geocoding: LaneDriver? = nil,
        network: @escaping (FetchOrder) -> ScriptedAnswer
    ) throws {
        let directory = TemporaryDirectory()
        let now = Moment(wall: wall, uptime: .seconds(1000))
        let life = try Self.begin(directory, settings, secrets, limits, truncation, at: now)
        self.directory = directory
        self.settings = settings
        self.secrets = secrets
        self.limits = limits
        self.truncation = truncation
        self.network = network
        self.geocoding = geocoding
        self.now = now
        origin = now
        store = life.store
        sources = life.sources
        engine = life.engine
        try geocoding?.begin(store, at: now)
    }

    /// Begins anew with what is in the database: everything in memory is gone, the clocks go on.
    /// - Parameter settings: Another configuration; nil: the same.
    func restart(with settings: [SourceSettings]? = nil) throws {
        try store.close()
        inbox = []
        outbox = []
        carriedOut = 0
        lifetime = nil
        isDead = false
        self.settings = settings ?? self.settings
        let life = try Self.begin(directory, self.settings, secrets, limits, truncation, at: now)
        store = life.store
        sources = life.sources
        engine = life.engine
        try geocoding?.begin(store, at: now)
    }

    /// What `Daemon.init` does.
    private static func begin(
        _ directory: TemporaryDirectory, _ settings: [SourceSettings], _ secrets: [String: [String: Secret]],
        _ limits: EngineLimits, _ truncation: TruncationPlan, at now: Moment
    ) throws -> (store: EventStore, sources: [EngineSource], engine: Engine) {
        let store = try EventStore(path: directory.path + "/events.sqlite")
        try store.reconcile(settings, at: now.wall)
        let records = try store.sources()
        var sources: [EngineSource] = []
        for source in settings {
            let feed = try #require(try FeedRegistry.feed(for: source), "no kind \(source.kind)")
            let record = try #require(records.first { $0.name == source.name })
            sources.append(
                EngineSource(settings: source, feed: feed, secrets: secrets[source.name] ?? [:], record: record))
        }
        let engine = Engine(
            sources: sources, limits: limits, truncation: truncation,
            lastSound: try store.lastSoundTime(), lastTruncation: try store.lastTruncation(), seed: 1, at: now)
        return (store, sources, engine)
    }

    // MARK: - Time

    /// Moves time on, waking the engine and the lane whenever they want to be woken.
    func advance(_ duration: Duration) throws {
        let end = now.uptime + duration
        while !isDead, let wake = nextWake, wake <= end {
            now = moment(max(wake, now.uptime))
            try give(.tick)
        }
        guard !isDead else { return }
        now = moment(end)
        try give(.tick)
    }

    private var nextWake: Duration? { [engine.nextWake, geocoding?.nextWake].compactMap { $0 }.min() }

    /// Moves time on as a suspend does: the engine learns of it afterwards.
    func sleep(until wall: Date) throws {
        now = moment(now.uptime + .milliseconds(wall.milliseconds - now.wall.milliseconds))
        try give(.tick)
    }

    /// Sets the wall clock; the time that passes is not touched by it.
    func stepWallClock(by seconds: TimeInterval) {
        now = Moment(wall: now.wall.addingTimeInterval(seconds), uptime: now.uptime)
        origin = now
    }

    private func moment(_ uptime: Duration) -> Moment { Moment(wall: origin.wall(at: uptime), uptime: uptime) }

    // MARK: - Effects

    /// Hands the engine an input and carries out all that follows from it, until the death of this life.
    func give(_ input: Input) throws {
        inbox.append(input)
        geocoding?.wake(at: now)
        while !isDead {
            if !inbox.isEmpty {
                outbox += engine.handle(inbox.removeFirst(), at: now)
            } else if let index = nextEffect {
                try carryOut(outbox.remove(at: index))
                count()
            } else if let geocoding, try geocoding.step(store, at: now) {
                count()
            } else {
                return
            }
        }
    }

    private func count() {
        carriedOut += 1
        isDead = carriedOut == lifetime
    }

    private var nextEffect: Int? {
        let quick = writesLag ? outbox.firstIndex { if case .write = $0 { false } else { true } } : nil
        return quick ?? (outbox.isEmpty ? nil : 0)
    }

    private func carryOut(_ effect: Effect) throws {
        switch effect {
        case .write(let id, let content):
            let result = try #require(try store.write([content]).first)
            inbox.append(.wrote(id, result))
            if case .stepped = result { geocoding?.lookForEvents() }
        case .fetch(let order):
            inbox.append(answer(order))
        case .truncate(let asOf):
            truncations.append((now.wall, asOf))
            _ = try store.truncate(asOf: asOf)
            inbox.append(.truncated)
        case .report(let report): reports.append(report)
        case .notice(let notice): notices.append(notice)
        case .cancel, .abandoned, .stopped: break
        }
    }

    private func answer(_ order: FetchOrder) -> Input {
        let source = sources[order.source]
        sent.append(
            Sent(
                source: source.settings.name, request: order.request, url: order.url, validators: order.validators,
                at: now.wall))
        var facts = FetchFacts(serverDate: serverClockOffset.map { now.wall.addingTimeInterval($0) })
        switch network(order) {
        case .body(let data, let etag, let headers):
            facts.validators = Validators(etag: etag)
            facts.bytes = data.count
            let response = FeedResponse(request: order.request, url: order.url, headers: headers, body: data)
            do throws(Failure) {
                return .answered(order.id, try source.feed.decode(response, for: order.context), facts)
            } catch {
                return .failed(order.id, error, facts)
            }
        case .notModified:
            facts.validators = order.validators
            return .unchanged(order.id, facts)
        case .failure(let failure):
            return .failed(order.id, failure, facts)
        }
    }

    // MARK: - The database

    /// Rows of any query, all values as text, NULL as `NULL`.
    func rows(_ sql: String) throws -> [[String]] { try store.rows(sql) }

    /// The first column of all rows.
    func column(_ sql: String) throws -> [String] { try rows(sql).compactMap(\.first) }

    /// The first column of the first row, as a number.
    func number(_ sql: String) throws -> Int { Int(try column(sql).first ?? "") ?? -1 }

    /// Everything users can see of events, history, names and changes; two that are equal mean that no event row was
    /// written in between.
    func visibleEvents() throws -> [[String]] {
        try [
            "SELECT * FROM events_v1 ORDER BY public_id",
            "SELECT * FROM event_history_v1 ORDER BY public_id, revision",
            "SELECT * FROM event_sources_v1 ORDER BY public_id, source",
            "SELECT * FROM aliases_v1 ORDER BY provider, upstream_id",
            "SELECT * FROM merged_events_v1 ORDER BY public_id",
            "SELECT * FROM changes_v1 ORDER BY seq",
        ].flatMap { try rows($0) }
    }

    /// Rows of any table written since the database was opened.
    func writtenRows() throws -> Int64 {
        var count: Int64 = 0
        try store.maintain { count = try $0.firstInt64("SELECT total_changes()") ?? 0 }
        return count
    }

    /// The stored sources by name.
    func records() throws -> [String: SourceRecord] {
        Dictionary(try store.sources().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension EventStore {
    /// Rows of any query, all values as text, NULL as `NULL`.
    func rows(_ sql: String) throws -> [[String]] {
        try read { connection in
            let statement = try connection.prepare(sql)
            var rows: [[String]] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" })
            }
            return rows
        }
    }
}
