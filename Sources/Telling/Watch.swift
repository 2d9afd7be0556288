public import Model

/// What someone wants to be told, and where.
public struct Watch: Sendable, Hashable {
    /// Its name in the configuration, unique.
    public var name: String
    /// Which events it accepts.
    public var filter: WatchFilter
    /// Older events are passed over, by event time, else by first sight; default 24 h.
    public var maximumAge = Duration.seconds(86_400)
    /// Which changes of an announced event are told; default 0.3 and 20 km, nil: none but its end and its return.
    public var significance: Significance? = Significance()
    /// When nothing is told; nil, the default: never.
    public var quiet: QuietHours?
    /// The title of its messages; nil: by the words of the program.
    public var title: Template?
    /// The text of its messages; nil: by the words of the program.
    public var body: Template?
    /// The names of its targets.
    public var targets: [String]
    /// Whether it tells of trouble of the program in place of events; default false.
    public var isHealth = false

    /// Creates a watch with unchecked values.
    public init(name: String, filter: WatchFilter = WatchFilter(), targets: [String], isHealth: Bool = false) {
        (self.name, self.filter, self.targets, self.isHealth) = (name, filter, targets, isHealth)
    }
}

/// The conditions of a watch; an event must meet all that are set.
public struct WatchFilter: Sendable, Hashable {
    /// A circle on the sphere, its edge included.
    public struct Circle: Sendable, Hashable {
        /// The centre, WGS 84 degrees.
        public var centre: Coordinate
        /// The radius in kilometres.
        public var kilometres: Double
        /// The name of the centre for people; nil: none.
        public var name: String?

        /// Creates a circle with unchecked values.
        public init(centre: Coordinate, kilometres: Double, name: String? = nil) {
            (self.centre, self.kilometres, self.name) = (centre, kilometres, name)
        }
    }

    /// Names of sources, one of which shows the event; empty: all.
    public var sources: [String] = []
    /// Providers, one of which is the event's; empty: all.
    public var providers: [String] = []
    /// Categories, one of which is the event's; empty: all.
    public var categories: [Model.Category] = []
    /// The smallest magnitude; excludes events without one. Nil: any.
    public var minimumMagnitude: Double?
    /// Where the event is; nil: anywhere.
    public var near: Circle?
    /// Where the event is; nil: anywhere.
    public var box: BoundingBox?
    /// Words of which title or summary contain one; nil: any text.
    public var keywords: KeywordFilter?
    /// The least severity of an alert; nil: any.
    public var minimumSeverity: Severity?
    /// The least colour of an estimate of losses; nil: any.
    public var minimumColour: AlertColour?
    /// Whether only events with a possible tsunami match; default false.
    public var needsTsunami = false
    /// The least confidence in a place that was found by name; default 0.85.
    public var minimumConfidence = 0.85

    /// Creates a filter that accepts everything.
    public init() {}

    /// Names the conditions; another fingerprint makes a watch a new one, which begins silently.
    public var fingerprint: String {
        let area = [
            near.map { "\($0.centre.latitude) \($0.centre.longitude) \($0.kilometres)" },
            box.map { "\($0.west) \($0.south) \($0.east) \($0.north)" },
        ].map { $0 ?? "" }
        let levels = "\(minimumSeverity?.word ?? "") \(minimumColour?.word ?? "") \(needsTsunami)"
        let lists = [sources, providers, categories.map(\.rawValue), keywords?.words ?? []]
        let numbers = ["\(minimumMagnitude ?? -99)", levels, "\(minimumConfidence)"]
        let parts = lists.map { $0.joined(separator: "\u{1}") } + area + numbers
        return FNV64.hex(parts.joined(separator: "\u{2}"))
    }
}
