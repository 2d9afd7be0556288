package import Foundation
package import Gazetteer
package import Model

/// The table of places as look-ups use it: the city table of the machine, or a simulation's.
package protocol PlaceTable: Sendable {
    /// The path of its file, for the log.
    var path: String { get }

    /// The name of the list of volcanoes in use (`EventStore.pointsGeneration`); nil: none.
    func volcanoesInUse() async -> String?

    /// Opens the table, or the newer one that has replaced it. An open table stays in use if a damaged one replaces it,
    /// or if it is removed.
    /// - Parameter volcanoes: The seeded list with its name; nil: the one in use stays.
    func refresh(volcanoes: (name: String?, points: [PointOfInterest])?) async -> PlaceTableState

    /// The votes of events of a source for its home, in order. Nil if there is no table.
    /// - Parameter address: The country of the address of the source; nil: unknown.
    func homeVotes(of events: [UnlocatedEvent], address: String?) async -> Result<[[String: Double]], GazetteerError>?

    /// Looks up events; one outcome for each, in order. Nil if there is no table.
    func locate(_ events: [UnlocatedEvent]) async -> Result<[LocalOutcome], GazetteerError>?

    /// Whether words that name no places led to the places of events; in order. Nil if there is no table.
    /// - Parameter events: As `EventStore.placedByName` returns them, with their sources' `notPlaces`.
    func comeFromNoPlaces(_ events: [UnlocatedEvent]) async -> Result<[Bool], GazetteerError>?

    /// Watches for a newer table until the watcher is released; nil: none ever comes.
    func watch(_ time: TimeSource, onEdit: @escaping @Sendable () -> Void) -> FileWatcher?
}

/// The availability of a table, without its content.
package enum PlaceTableState: Sendable {
    /// The facts of the open generation, and whether it was just opened.
    case ready(TableFacts, isNew: Bool)
    /// There is no table, or none that can be read.
    case unavailable(GazetteerError)
}

/// The facts of a table for the log.
package struct TableFacts: Sendable, Hashable {
    /// Name of the generation.
    package let generation: String
    /// Cities in it.
    package let cities: Int
    /// When it was seeded.
    package let seeded: Date

    /// Creates facts with these values.
    package init(generation: String, cities: Int, seeded: Date) {
        self.generation = generation
        self.cities = cities
        self.seeded = seeded
    }

    init(_ table: CityTable) {
        self.init(generation: table.generation, cities: table.cityCount, seeded: table.seeded)
    }
}
