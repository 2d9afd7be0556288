import Model

/// The purpose of a write; an `Int` is the index of a source.
enum WritePurpose: Sendable {
    case beginning(Int)
    case step(Int)
    /// Records an open stream.
    case note(Int, PollEnd)
    /// The end of a poll, and the other one if its events wait for room in the budget.
    case end(Int, PollEnd, overBudget: PollEnd)
    case reservation(RequestKey, Reservation)
    case givingBack(Int)

    /// Whether the write holds results of a poll.
    var isStep: Bool {
        switch self {
        case .step, .note, .end: true
        case .beginning, .reservation, .givingBack: false
        }
    }

    var source: Int {
        switch self {
        case .beginning(let index), .step(let index), .note(let index, _), .end(let index, _, _),
            .givingBack(let index):
            index
        case .reservation(let key, _): key.source
        }
    }
}
