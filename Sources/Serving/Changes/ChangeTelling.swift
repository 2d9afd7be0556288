import Model
import Presenting
import Reading
import Store

/// What a client with a filter is told of a change.
enum ChangeTelling: Hashable {
    /// Nothing.
    case nothing
    /// The change with its event.
    case whole
    /// The event's id alone, with this word as kind.
    case bare(String)
}

/// A change whose states many filters are compared with: their words and shapes are read once for all.
struct ComparedStep: Sendable {
    let step: ChangeStep
    private let after: ComparedEvent?
    private let before: ComparedEvent?

    init(_ step: ChangeStep) {
        self.step = step
        after = step.after.map { ComparedEvent($0) }
        before = step.before.map { ComparedEvent($0) }
    }

    /// What a client learns of the change.
    ///
    /// An end goes to every client, since nobody can compare an event that is gone with a filter. `left` says that the
    /// event matched before the change and no longer does. It is also said where the state before is not known, so that
    /// no client keeps an event by mistake.
    /// - Parameter filter: The client's; an event that it does not select by its public ids is never told.
    func telling(to filter: EventMatcher) -> ChangeTelling {
        let (change, ids) = (step.change, filter.query.publicIDs)
        guard ids.isEmpty || ids.contains(change.publicID) else { return .nothing }
        if step.isEnd { return .bare(change.kind.rawValue) }
        guard let after else { return .nothing }
        if filter.matches(after) { return .whole }
        let mayHaveMatched = before.map { filter.matches($0) } ?? false
        guard mayHaveMatched || !step.isBeforeExact else { return .nothing }
        return .bare(change.kind == .withdrawn ? change.kind.rawValue : "left")
    }
}

extension ChangeStep {
    /// The change as one JSON object: `seq`, `kind`, `at`, `id`, `into` for an event merged into another one, and
    /// `feature`, which is null unless `telling` is `whole`; nil if nothing is told.
    func json(_ telling: ChangeTelling) -> String? {
        switch telling {
        case .nothing: nil
        // The event into which another one was merged is there as before, with the other's sources.
        case .whole: json(change.kind == .merged ? EventChange.Kind.revised.rawValue : change.kind.rawValue, after)
        case .bare(let kind): json(kind, nil)
        }
    }

    private func json(_ kind: String, _ event: StoredEvent?) -> String {
        JSONWriter.object([
            "seq": Int(change.sequence), "kind": kind, "at": change.at.timestamp, "id": change.publicID,
            "into": successor, "feature": .raw(event?.feature ?? "null"),
        ])
    }
}

/// Messages of an event stream (HTML, §9.2 Server-sent events).
enum StreamMessage {
    /// A message with an id and one line of data.
    static func event(_ name: String, id: Int64, data: String) -> [UInt8] {
        var bytes = Array("id: \(id)\nevent: \(name)\ndata: ".utf8)
        bytes.reserveCapacity(bytes.count + data.utf8.count + 2)
        // A line end would end the data. JSON texts escape theirs, and between values it is white space.
        for byte in data.utf8 { bytes.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte) }
        bytes.append(contentsOf: "\n\n".utf8)
        return bytes
    }

    /// A message without data: the client notes the id, and its program sees nothing.
    static func mark(id: Int64) -> [UInt8] { Array("id: \(id)\n\n".utf8) }

    /// The end of a stream whose client must read the events again; what changes after that follows the id.
    static func gap(oldest: Int64, newest: Int64) -> [UInt8] {
        event("gap", id: newest, data: "{\"oldest\":\(oldest),\"newest\":\(newest)}")
    }
}
