import Model

/// What a write is for.
enum WritePurpose: Sendable {
    case beginning(Int)
    case step(Int)
    /// That the source's stream is open.
    case note(Int, PollEnd)
    case end(Int, PollEnd)
    case reservation(RequestKey, Reservation)
    case givingBack(Int)

    /// Whether it brings what a poll has found.
    var isStep: Bool {
        switch self {
        case .step, .note, .end: true
        case .beginning, .reservation, .givingBack: false
        }
    }

    var source: Int {
        switch self {
        case .beginning(let index), .step(let index), .note(let index, _), .end(let index, _), .givingBack(let index):
            index
        case .reservation(let key, _): key.source
        }
    }
}
