import Dispatch
import Foundation
import Gazetteer
import Model
import Synchronization

/// Keeps the newest generation of the city table open, on a thread of its own.
///
/// `@unchecked` because the table is reached on its serial queue only.
final class CityTableHandle: @unchecked Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "visiventd.locate")
    private var open: (table: CityTable, places: EventPlaces)?

    init(path: String) { self.path = path }

    /// What is known of the table without a look at its content.
    enum State: Sendable {
        /// The generation that is open, and whether it has just been opened.
        case ready(TableFacts, isNew: Bool)
        /// There is none, or none that can be read.
        case unavailable(GazetteerError)
    }

    /// Opens the table, or the newer one that has taken its place.
    func refresh() async -> State {
        await onQueue { handle in
            if let open = handle.open, open.table.isCurrent { return .ready(TableFacts(open.table), isNew: false) }
            do throws(GazetteerError) {
                let table = try CityTable(path: handle.path)
                handle.open = (table, EventPlaces(table, resolver: Resolver(table)))
                return .ready(TableFacts(table), isNew: true)
            } catch {
                // A table that is open goes on answering while a damaged or removed one lies in its place.
                if let open = handle.open { return .ready(TableFacts(open.table), isNew: false) }
                return .unavailable(error)
            }
        }
    }

    /// What the table makes of events; nil when there is none.
    func locate(_ events: [UnlocatedEvent]) async -> Result<[LocalOutcome], GazetteerError>? {
        await onQueue { handle -> Result<[LocalOutcome], GazetteerError>? in
            guard let places = handle.open?.places else { return nil }
            do throws(GazetteerError) {
                var outcomes: [LocalOutcome] = []
                for event in events { outcomes.append(try places.outcome(for: event)) }
                return .success(outcomes)
            } catch {
                return .failure(error)
            }
        }
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable (CityTableHandle) -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body(self)) } }
    }
}

/// What the log and `status` say of a table.
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
