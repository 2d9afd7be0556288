public import Model

/// The course of one look-up in the city table, beside the scheduler's other actions.
///
/// A value: the shell, or a simulation, carries out `step` and hands the outcome to `handle`, until the end. Questions
/// are reopened first if that is due. Then all waiting events are looked up, batch by batch. If that asked new questions,
/// the questions are reopened once more, because that closes those that nobody is left to answer: without a service, or
/// with kept misses of all services.
public struct LookUp: Sendable {
    /// The most events looked up and stored at a time. A poll's write waits for one batch at most.
    public static let batch = 256

    /// A step that is asked of the shell. Each but `end` is answered by one outcome, its own or `failed`.
    public enum Step: Sendable, Hashable {
        /// Reopen questions whose answers have expired or for which there is a new service, and close those that no
        /// service is left to answer. Answered by `reopened`.
        case reopen
        /// Open the newest generation of the city table. Answered by `opened`.
        case open
        /// Look up the next events that this generation has not looked up, `batch` at most, and store the outcomes.
        /// The name covers the sources' settings, too. Answered by `located`.
        case locate(generation: String)
        /// The look-up has ended; `GeocodeInput.lookedUp` with these values follows.
        case end(mayHaveAsked: Bool, hasFailed: Bool)
    }

    /// The outcome of a step; one that answers another step changes nothing.
    public enum Outcome: Sendable, Hashable {
        /// The questions were reopened and closed.
        case reopened
        /// The table was opened, or is open already; nil: there is none.
        case opened(generation: String?)
        /// So many events waited, 0…`batch`, and so many of them have a question for the services now.
        case located(events: Int, asked: Int)
        /// The table or the store failed.
        case failed
    }

    /// The step to carry out next.
    public private(set) var step: Step

    private let settings: String
    private let batch: Int
    /// Whether this look-up has asked questions.
    private var hasAsked = false
    /// Whether the services may have a question. Those stored before a failure count, too.
    private var mayHaveAsked = false

    /// Creates a look-up.
    /// - Parameters:
    ///   - reopening: Whether questions are reopened first.
    ///   - settings: The name of the sources' settings (`settingsName`).
    ///   - batch: The most events located at a time.
    public init(reopening: Bool, settings: String, batch: Int = LookUp.batch) {
        step = reopening ? .reopen : .open
        self.settings = settings
        self.batch = batch
    }

    /// The name of the settings that concern places, a hash. When it changes, events without a coordinate are looked up
    /// again.
    /// - Parameter least: The least confidence of a place; the default does not change the name.
    public static func settingsName(
        of sources: [SourceSettings], least: Double = Location.leastConfidence
    ) -> String {
        var names = sources.map { source in
            let words = source.notPlaces.sorted().map { " not \($0)" }.joined()
            return "\(source.name) \(source.home.code ?? "") \(source.isGeocoded)\(words)"
        }
        if least != Location.leastConfidence { names.append("least \(least)") }
        return FNV64.hex(names.sorted().joined(separator: "\n"))
    }

    /// The name of what events are looked up in: the city table's, and that of the seeded volcanoes if there are any. When
    /// it changes, events without a coordinate are looked up again.
    public static func generation(table: String, volcanoes: String?) -> String {
        volcanoes.map { "\(table)-\($0)" } ?? table
    }

    /// The sources whose home is to be learned before these events are looked up, sorted by name: those of events other
    /// than messages that have no home in their settings and whose places are sought.
    public static func learners(among events: [UnlocatedEvent], _ settings: [String: SourceSettings]) -> [String] {
        var names: Set<String> = []
        for event in events where event.category != Category.message.rawValue {
            guard let source = settings[event.source], source.isGeocoded, source.home.country == nil else { continue }
            names.insert(event.source)
        }
        return names.sorted()
    }

    /// The events with the learned homes of their sources.
    public static func knowing(_ homes: [String: PlaceContext], _ events: [UnlocatedEvent]) -> [UnlocatedEvent] {
        events.map { event in
            var event = event
            event.home = homes[event.source] ?? PlaceContext()
            return event
        }
    }

    /// Takes the outcome of `step`, which then is the next one.
    public mutating func handle(_ outcome: Outcome) {
        switch (step, outcome) {
        case (.end, _): break
        case (_, .failed): end(hasFailed: true)
        case (.reopen, .reopened):
            // Jobs from earlier runs may wait, too.
            mayHaveAsked = true
            if hasAsked { end() } else { step = .open }
        case (.open, .opened(let generation?)): step = .locate(generation: "\(generation)-\(settings)")
        case (.open, .opened(nil)): end()
        case (.locate, .located(let events, let asked)):
            if asked > 0 { (hasAsked, mayHaveAsked) = (true, true) }
            // Events that come from here on begin a look-up of their own.
            guard events < batch else { return }
            if hasAsked { step = .reopen } else { end() }
        default: break
        }
    }

    private mutating func end(hasFailed: Bool = false) {
        step = .end(mayHaveAsked: mayHaveAsked, hasFailed: hasFailed)
    }
}
