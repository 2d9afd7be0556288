import Engine
import Foundation
import Model
import Serving
import Store

/// Knows every event that was ever offered in a complete answer, and what must have become of it.
///
/// Its ledger has what upstreams meant to say (`ExpectedEvent`), what was committed, and when each source may be asked.
/// It judges requests as they are made, commits by the changes logged with them, and now and then the whole database.
/// It reads the store, but never takes its content for what should be there.
final class Oracle: DaemonObserver {
    /// An answer on its way into the store.
    struct Pending {
        var reply: WorldReply
        var order: FetchOrder
    }

    /// The oracle's knowledge of a source.
    struct Source {
        var settings: SourceSettings
        var isConfigured = true
        /// The next due time, as uptime.
        var due: Duration
        /// Start of the poll under way, as uptime; nil: none.
        var pollBegan: Duration?
        var pollEnded: Duration = .zero
        var lastSuccess: Duration?
        var fingerprint: String?
        var state = FeedState()
        var validators: [String: (value: Validators, fingerprint: String)] = [:]
        /// Horizons below which events are certainly, and perhaps, truncated.
        var horizon = Date.distantPast
        var possibleHorizon = Date.distantPast
        /// The last snapshot, and the last complete one.
        var snapshot: (generated: Date, fingerprint: String)?
        var complete: Snapshot?
        /// Complete ones with their commits, from the last one on that no loss of power can take back.
        var recent: [(commit: Int, snapshot: Snapshot)] = []
        /// Complete ones before a loss of power; the store has at most one of them as its last.
        var doubtful: [Snapshot] = []
        /// The content of each of its documents, by URL.
        var said: [String: Said] = [:]
        /// The URL of the document taken last.
        var lastDocument: String?
        var stream = Streaming()

        /// The items of the document taken last.
        var listedLast: Set<String> { lastDocument.flatMap { said[$0]?.listed } ?? [] }

        /// Takes a complete snapshot that a commit has stored.
        mutating func show(_ snapshot: Snapshot, commit: Int, lastDurable: Int) {
            let first = recent.lastIndex { $0.commit <= lastDurable } ?? recent.startIndex
            recent = recent[first...] + [(commit: commit, snapshot: snapshot)]
            complete = snapshot
            doubtful = []
        }

        /// Names that complete snapshots list no more, since they are of another event.
        mutating func showNoMore(_ names: Set<String>) {
            complete?.showNoMore(names)
            for index in recent.indices { recent[index].snapshot.showNoMore(names) }
        }

        /// Forgets what it said of an event.
        mutating func forget(_ keys: [String]) {
            for url in said.keys { for key in keys { said[url]?.expectedEvents[key] = nil } }
        }
    }

    /// The content of a document, by keys of its items' first names.
    struct Said {
        /// Its last version of each item, however old.
        var expectedEvents: [String: ExpectedEvent] = [:]
        /// Its last list of items.
        var listed: Set<String> = []
    }

    let start: Date
    let gap: Duration
    let faults: Faults
    let trace: Trace
    /// Whether the disk is dead, so that nothing can be read.
    let hasMachineDied: () -> Bool
    /// The store under test.
    var store: EventStore { didSet { feed = ChangeFeed(of: store) } }
    var sources: [String: Source] = [:]

    // The ledger.
    var entries: [String: LedgerEntry] = [:]
    var byName: [String: LedgerEntry] = [:]
    /// Public ids of entries first seen under a doubtful clock.
    var provisional: Set<String> = []
    var everOffered: Set<String> = []
    var takenBack: Set<String> = []
    /// Truncated events by the keys of their names.
    var truncatedNames: [String: Truncated] = [:]
    /// Keys of the events that answers have brought, by `trail`.
    var brought: [String: [String]] = [:]
    var lastChange = 0
    /// The events of all merges in pairs: the one that went, and the one that stayed. The change log forgets them.
    var merges: [String] = []
    var commits = 0
    var lastDurable = 0
    /// Whether a death may bring back a write that has failed.
    var mayReturn = false
    var lastAsOf = Date.distantPast

    // Streams.
    /// The meaning of lines of the stream.
    var meaning: (Data) -> (document: WorldDocument, isFarewell: Bool) = { (WorldDocument(body: $0), false) }
    /// Requests of sources with a stream, and batches on their way into the store.
    var streamRequests: [FetchID: FetchOrder] = [:]
    var batches: [FetchID: [Pending]] = [:]
    /// Messages that streams have brought, which are billed.
    var delivered = 0

    // Commands.
    /// The source that a command polls before it is due.
    var forced: String?
    /// The source being reset with its events, and those whose reset has failed in this life.
    var forgetting: String?
    var halfReset: Set<String> = []

    // The configuration.
    /// The last reading that may come into force.
    var reload: Reload?
    /// Sources in force whose secrets are missing.
    var lacking: Set<String> = []
    /// Since when the file waits for secrets, and when the store last refused a configuration, as uptime.
    var waitsSince: Duration?
    var unstored: Duration = .zero

    // Politeness.
    var pending: [FetchID: Pending] = [:]
    var underWay: [FetchID: String] = [:]
    var lastStart: [String: Duration] = [:]
    var restUntil: [String: Duration] = [:]
    /// The same for requests to hosts that their sources are not configured for.
    var documentRest: [String: Duration] = [:]
    /// Those under way.
    var strays: Set<FetchID> = []
    var pausedUntil: Duration = .zero
    var resumed: Duration = .zero
    /// When the wall clock was stepped last, as uptime.
    var clockStepped: Duration?

    // Following.
    private(set) var feed: ChangeFeed
    var follower = Follower()
    /// Random numbers for what the follower reads, independent of the others.
    var reading: Chance

    // The read API.
    /// Whether clients of the API read along and moments of the past are compared. They take four times as long as the
    /// rest of a month, so only every fourth seed has them.
    let hasClients: Bool
    var memory = StateMemory()
    let api = ReadAPI(program: "simulated")
    var hub = ChangeHub()
    var readers = APIReader.all
    /// Random numbers for clients of the API and for moments, independent of the others.
    var asking: Chance

    // Places.
    var answeredQuestions: [String: Date] = [:]

    // Figures.
    var summary = SimulationSummary()
    /// Keys of events that a loss of power took, by public id.
    private var lost: [String: Set<String>] = [:]

    init(
        store: EventStore, start: Date, gap: Duration, faults: Faults, trace: Trace, seed: UInt64, hasClients: Bool,
        hasMachineDied: @escaping () -> Bool = { false }
    ) {
        self.hasMachineDied = hasMachineDied
        self.store = store
        feed = ChangeFeed(of: store)
        reading = Chance(seed: seed, purpose: "follower")
        asking = Chance(seed: seed, purpose: "clients of the API")
        self.hasClients = hasClients && seed % 4 == 2
        self.start = start
        self.gap = gap
        self.faults = faults
        self.trace = trace
    }

    static func key(_ provider: String, _ name: String) -> String { provider + "\u{1F}" + name }

    /// Time since the start.
    func elapsed(_ now: Moment) -> Duration { now.uptime - InProcessDaemon.firstUptime }

    /// The true time, whatever the daemon's clock shows.
    func truth(_ now: Moment) -> Date { start.addingTimeInterval(elapsed(now).seconds) }

    func broken(_ promise: Int, _ words: String, at now: Moment) -> Violation {
        Violation(promise: promise, elapsed: elapsed(now), words: words)
    }

    /// Rows of a query on the writing connection, as text, NULL as `NULL`; values are bound in order.
    func look(_ sql: String, _ values: String...) throws -> [[String]] {
        var rows: [[String]] = []
        try store.maintain { connection in
            let statement = try connection.prepare(sql)
            for value in values { statement.bind(value) }
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" })
            }
        }
        return rows
    }

    // MARK: - Observing the daemon

    func wrote(
        _ content: StoreWrite, answering id: FetchID?, _ result: StoreResult, at now: Moment
    ) throws {
        commits += 1
        switch (content, result) {
        case (.begin(let beginning), _):
            trace.note(elapsed(now), "begin \(beginning.source)")
            try begun(beginning, at: now)
        case (.reserve, .reserved(let grant)):
            lastDurable = commits
            trace.note(elapsed(now), "reserve \(grant)")
        case (.giveBack(let reservation), .gaveBack):
            trace.note(elapsed(now), "gave back \(reservation.reads)")
        case (.step(let step), .stepped(let counts)):
            if step.settlement != nil { lastDurable = commits }
            trace.note(
                elapsed(now),
                "step \(step.source) new \(counts.new) changed \(counts.changed) withdrawn \(counts.withdrawn) "
                    + "merged \(counts.merged) stale \(counts.wasStale) end \(step.end?.dueReason.rawValue ?? "-")")
            try stepped(step, counts, id.flatMap { taken($0) }, answers: id != nil, at: now)
        case (.reconcile(let settings), .reconciled(let records)):
            trace.note(elapsed(now), "configured \(settings.map(\.name))")
            guard settings == reload?.settings else {
                throw broken(11, "a configuration is stored that was not read, or was refused", at: now)
            }
            for name in concerned(by: settings) { sources[name]?.stream = Streaming() }
            reconfigured(settings, records, at: now)
            try forgetRenewed()
        default: throw SimulationError("the store answered a write with the result of another")
        }
    }

    func writeFailed(_ content: StoreWrite, answering id: FetchID?, _ error: StoreError, at now: Moment) throws {
        let name = content.source ?? ""
        trace.note(elapsed(now), "write of \(name.isEmpty ? "the configuration" : name) failed: \(error.code)")
        switch error.code {
        case _ where hasMachineDied(): break
        case .io, .cannotOpen: faults.hit(.ioError)
        case .full: faults.hit(.diskFull)
        case .busy: faults.hit(.locked)
        default: throw broken(13, "the store refuses what \(name) has brought: \(error)", at: now)
        }
        mayReturn = true
        // It belongs to no poll that continues.
        if case .giveBack = content { return }
        if let id, let answer = taken(id) {
            if sources[name]?.stream.opened != nil, !hasMachineDied() { faults.hit(.streamDisk) }
            remember(answer.reply.expectedEvents)
        }
        abandoned(name, at: now)
        if case .reconcile(let settings) = content { return notReconfigured(settings, at: now) }
        sources[name]?.pollBegan = nil
        sources[name]?.due = now.uptime
    }

    func truncated(asOf: Date, _ error: StoreError?, at now: Moment) throws {
        trace.note(elapsed(now), "truncate \(asOf.milliseconds)\(error == nil ? "" : " failed")")
        guard asOf <= truth(now).addingTimeInterval(1300) else {
            throw broken(14, "truncation runs as of \(asOf.rfc3339), which is still to come", at: now)
        }
        lastAsOf = asOf
        // Truncation removes expired answers, and a clock that steps back does not restore them.
        answeredQuestions = answeredQuestions.filter { $0.value > asOf }
        for name in sources.keys {
            guard let source = sources[name] else { continue }
            let horizon = asOf.addingTimeInterval(-source.settings.maxAge.seconds)
            sources[name]?.possibleHorizon = max(source.possibleHorizon, horizon)
            if error == nil { sources[name]?.horizon = max(source.horizon, horizon) }
        }
        // The result on a dead disk is seen at the next start: perhaps only the checkpoint failed, which truncation
        // does not report.
        let isDead = hasMachineDied()
        if error != nil || isDead { mayReturn = true }
        guard !isDead else { return }
        try readChanges(of: nil, at: now)
        if error == nil { try checkAges(at: now) }
    }

    func noticed(_ notice: Notice, at now: Moment) throws {
        switch notice {
        case .storePaused(_, let until): pausedUntil = now.uptime(at: until)
        case .pollWaits(let name, _, let until):
            sources[name]?.pollBegan = nil
            sources[name]?.due = now.uptime(at: until)
        default: break
        }
    }

    /// Notes items of a complete answer as offered.
    func remember(_ expectedEvents: [ExpectedEvent]) {
        for expected in expectedEvents where expected.purpose == .event {
            let keys = expected.names.map { Self.key(expected.provider, $0) }
            if everOffered.isDisjoint(with: keys) { summary.offered += 1 }
            everOffered.formUnion(keys)
        }
    }

    /// Notes an event that a loss of power took.
    func lose(_ entry: LedgerEntry) { lost[entry.publicID] = Set(entry.keys) }

    /// Events that come again are no longer lost.
    func find(_ keys: [String]) { lost = lost.filter { $0.value.isDisjoint(with: keys) } }

    /// Number of events lost with the power for good.
    var goneForGood: Int { lost.count }
}
