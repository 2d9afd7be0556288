import Foundation
import Model
import Store

/// The place in the order after which the next page begins; opaque to clients.
struct ItemCursor: Sendable, Hashable {
    var key: EventQuery.Key
    /// The magnitude in the order by magnitude; nil in orders by time.
    var magnitude: Double?

    /// Creates a cursor at a place; `magnitude` is nil in orders by time.
    init(key: EventQuery.Key, magnitude: Double?) {
        self.key = key
        self.magnitude = magnitude
    }

    /// The place of an event. Throws `StoreError`.
    init(_ event: StoredEvent, byMagnitude: Bool, from store: EventStore) throws(StoreError) {
        key = try store.key(of: event)
        magnitude = byMagnitude ? event.event.magnitude : nil
    }

    /// Reads a cursor of this order; nil for any other text.
    init?(_ text: String, in order: ItemRequest.Order) {
        var parts = text.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        let byMagnitude = order.isByMagnitude
        guard parts.count == (byMagnitude ? 5 : 4), parts.removeFirst() == order.rawValue, let time = Int64(parts[0]),
            (-(1 << 48)..<(1 << 48)).contains(time), PublicIDText.isOne(parts[1])
        else { return nil }
        key = EventQuery.Key(time: Date(milliseconds: time), publicID: parts[1])
        if !parts[2].isEmpty {
            guard let handle = EventHandle(parts[2]), handle != .start else { return nil }
            key.handle = handle
        }
        if byMagnitude {
            guard let magnitude = Double(parts[3]), magnitude.isFinite else { return nil }
            self.magnitude = magnitude
        }
    }

    /// The text that `init(_:in:)` reads. It names the order, since the place means another page in another one.
    func text(in order: ItemRequest.Order) -> String {
        let base = "\(order.rawValue)~\(key.time.milliseconds)~\(key.publicID)~\(key.handle?.text ?? "")"
        return magnitude.map { "\(base)~\($0)" } ?? base
    }
}

/// The shape of a public id.
enum PublicIDText {
    /// Whether the text may be a public id: 16 characters of `0`–`9` and `a`–`z`.
    static func isOne(_ text: String) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }
}
