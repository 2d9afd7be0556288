import Model
import Store

/// A change that many clients read, encoded once.
final class SharedChange: Sendable {
    private let compared: ComparedStep
    /// The message with the event; empty for a change without one.
    private let whole: [UInt8]

    init(_ step: ChangeStep) {
        compared = ComparedStep(step)
        whole = step.after == nil ? [] : Self.message(of: step, .whole)
    }

    var step: ChangeStep { compared.step }

    var sequence: Int64 { step.change.sequence }

    /// The bytes that it keeps in memory, roughly: the two states are about as long as the message, and so are the words
    /// and the shape of each.
    var cost: Int { 256 + 5 * whole.count }

    /// The same change of an event that is no longer told.
    var emptied: SharedChange { step.after == nil ? self : SharedChange(ChangeStep(step.change)) }

    /// The message for a client; nil: it is told nothing.
    func message(to filter: EventMatcher) -> [UInt8]? {
        switch compared.telling(to: filter) {
        case .nothing: nil
        case .whole: whole
        case .bare(let kind): Self.message(of: step, .bare(kind))
        }
    }

    private static func message(of step: ChangeStep, _ telling: ChangeTelling) -> [UInt8] {
        StreamMessage.event("change", id: step.change.sequence, data: step.json(telling) ?? "")
    }
}
