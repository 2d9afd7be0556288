public import Store
import Synchronization

/// Shares pages of the change log among all stream clients, each change encoded once.
///
/// It keeps a few runs of consecutive changes, at most 256 each and 4 MiB in all. The clients at the end of the log
/// share one run, which grows with the log; those that lag behind at one place share another. A page from another store
/// than the last one, as after the file was replaced, begins anew.
///
/// The store is read outside the lock, so a slow page keeps no other caller waiting. Two callers that ask for one page
/// at once both read it.
public final class ChangeHub: Sendable {
    /// The most changes of a run, and of a page.
    static let pageLength = 256
    /// The size at which a run stops growing, and that of all runs together, in bytes.
    static let (runBytes, totalBytes) = (1 << 20, 4 << 20)
    /// The most runs.
    static let mostRuns = 8
    /// The changes whose events are in memory at a time.
    private static let stepsAtOnce = 16

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
    func look(at store: EventStore) throws -> Look {
        let before = state.withLock { $0.begin(at: store.generation) }
        let (oldest, newest) = try ChangeFeed(of: store).kept()
        let gone = before.hasRuns ? try Self.ended(after: before.seen, upTo: newest, in: store) : nil
        state.withLock { $0.end(before, newest: newest, gone: gone) }
        return Look(oldest: oldest, newest: newest)
    }

    /// The events that have ended since a change; nil: more than these is to be forgotten.
    private static func ended(
        after last: Int64?, upTo newest: Int64, in store: EventStore
    ) throws -> Set<String>? {
        guard let last, newest >= last else { return nil }
        guard newest > last else { return [] }
        let log = try ChangeFeed(of: store).next(after: last, limit: 1000)
        guard !log.isTooOld, log.cursor >= newest else { return nil }
        var gone: Set<String> = []
        for change in log.changes {
            switch change.kind {
            case .truncated: gone.insert(change.publicID)
            case .withdrawn, .merged:
                // After a merge one of the two events is gone; the other may have been erased before. The words of the
                // events merged into an erased one are erased, too.
                guard try store.event(change.publicID, knownAt: change.sequence) != nil else { return nil }
            default: break
            }
        }
        return gone
    }

    /// At most 256 changes after a cursor. Blocks on the store.
    /// - Parameters:
    ///   - cursor: The last change that the client knows; 0: none.
    ///   - look: A look at this store.
    /// - Throws: `StoreError`. A cursor that is too old is no error.
    func page(after cursor: Int64, in look: Look, from store: EventStore) throws -> SharedPage {
        let (oldest, newest) = (look.oldest, look.newest)
        let isKept = cursor >= oldest - 1 && cursor <= newest
        guard isKept, let changes = try changes(after: cursor, upTo: newest, from: store) else {
            return SharedPage(changes: [], oldest: oldest, newest: newest, isTooOld: true)
        }
        return SharedPage(changes: changes, oldest: oldest, newest: newest, isTooOld: false)
    }

    /// The changes after a cursor; nil: they are no longer kept.
    private func changes(
        after cursor: Int64, upTo newest: Int64, from store: EventStore
    ) throws -> ArraySlice<SharedChange>? {
        guard cursor < newest else { return [] }
        let (shared, before) = state.withLock { state in
            (state.changes(after: cursor, at: store.generation), state.mark)
        }
        if let shared { return shared }
        let feed = ChangeFeed(of: store)
        let log = try feed.next(after: cursor, limit: Self.pageLength)
        guard !log.isTooOld else { return nil }
        var added: [SharedChange] = []
        var cost = 0
        var rest = log.changes[...]
        while !rest.isEmpty, cost < Self.runBytes {
            try store.checkBudget()
            for step in try feed.steps(rest.prefix(Self.stepsAtOnce)) {
                let change = SharedChange(step)
                added.append(change)
                cost += change.cost
            }
            rest = rest.dropFirst(Self.stepsAtOnce)
        }
        guard !added.isEmpty else { return [] }
        // What another look has forgotten meanwhile may be among them.
        state.withLock { if $0.mark == before { $0.keep(added, after: cursor) } }
        return added[...]
    }

    /// Notes the number of the newest change, before the waiting clients are woken.
    /// - Returns: Whether the clients are to be woken, since the number is another one than at the last call. What a
    ///   client reads meanwhile does not count: the others have not been woken for it.
    @discardableResult
    public func commitNoticed(newest: Int64) -> Bool { state.withLock { $0.notice(newest) } }

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
    /// A point in the history of the runs.
    struct Mark: Sendable, Hashable {
        /// The opening of the file that the runs were read from.
        var opening: Int?
        /// The newest change whose effect on the runs is known; nil: unknown.
        var seen: Int64?
    }

    /// What a look begins with.
    struct Beginning: Sendable {
        var mark: Mark
        var hasRuns: Bool
        var notices: Int

        var seen: Int64? { mark.seen }
    }

    private(set) var mark = Mark()
    private(set) var runs: [Run] = []
    /// The newest change noticed or read.
    private(set) var told: Int64?
    /// The newest change noticed, and the number of notices.
    private var (noticed, notices): (Int64?, Int) = (nil, 0)
    private var reads = 0

    mutating func notice(_ newest: Int64) -> Bool {
        let last = noticed
        (told, noticed) = (newest, newest)
        notices += 1
        return last != newest
    }

    /// Begins a look at the store of an opening.
    mutating func begin(at opening: Int) -> Beginning {
        if mark.opening != opening { (mark, runs) = (Mark(opening: opening), []) }
        return Beginning(mark: mark, hasRuns: !runs.isEmpty, notices: notices)
    }

    /// Ends a look, and forgets what is told no more.
    /// - Parameter gone: The events that have ended since the beginning's mark; nil: all runs are forgotten.
    mutating func end(_ beginning: Beginning, newest: Int64, gone: Set<String>?) {
        guard mark.opening == beginning.mark.opening else { return }
        // A notice that came meanwhile is newer.
        if notices == beginning.notices { told = newest }
        guard mark == beginning.mark else {
            // Each of two looks at once knows a part.
            (mark.seen, runs) = (nil, [])
            return
        }
        mark.seen = newest
        guard let gone else {
            runs = []
            return
        }
        guard !gone.isEmpty else { return }
        for index in runs.indices {
            runs[index].changes = runs[index].changes.map { change in
                gone.contains(change.step.change.publicID) && !change.step.isEnd ? change.emptied : change
            }
        }
    }

    /// The changes after a cursor in a run of this opening; nil: no run has them.
    mutating func changes(after cursor: Int64, at opening: Int) -> ArraySlice<SharedChange>? {
        reads += 1
        guard mark.opening == opening,
            let index = runs.firstIndex(where: { $0.first - 1 <= cursor && cursor < $0.last })
        else { return nil }
        runs[index].used = reads
        return runs[index].changes.drop { $0.sequence <= cursor }
    }

    mutating func keep(_ added: [SharedChange], after cursor: Int64) {
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
}
