import Dispatch
import Foundation
import Gazetteer
import Model
import Synchronization

/// Keeps the newest generation of the city table open, on a serial queue of its own.
///
/// `@unchecked` because the table is used on that queue only.
final class CityTableHandle: @unchecked Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "visiventd.locate")
    private var open: (table: CityTable, places: EventPlaces)?
    /// The list of volcanoes in use, with its name.
    private var volcanoes: (name: String?, points: [PointOfInterest]) = (nil, [])

    init(path: String) { self.path = path }

    /// The availability of the table, without its content.
    enum State: Sendable {
        /// The facts of the open generation, and whether it was just opened.
        case ready(TableFacts, isNew: Bool)
        /// There is no table, or none that can be read.
        case unavailable(GazetteerError)
    }

    /// The name of the list of volcanoes in use (`EventStore.pointsGeneration`); nil: none.
    func volcanoesInUse() async -> String? { await onQueue { $0.volcanoes.name } }

    /// Opens the table, or the newer one that has replaced it. An open table stays in use if a damaged one replaces it,
    /// or if it is removed.
    /// - Parameter volcanoes: The seeded list with its name; nil: the one in use stays.
    func refresh(volcanoes: (name: String?, points: [PointOfInterest])? = nil) async -> State {
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
                handle.open = (
                    table, EventPlaces(table, resolver: Resolver(table), volcanoes: handle.volcanoes.points)
                )
            }
            return .ready(TableFacts(table), isNew: isNew)
        }
    }

    /// The votes of events for the homes of their sources, in order. Nil if there is no table.
    func homeVotes(of events: [UnlocatedEvent]) async -> Result<[[String]], GazetteerError>? {
        await each(events) { places, event throws(GazetteerError) in try places.homeVotes(of: event) }
    }

    /// Looks up events; one outcome for each, in order. Nil if there is no table.
    func locate(_ events: [UnlocatedEvent]) async -> Result<[LocalOutcome], GazetteerError>? {
        await each(events) { places, event throws(GazetteerError) in try places.outcome(for: event) }
    }

    /// Whether words that name no places led to the places of events; in order. Nil if there is no table.
    /// - Parameter events: As `EventStore.placedByName` returns them, with their sources' `notPlaces`.
    func comeFromNoPlaces(_ events: [UnlocatedEvent]) async -> Result<[Bool], GazetteerError>? {
        await each(events) { places, event throws(GazetteerError) in try places.read(event).place != event.place }
    }

    private func each<Value: Sendable>(
        _ events: [UnlocatedEvent],
        _ body: @escaping @Sendable (EventPlaces, UnlocatedEvent) throws(GazetteerError) -> Value
    ) async -> Result<[Value], GazetteerError>? {
        await onQueue { handle -> Result<[Value], GazetteerError>? in
            guard let places = handle.open?.places else { return nil }
            do throws(GazetteerError) {
                var values: [Value] = []
                for event in events { values.append(try body(places, event)) }
                return .success(values)
            } catch {
                return .failure(error)
            }
        }
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable (CityTableHandle) -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body(self)) } }
    }
}

/// The facts of a table for the log.
struct TableFacts: Sendable, Hashable {
    /// Name of the generation.
    let generation: String
    /// Cities in it.
    let cities: Int
    /// When it was seeded.
    let seeded: Date

    init(_ table: CityTable) {
        generation = table.generation
        cities = table.cityCount
        seeded = table.seeded
    }
}
