import Foundation
import Gazetteer
import Model
import Settings
import Synchronization

/// Keeps the newest generation of the city table open, on a serial queue of its own.
///
/// `@unchecked` because the table is used on that queue only.
final class CityTableHandle: PlaceTable, @unchecked Sendable {
    let path: String
    private let leastConfidence: Double
    private let queue: WorkQueue
    private var open: (table: CityTable, places: EventPlaces)?
    /// The list of volcanoes in use, with its name.
    private var volcanoes: (name: String?, points: [PointOfInterest]) = (nil, [])

    convenience init(_ settings: GazetteerSettings, time: TimeSource) {
        self.init(path: settings.path, leastConfidence: settings.leastConfidence, time: time)
    }

    /// - Parameter leastConfidence: The least probability with which a name in a text means a place.
    init(path: String, leastConfidence: Double = Location.leastConfidence, time: TimeSource) {
        self.path = path
        self.leastConfidence = leastConfidence
        queue = time.queue("visiventd.locate")
    }

    func volcanoesInUse() async -> String? { await onQueue { $0.volcanoes.name } }

    func refresh(volcanoes: (name: String?, points: [PointOfInterest])?) async -> PlaceTableState {
        await onQueue { handle in
            if let volcanoes { handle.volcanoes = volcanoes }
            let present = handle.open?.table
            let isCurrent = present?.isCurrent ?? false
            let table: CityTable
            do throws(GazetteerError) {
                table = if isCurrent, let present { present } else { try CityTable(path: handle.path) }
            } catch {
                guard let present else { return .unavailable(error) }
                table = present
            }
            let isNew = table !== present
            if isNew || volcanoes != nil {
                var resolver = Resolver(table)
                resolver.leastConfidence = handle.leastConfidence
                handle.open = (
                    table, EventPlaces(table, resolver: resolver, volcanoes: handle.volcanoes.points)
                )
            }
            return .ready(TableFacts(table), isNew: isNew)
        }
    }

    func homeVotes(of events: [UnlocatedEvent], address: String?) async -> Result<[[String: Double]], GazetteerError>? {
        await each(events) { places, event throws(GazetteerError) in try places.homeVotes(of: event, address: address) }
    }

    func locate(_ events: [UnlocatedEvent]) async -> Result<[LocalOutcome], GazetteerError>? {
        await each(events) { places, event throws(GazetteerError) in try places.outcome(for: event) }
    }

    func comeFromNoPlaces(_ events: [UnlocatedEvent]) async -> Result<[Bool], GazetteerError>? {
        await each(events) { places, event throws(GazetteerError) in try places.read(event).place != event.place }
    }

    func watch(_ time: TimeSource, onEdit: @escaping @Sendable () -> Void) -> FileWatcher? {
        FileWatcher(path: path, time: time, onEdit: onEdit)
    }

    private func each<Value: Sendable>(
        _ events: [UnlocatedEvent],
        _ body: @escaping @Sendable (EventPlaces, UnlocatedEvent) throws(GazetteerError) -> Value
    ) async -> Result<[Value], GazetteerError>? {
        await onQueue { handle in
            guard let places = handle.open?.places else { return nil }
            return Result { () throws(GazetteerError) in
                try events.map { event throws(GazetteerError) in try body(places, event) }
            }
        }
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable (CityTableHandle) -> Value) async -> Value {
        await queue.value { body(self) }
    }
}
