import DequeModule

/// What a request is to its source and its host. Earlier lanes go first.
enum Lane: Int, CaseIterable, Sendable {
    /// The first request of a chain, to the source's own host.
    case configured
    /// A further request to the source's own host that its poll cannot do without, such as a page.
    case own
    /// A document of an index on the source's own host.
    case document
    /// A request to a host that the source is not configured for: a document of an index, or a redirect.
    case led
}

/// The requests that wait for a host. Within a lane the sources take turns.
struct HostQueue: Sendable {
    /// The requests of a lane.
    private struct Turns: Sendable {
        /// Sources with waiting requests, the next first.
        var order: Deque<Int> = []
        var keys: [Int: Deque<RequestKey>] = [:]
        /// Requests of other lanes that went first, since the last of this one.
        var passedOver = 0
    }

    /// A lane that was passed over as often is next, so none waits for ever.
    private static let patience = 8

    private var lanes = Lane.allCases.map { _ in Turns() }

    var isEmpty: Bool { lanes.allSatisfy { $0.order.isEmpty } }

    func isEmpty(_ lane: Lane) -> Bool { lanes[lane.rawValue].order.isEmpty }

    mutating func append(_ key: RequestKey, _ lane: Lane) {
        if lanes[lane.rawValue].keys[key.source] == nil { lanes[lane.rawValue].order.append(key.source) }
        lanes[lane.rawValue].keys[key.source, default: []].append(key)
    }

    /// Removes and returns the next request among those that may go now; nil if there is none.
    mutating func next(where mayGo: (Lane, _ source: Int) -> Bool) -> RequestKey? {
        let turns = Lane.allCases.compactMap { lane in
            lanes[lane.rawValue].order.firstIndex { mayGo(lane, $0) }.map { (lane: lane.rawValue, place: $0) }
        }
        guard let turn = turns.first(where: { lanes[$0.lane].passedOver >= Self.patience }) ?? turns.first else {
            return nil
        }
        for other in turns { lanes[other.lane].passedOver += 1 }
        lanes[turn.lane].passedOver = 0
        let source = lanes[turn.lane].order.remove(at: turn.place)
        let key = lanes[turn.lane].keys[source]?.popFirst()
        if lanes[turn.lane].keys[source]?.isEmpty == false {
            lanes[turn.lane].order.append(source)
        } else {
            lanes[turn.lane].keys[source] = nil
        }
        return key
    }

    mutating func removeAll(of source: Int) {
        for lane in lanes.indices where lanes[lane].keys.removeValue(forKey: source) != nil {
            lanes[lane].order.removeAll { $0 == source }
        }
    }
}
