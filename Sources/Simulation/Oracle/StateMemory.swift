import Foundation
import Model
import Reading

/// What was in the store after each change: two hashes a change, not the events themselves.
struct StateMemory {
    /// The state of an event right after a change.
    enum State: Hashable {
        /// Hashes of what the record keeps as known then, and of title and magnitude.
        case known(UInt64, words: UInt64)
        /// Not known, since the same commit changed the event again.
        case unknown
        /// The event is gone.
        case gone
    }

    /// A change with the state after it.
    struct Change {
        var id: String
        var kind: EventChange.Kind
        var state: State
        /// The event into which this one was merged; nil for other changes.
        var successor: String?

        /// Whether the event ended with the change, so that each client is told its id.
        var isEnd: Bool { state == .gone && (kind == .truncated || kind == .merged) }
    }

    /// The number of the change at which the memory begins.
    private(set) var base: Int64 = 0
    /// The states of all events at the beginning.
    private var first: [String: State] = [:]
    private var changes: [Change] = []
    /// The numbers of an event's changes.
    private var numbers: [String: [Int64]] = [:]

    /// The number of the last change remembered.
    var newest: Int64 { base + Int64(changes.count) }

    /// All events that were ever there.
    var ids: Set<String> { Set(first.keys).union(numbers.keys) }

    subscript(number: Int64) -> Change? {
        guard number > base, number <= newest else { return nil }
        return changes[Int(number - base - 1)]
    }

    /// Begins anew with the events of this moment.
    mutating func begin(at number: Int64, with states: [String: State]) {
        base = number
        first = states
        changes = []
        numbers = [:]
    }

    /// Remembers the next change. Of a merge the event that goes comes first, then the one that stays.
    mutating func append(_ change: Change) {
        var change = change
        if change.kind == .merged {
            if let last = changes.last, last.kind == .merged, last.state == .gone, last.successor == nil {
                changes[changes.count - 1].successor = change.id
            } else {
                change.state = .gone
            }
        }
        changes.append(change)
        numbers[change.id, default: []].append(newest)
    }

    /// Forgets the changes after a number, which were lost with the power.
    mutating func forget(after number: Int64) {
        while newest > max(number, base), let change = changes.popLast() { numbers[change.id]?.removeLast() }
    }

    /// The state of an event right after a change of any event; nil: it was not there yet.
    func state(of id: String, at number: Int64) -> State? {
        guard let last = numbers[id]?.last(where: { $0 <= number }) else { return first[id] }
        return self[last]?.state
    }

    /// The changes of an event after a number, oldest first.
    func changes(of id: String, after number: Int64) -> [(number: Int64, change: Change)] {
        (numbers[id] ?? []).drop { $0 <= number }.compactMap { later in self[later].map { (number: later, change: $0) }
        }
    }

    /// A hash of what clients are told of an event.
    static func words(_ title: String, _ magnitude: Double?) -> UInt64 {
        FNV64.hash("\(title)\u{1F}\(magnitude?.jsonText ?? "")".utf8)
    }
}

extension StoredEvent {
    /// Hashes of the event for the memory.
    ///
    /// Left out is what the record does not keep as known then: sources, first sight, the provider's time of the
    /// version, and what follows from the number of the change.
    var remembered: StateMemory.State {
        let time = hasFeedTime ? event.time : nil
        var texts: [String?] = [time, event.expires].map { date in date.map { "\($0.milliseconds)" } }
        texts += [event.weight, event.magnitude, event.depth].map { number in number.map { "\($0)" } }
        texts += [publicID, event.provider, event.id, event.category.rawValue, event.title, event.details]
        texts += [event.summary, event.link, event.author?.name, event.author?.link, event.author?.picture]
        texts += [event.status, event.place, event.language, event.geometry]
        if let location = event.location {
            texts += [location.coordinate.latitude, location.coordinate.longitude, location.confidence].map { "\($0)" }
            texts += [location.method.rawValue, location.precision.rawValue]
            texts += [location.matchedText, location.evidence?.rawValue, location.placeID]
        }
        if let withdrawal { texts += [withdrawal.reason, "\(withdrawal.at.milliseconds)", withdrawal.evidence] }
        var hash = FNV64.basis
        for text in texts {
            hash = FNV64.hash((text ?? "\u{0}").utf8, after: FNV64.hash(CollectionOfOne<UInt8>(0x1F), after: hash))
        }
        return .known(hash, words: StateMemory.words(event.title, event.magnitude))
    }
}
