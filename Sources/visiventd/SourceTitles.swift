import Foundation
import Gazetteer
import Model
import Reading
import Settings
import Store

/// Reads titles as those of a source's events: with its home, the words that name no places, and the seeded volcanoes.
struct SourceTitles {
    /// The home for people.
    let homeWords: String
    /// The outcome for all events of a source that is not to be located; nil for others.
    private let fixed: LocalOutcome?
    private let event: UnlocatedEvent
    private let context: PlaceContext
    private let cities: CityTable
    private let resolver: Resolver
    private let finder: PlaceFinder
    private let places: EventPlaces

    /// - Throws: An error for a source that is not configured; `StoreError` if the database cannot be read, or if there is
    ///   none from which the home could be learned.
    init(_ name: String, _ settings: Settings, _ cities: CityTable, _ resolver: Resolver) throws {
        guard let source = settings.sources.first(where: { $0.name == name }) else {
            throw settings.noSource(named: name)
        }
        // Without a database there is nothing to learn from, which matters only where the settings give no home.
        let needsStore = source.home.code == nil || FileManager.default.fileExists(atPath: settings.database)
        let store = needsStore ? try EventStore(path: settings.database, mode: .readOnly) : nil
        var learned = LearnedHome()
        if let code = source.home.code {
            homeWords = "\(name): at home in \(code), by its settings"
        } else {
            learned = try store?.sources().first { $0.name == name }?.home ?? LearnedHome()
            let events = learned.events.counted("event")
            homeWords =
                learned.context.code.map { "\(name): at home in \($0), learned from \(events)" }
                ?? "\(name): no home, after \(events)"
        }
        fixed = source.outcomeWithoutTable
        context = source.home.code == nil ? learned.context : source.home
        var latest = EventQuery()
        latest.sources = [name]
        latest.limit = 1
        event = UnlocatedEvent(
            source: name, category: try store?.events(latest).first?.event.category.rawValue ?? Category.news.rawValue,
            title: "", context: source.home, home: learned.context, notPlaces: source.notPlaces)
        self.cities = cities
        self.resolver = resolver
        finder = PlaceFinder(cities, resolver: resolver)
        places = EventPlaces(
            cities, resolver: resolver, volcanoes: try store?.pointsOfInterest().flatMap { $0.spellings } ?? [])
    }

    /// The names in a title that stand as a place's; the title itself, with the reason why it is none, if there are none.
    func names(in title: String) throws -> [GeocodeAnswer] {
        var event = event
        event.title = title
        let read = try places.read(event).title
        let names = try finder.scored(in: read, context: context, language: event.language)
        guard !names.isEmpty else {
            return [
                GeocodeAnswer(
                    text: title, part: title, outcome: .abstained(.unknownName, candidates: []), services: [],
                    regions: cities.regions)
            ]
        }
        return names.map { name in
            GeocodeAnswer(
                text: title, part: String(read[name.range]), outcome: name.outcome, best: name.best, services: [],
                regions: cities.regions)
        }
    }

    /// Where an event of the title would be.
    func event(_ title: String) throws -> EventAnswer {
        var event = event
        event.title = title
        return EventAnswer(text: title, outcome: try fixed ?? places.outcome(for: event))
    }
}

/// Where an event would be by its title.
struct EventAnswer {
    let text: String
    let outcome: LocalOutcome

    /// The line below the title.
    var line: String {
        guard case .located(let location) = outcome else { return "  event        no place: \(reason)" }
        let radius = location.radius.map { String(format: " ±%.0f km", $0) } ?? ""
        let name = location.name.map { " (\($0))" } ?? ""
        return Terminal.safe(
            String(
                format: "  event        %.4f, %.4f ", location.coordinate.latitude, location.coordinate.longitude)
                + "(\(location.precision.rawValue)\(radius)), \(location.placeID ?? ""), "
                + "by '\(location.matchedText ?? "")'\(name), confidence \(GeocodeAnswer.share(location.confidence))")
    }

    var json: String {
        guard case .located(let location) = outcome else {
            return JSONWriter.object(["text": text, "unresolved": reason])
        }
        return JSONWriter.object([
            "text": text, "latitude": location.coordinate.latitude, "longitude": location.coordinate.longitude,
            "precision": location.precision.rawValue, "radius_km": location.radius, "place_id": location.placeID,
            "evidence": location.evidence?.rawValue, "matched_text": location.matchedText, "name": location.name,
            "confidence": (location.confidence * 1000).rounded() / 1000,
        ])
    }

    /// Why there is no place. A title alone is no question to a service.
    private var reason: String {
        if case .unresolved(let reason) = outcome { reason } else { MissingPlace.notNamed.words }
    }
}
