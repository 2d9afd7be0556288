public import Foundation
import Settings

/// The result of `visiventd health`: a verdict for each check, the worst first.
public struct HealthReport: Sendable {
    /// The severity of a verdict; the raw value is that of the metrics, 0…3, and the exit code of monitoring plugins.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// All is as it should be; raw value 0.
        case ok
        /// Something is late or wrong, but the rest continues; raw value 1.
        case warning
        /// Nothing is recorded, or soon nothing can be; raw value 2.
        case failed
        /// It cannot be told, because this user may not look or nothing says where to look; raw value 3.
        case unknown

        /// Whether `a` is less severe: `ok` < `warning` < `unknown` < `failed`.
        public static func < (a: Self, b: Self) -> Bool { a.severity < b.severity }

        private var severity: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .unknown: 2
            case .failed: 3
            }
        }

        /// The name of the level in JSON: `ok`, `warning`, `failed`, `unknown`.
        public var name: String { "\(self)" }
    }

    /// The checks; the raw value is the name in JSON and metrics.
    public enum Check: String, Sendable, CaseIterable {
        /// A daemon uses the database, and nothing keeps it from polling; otherwise `failed`. One that cannot be asked
        /// is a `warning`.
        case daemon
        /// The file's configuration has no faults, and the daemon has not refused it; otherwise `warning`. `unknown` if
        /// nothing says which database it means.
        case configuration
        /// The database can be read and has this program's schema; otherwise `failed`.
        case database
        /// The database's folder has the free space of `disk.minimum_free`; otherwise `failed`.
        case disk
        /// The clock is not more than 10 min before the last trusted time, nor from that of the server that answered
        /// last; otherwise `warning`.
        case clock
        /// Expired events are removed in time; otherwise `warning`.
        case truncation
        /// The city table can be used, and new events are looked up in it within 15 min; otherwise `warning`. `ok`
        /// without a table.
        case cityTable = "city_table"
        /// The file of pictures can be read, if `pictures` names hosts and a daemon runs; otherwise `warning`.
        case pictures
        /// Waiting questions are put to the geocoding services, one in 2 h at least; otherwise `warning`.
        case services
        /// No target of messages has been failing for an hour, and no message has expired in a day; otherwise
        /// `warning`.
        case targets
        /// An enabled source was polled successfully in time, and no part of it has brought nothing for too long;
        /// otherwise `warning`. One verdict a source.
        case source
    }

    /// The result of a check; of `source` one for each enabled source.
    public struct Verdict: Sendable, Hashable {
        /// The check that was made.
        public var check: Check
        /// The name of the source; nil for all checks but `source`.
        public var source: String?
        /// The severity of the result.
        public var level: Level
        /// The facts behind the result, in words for people.
        public var reason: String
        /// Wall time at which the checked action becomes or became late, so that the level is `warning`; nil for checks
        /// without a time.
        public var lateFrom: Date?

        init(_ check: Check, _ level: Level, _ reason: String, source: String? = nil, lateFrom: Date? = nil) {
            (self.check, self.source, self.level, self.reason, self.lateFrom) = (check, source, level, reason, lateFrom)
        }
    }

    /// All verdicts, the worst first; of one level in the order of the checks and of the configuration.
    public let verdicts: [Verdict]

    /// The worst level; `ok` without verdicts.
    public var level: Level { verdicts.first?.level ?? .ok }

    /// Judges the facts by the rules of docs/operations.md. Without a readable database only daemon, configuration,
    /// database and disk are judged; if the daemon has another one open, these without the database. Of a configuration
    /// with faults, the stored sources are judged.
    public init(_ facts: HealthFacts) {
        verdicts = Self.sorted(HealthJudge(facts: facts).verdicts)
    }

    /// Judges what the database alone tells, for a process that knows neither the configuration nor the daemon: whether
    /// polls begin when they are due (check `daemon`), the clock, and the enabled sources.
    /// - Parameters:
    ///   - stored: The facts of the database, its sources as `SourceRecord.planned` gives them.
    ///   - now: Wall time.
    public init(ofRecord stored: HealthFacts.Stored, at now: Date) {
        let facts = HealthFacts(
            now: now, settings: Settings(database: "", sources: []), isRunning: nil, stored: .success(stored),
            freeBytes: nil)
        verdicts = Self.sorted(HealthJudge(facts: facts).verdicts(ofRecord: stored))
    }

    private static func sorted(_ verdicts: [Verdict]) -> [Verdict] {
        verdicts.enumerated()
            .sorted { ($1.element.level, $0.offset) < ($0.element.level, $1.offset) }
            .map(\.element)
    }
}
