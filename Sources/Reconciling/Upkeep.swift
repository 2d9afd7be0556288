/// What is to be brought up to date when a row is replaced, beside the row itself.
///
/// 1. The full text follows the words to the byte.
/// 2. The position follows place, shape and time; the links follow the time.
/// 3. An event that is given a place, or withdrawn, waits for none any more. One that has lost its place, has other words
///    that may name another, or comes back, waits for one (`EventRow.waitsForPlace`).
package struct Upkeep: OptionSet, Sendable {
    /// The set as bits.
    package let rawValue: UInt8
    /// Creates a set of bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The words in the full-text index.
    package static let text = Upkeep(rawValue: 1)
    /// Place, shape and time in the index of positions.
    package static let position = Upkeep(rawValue: 2)
    /// The event leaves the queue of those that wait for a place.
    package static let dequeue = Upkeep(rawValue: 4)
    /// The event enters that queue if it waits for a place.
    package static let enqueue = Upkeep(rawValue: 8)
    /// The time in the sources' links.
    package static let linkTime = Upkeep(rawValue: 16)

    /// What follows when a row replaces another.
    package init(of old: EventRow, replacedBy new: EventRow) {
        self = []
        let isMoved = new.location?.coordinate != old.location?.coordinate
        if !new.hasWords(of: old) { insert(.text) }
        if isMoved || new.geometry != old.geometry || new.time != old.time { insert(.position) }
        if old.waitsForPlace, !new.waitsForPlace { insert(.dequeue) }
        let isReworded = new.title != old.title || new.summary != old.summary || new.place != old.place
        if isMoved || isReworded || !old.waitsForPlace && new.waitsForPlace { insert(.enqueue) }
        if new.time != old.time { insert(.linkTime) }
    }
}

extension EventRow {
    /// Whether the event waits for a place, unless the operator has taken its place away: it is shown and has none.
    package var waitsForPlace: Bool { location == nil && withdrawnReason == nil }
}
