public import Store
import Synchronization

/// Shares pages of the change log among all stream clients, each change encoded once.
///
/// It keeps a few runs of consecutive changes, at most 256 each and 4 MiB in all. The clients at the end of the log
/// share one run, which grows with the log; those that lag behind at one place share another. A page from another store
/// than the last one, as after the file was replaced, begins anew.
public final class ChangeHub: Sendable {
    /// The most changes of a run, and of a page.
    static let pageLength = 256
    /// The size at which a run stops growing, and that of all runs together, in bytes.
    static let (runBytes, totalBytes) = (1 << 20, 4 << 20)
    /// The most runs.
    static let mostRuns = 8

    private let state = Mutex(State())

    /// Creates a hub that knows nothing yet.
    public init() {}

    /// What a look at the log has found.
    struct Look: Sendable {
        /// The number of the oldest change kept; one above the newest if none is kept.
        var oldest: Int64
        /// The number of the newest change.
        var newest: Int64
    }

    /// Looks at the log, and forgets the events that have ended since the last look. Blocks on the store. Throws
    /// `StoreError`.
    func look(at store: EventStore) throws -> Look { try state.withLock { try $0.look(at: store) } }

    /// At most 256 changes after a cursor. Blocks on the store; one caller reads while the others wait.
    /// - Parameters:
    ///   - cursor: The last change that the client knows; 0: none.
    ///   - look: A look at this store.
    /// - Throws: `StoreError`. A cursor that is too old is no error.
    func page(after cursor: Int64, in look: Look, from store: EventStore) throws -> SharedPage {
        try state.withLock { try $0.page(after: cursor, in: look, from: store) }
    }

    /// Notes the number of the newest change, before the waiting clients are woken. Waits for a page that is being read.
    /// - Returns: Whether the clients are to be woken, since the number is another one than at the last call. What a
    ///   client reads meanwhile does not count: the others have not been woken for it.
    @discardableResult
    public func commitNoticed(newest: Int64) -> Bool {
        state.withLock { state in
            let last = state.noticed
            (state.told, state.noticed) = (newest, newest)
            return last != newest
        }
    }

    /// Whether no change is known after the cursor; false also while nothing is known.
    func isAtEnd(_ cursor: Int64) -> Bool { state.withLock { $0.told == cursor } }

    /// The bytes that all runs keep, roughly.
    var cost: Int { state.withLock { state in state.runs.reduce(0) { $0 + $1.cost } } }
}

/// Reads pages for many clients after one look at the log.
public struct ChangeReading {
    let hub: ChangeHub
    private(set) var store: EventStore
    private var look: ChangeHub.Look?

    /// Creates a reading; it looks when the first page is asked for.
    public init(_ hub: ChangeHub, from store: EventStore) {
        self.hub = hub
        self.store = store
    }

    /// Looks now, so that the hub knows the newest change. Throws `StoreError`.
    public mutating func begin() throws { look = try hub.look(at: store) }

    /// Reads for a client with a budget of its own, in a turn of it.
    public mutating func withBudget<T>(_ budget: ReadBudget, _ body: (inout ChangeReading) throws -> T) rethrows -> T {
        store = store.within(budget)
        return try budget.spending { try body(&self) }
    }

    /// At most 256 changes after a cursor, as of the look. Blocks on the store.
    /// - Parameter cursor: The last change that the client knows; 0: none.
    /// - Throws: `StoreError`. A cursor that is too old is no error.
    mutating func page(after cursor: Int64) throws -> SharedPage {
        let look = try self.look ?? hub.look(at: store)
        self.look = look
        return try hub.page(after: cursor, in: look, from: store)
    }
}

/// Consecutive changes.
private struct Run {
    /// Never empty.
    var changes: [SharedChange]
    /// When it was read last, counted in reads.
    var used: Int

    var first: Int64 { changes.first?.sequence ?? 0 }
    var last: Int64 { changes.last?.sequence ?? 0 }
    var cost: Int { changes.reduce(0) { $0 + $1.cost } }
}

private struct State {
    /// The opening of the file that the runs were read from.
    private var opening: Int?
    var runs: [Run] = []
    /// The newest change noticed or read.
    var told: Int64?
    /// The newest change noticed.
    var noticed: Int64?
    /// The newest change whose effect on the runs is known.
    private var seen: Int64?
    private var reads = 0

    mutating func look(at store: EventStore) throws -> ChangeHub.Look {
        if opening != store.generation {
            opening = store.generation
            (runs, seen) = ([], nil)
        }
        let feed = ChangeFeed(of: store)
        let (oldest, newest) = try feed.kept()
        try forgetEnded(upTo: newest, feed, store)
        told = newest
        return ChangeHub.Look(oldest: oldest, newest: newest)
    }

    mutating func page(after cursor: Int64, in look: ChangeHub.Look, from store: EventStore) throws -> SharedPage {
        let (oldest, newest) = (look.oldest, look.newest)
        let isKept = cursor >= oldest - 1 && cursor <= newest
        guard isKept, let changes = try changes(after: cursor, newest, ChangeFeed(of: store)) else {
            return SharedPage(changes: [], oldest: oldest, newest: newest, isTooOld: true)
        }
        return SharedPage(changes: changes, oldest: oldest, newest: newest, isTooOld: false)
    }

    /// The changes after a cursor; nil: they are no longer kept.
    private mutating func changes(
        after cursor: Int64, _ newest: Int64, _ feed: ChangeFeed
    ) throws -> ArraySlice<SharedChange>? {
        guard cursor < newest else { return [] }
        reads += 1
        if let index = runs.firstIndex(where: { $0.first - 1 <= cursor && cursor < $0.last }) {
            runs[index].used = reads
            return runs[index].changes.drop { $0.sequence <= cursor }
        }
        let log = try feed.next(after: cursor, limit: ChangeHub.pageLength)
        guard !log.isTooOld else { return nil }
        var added: [SharedChange] = []
        var cost = 0
        var rest = log.changes[...]
        while !rest.isEmpty, cost < ChangeHub.runBytes {
            for step in try feed.steps(rest.prefix(16)) {
                let change = SharedChange(step)
                added.append(change)
                cost += change.cost
            }
            rest = rest.dropFirst(16)
        }
        guard !added.isEmpty else { return [] }
        keep(added, after: cursor)
        return added[...]
    }

    private mutating func keep(_ added: [SharedChange], after cursor: Int64) {
        if let index = runs.firstIndex(where: { $0.last == cursor }) {
            runs[index].changes += added
            runs[index].used = reads
            // Its oldest changes go; those added stay.
            var surplus = runs[index].changes.count - ChangeHub.pageLength
            var cost = runs[index].cost
            for change in runs[index].changes.dropLast(added.count) {
                guard surplus > 0 || cost > ChangeHub.runBytes else { break }
                cost -= change.cost
                surplus -= 1
                runs[index].changes.removeFirst()
            }
        } else {
            runs.append(Run(changes: added, used: reads))
        }
        var cost = runs.reduce(0) { $0 + $1.cost }
        while runs.count > ChangeHub.mostRuns || cost > ChangeHub.totalBytes, runs.count > 1,
            let oldest = runs.indices.min(by: { runs[$0].used < runs[$1].used })
        {
            cost -= runs.remove(at: oldest).cost
        }
    }

    /// Removes events from the runs that have been truncated or erased since: nothing of them is told any more.
    private mutating func forgetEnded(upTo newest: Int64, _ feed: ChangeFeed, _ store: EventStore) throws {
        guard let last = seen, !runs.isEmpty, newest >= last else {
            runs = []
            seen = newest
            return
        }
        guard newest > last else { return }
        let fresh = try feed.next(after: last, limit: 1000)
        guard !fresh.isTooOld, fresh.cursor >= newest else {
            runs = []
            seen = newest
            return
        }
        var gone: Set<String> = []
        for change in fresh.changes {
            switch change.kind {
            case .truncated: gone.insert(change.publicID)
            case .withdrawn, .merged:
                // After a merge one of the two events is gone; the other may have been erased before.
                guard try store.event(change.publicID, knownAt: change.sequence) == nil else { continue }
                // The words of the events merged into an erased one are erased, too.
                runs = []
                seen = fresh.cursor
                return
            default: break
            }
        }
        if !gone.isEmpty {
            for index in runs.indices {
                runs[index].changes = runs[index].changes.map { change in
                    gone.contains(change.step.change.publicID) && !change.step.isEnd ? change.emptied : change
                }
            }
        }
        seen = fresh.cursor
    }
}
