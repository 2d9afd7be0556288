import Model
import Reconciling

/// A record as plain values. Names are known whatever their provider is.
struct Record: Rows {
    var grown = StoredAmount()
    /// The rows of names.
    var named: [String: Int64] = [:]
    var stored: [Int64: EventRow] = [:]
    /// The sources that show a row.
    var shownBy: [Int64: [Int64]] = [:]
    var links: [Absence.Link] = []
    /// The rows that the source promises, with the time since when it misses them.
    var promised: [(id: Int64, missingSince: Int64?)] = []
    var kept: [String: StoredWithdrawal] = [:]
    var tombstones: [String: Int64] = [:]
    var corrections: [String: Correction] = [:]

    /// A record of rows with the names that lead to each; their ids count from 1.
    init(_ rows: (event: Event, names: [String])...) {
        for (index, one) in rows.enumerated() {
            let id = Int64(index) + 1
            stored[id] = ReconcilingTests.row(one.event, id: id)
            for name in one.names { named[name] = id }
        }
    }

    func row(named name: String, of provider: String) -> Int64? { named[name] }
    func rows(ofFamily name: String, of provider: String) -> [Int64] {
        named.filter { $0.key.hasPrefix(name + " ") }.map(\.value)
    }
    func load(_ id: Int64) -> EventRow? { stored[id] }
    func version(of id: Int64) -> (name: String, updated: Int64?) {
        (stored[id]?.upstreamID ?? "", stored[id]?.updated)
    }
    func names(of id: Int64) -> [String] { named.filter { $0.value == id }.keys.sorted() }
    func sources(of id: Int64) -> [Int64] { shownBy[id] ?? [] }
    func links(of id: Int64, by provider: String) -> [Absence.Link] { links }
    func eachPromised(from: Int64, to: Int64, _ body: (Int64, Int64?) -> Void) {
        for (id, since) in promised where (from...to).contains(stored[id]?.time ?? .min) { body(id, since) }
    }
    func correction(of publicID: String, isGone: Bool) -> Correction? { isGone ? nil : corrections[publicID] }
    func withdrawal(of name: String, by provider: String) -> StoredWithdrawal? { kept[name] }
    func tombstone(of name: String, by provider: String) -> Int64? { tombstones[name] }
}

extension Mutation {
    /// The mutation in short words.
    var words: String {
        func minutes(_ time: Int64?) -> String { time.map { "\(($0 - start) / minute)" } ?? "never" }
        return switch self {
        case .add(let row, let index, let names, _, let origin):
            "add \(index) \(row.upstreamID) [\(names.joined(separator: " "))]"
                + (row.withdrawnReason.map { " \($0)" } ?? "") + (origin.map { " from \($0)" } ?? "")
        case .revise(let replacement):
            "\(replacement.previous == nil ? "replace" : replacement.kind.rawValue) \(replacement.row.id)"
        case .merge(let younger, let older): "merge \(younger) into \(older)"
        case .move(let row, let provider, let id): "move \(row) to \(provider) \(id)"
        case .name(let row, let names, _): "name \(row) [\(names.joined(separator: " "))]"
        case .unname(let row, let names, _): "unname \(row) [\(names.joined(separator: " "))]"
        case .show(let row, let time, let hash): "show \(row) at \(minutes(time)) as \(hash)"
        case .miss(let row, let since): "miss \(row) since \(minutes(since))"
        case .unpromise(let row): "unpromise \(row)"
        case .unlink(let row): "unlink \(row)"
        case .renewLinks(let row): "renew \(row)"
        case .keepFeedPlace(let place, let publicID): "place \(publicID) \(place == nil ? "nowhere" : "there")"
        case .keep(let kept, let withdrawal): "keep \(withdrawal.id) \(kept.standing.evidence)"
        case .eraseAnswers(let row): "erase answers \(row.id) \(row.title)"
        case .eraseTraces(let row): "erase traces \(row.id) \(row.title)"
        case .eraseWaiting(let withdrawal, let samples): "erase \(withdrawal.id)" + (samples ? " and samples" : "")
        case .cover(let snapshot, let provider): "cover \(provider) at \(snapshot.generated - start)"
        case .widen(let from): "widen \(minutes(from))"
        case .touch(let name, _): "touch \(name)"
        }
    }
}
