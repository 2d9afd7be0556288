public import Foundation

/// Whether all is well: one verdict for each check, the worst first.
public struct HealthReport: Sendable {
    /// How bad it is.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// As it should be.
        case ok
        /// Something is late or wrong, while the rest goes on.
        case warning
        /// Nothing is recorded, or soon nothing can be.
        case failed

        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

        /// The level as JSON has it.
        public var name: String { "\(self)" }
    }

    /// What is looked at; the raw value is its name in JSON and metrics.
    public enum Check: String, Sendable, CaseIterable {
        /// A daemon works on the database, and nothing keeps it from polling.
        case daemon
        /// The database can be read, and has this program's schema.
        case database
        /// Its folder has free space.
        case disk
        /// The clock is not before the last time that a server confirmed.
        case clock
        /// Expired events are removed.
        case truncation
        /// Events are looked up in the city table.
        case cityTable = "city_table"
        /// Geocoding services are asked what waits for them.
        case services
        /// A source has been polled with success lately.
        case source
    }

    /// What came of a check.
    public struct Verdict: Sendable, Hashable {
        /// The check.
        public var check: Check
        /// The source that was looked at, for `Check.source`.
        public var source: String?
        /// What came of it.
        public var level: Level
        /// The facts behind it, in words.
        public var reason: String
        /// From when on it counts as late, or since when; nil where that is no question of time.
        public var lateFrom: Date?
    }

    /// All verdicts, the worst first, otherwise in the order of the checks and of the configuration.
    public let verdicts: [Verdict]

    /// The worst level.
    public var level: Level { verdicts.first?.level ?? .ok }

    /// Judges.
    public init(_ facts: HealthFacts) {
        verdicts = HealthJudge(facts: facts).verdicts.enumerated()
            .sorted { (-$0.element.level.rawValue, $0.offset) < (-$1.element.level.rawValue, $1.offset) }
            .map(\.element)
    }
}
