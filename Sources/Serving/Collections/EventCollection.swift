import Model

/// A collection of the service: events of some categories, or points of interest.
struct EventCollection: Sendable, Hashable {
    /// The name in addresses.
    let id: String
    let title: String
    let words: String
    /// The categories of its events; empty: all.
    let categories: [Model.Category]
    /// Whether it holds points of interest and no events.
    let holdsPoints: Bool

    private init(
        _ id: String, _ title: String, _ words: String, _ categories: [Model.Category] = [], holdsPoints: Bool = false
    ) {
        self.id = id
        self.title = title
        self.words = words
        self.categories = categories
        self.holdsPoints = holdsPoints
    }

    /// The seven collections. Clients such as GDAL ask each of them at opening, so they are few.
    static let all = [
        EventCollection("events", "Events", "All events of all kinds"),
        EventCollection("earthquakes", "Earthquakes", "Earthquakes with magnitude and depth", [.earthquake]),
        EventCollection("volcanic-activity", "Volcanic activity", "Reports of volcanic activity", [.volcano]),
        EventCollection("alerts", "Alerts", "Public warnings with their areas", [.alert]),
        EventCollection("news", "News", "Articles of news feeds, located by their words", [.news]),
        EventCollection("messages", "Messages", "Short messages of people", [.message]),
        EventCollection(
            "volcanoes", "Volcanoes", "Volcanoes as points of interest, with pictures and webcams", holdsPoints: true),
    ]

    /// The collection of this name; nil if there is none.
    static func named(_ id: String) -> EventCollection? { all.first { $0.id == id } }

    /// Whether the event is one of the collection's.
    func contains(_ event: Event) -> Bool {
        !holdsPoints && (categories.isEmpty || categories.contains(event.category))
    }
}
