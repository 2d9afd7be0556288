import ArgumentParser
import Feeds
import Foundation
import Gazetteer
import Model

/// A capture of a feed as an argument: its kind and its path, `usgs=all_week.geojson`.
struct CaptureFile: ExpressibleByArgument {
    /// The kind of feed, as in a configuration: `usgs`, `cap`, `kml`, `rss`, `twitter`.
    let kind: String
    /// The path of the file.
    let path: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map { String($0) }
        guard parts.count == 2 else { return nil }
        (kind, path) = (parts[0], parts[1])
    }

    /// The file's name without its folder.
    var name: String { path.split(separator: "/").last.map { String($0) } ?? path }

    /// The events of the capture; none if its kind refuses it.
    /// - Throws: `CocoaError` if it cannot be read, `ValidationError` for an unknown kind.
    func events() throws -> [Event] {
        var settings = SourceSettings(name: "capture", kind: kind, url: "file:/capture")
        guard let type = FeedRegistry.all.first(where: { $0.kind.name == kind }) else {
            throw ValidationError("no kind of feed is called '\(kind)'")
        }
        for option in type.kind.options { settings.options[option.key] = option.defaultValue }
        let body = try Data(contentsOf: URL(fileURLWithPath: path))
        let response = FeedResponse(request: FeedRequest(url: settings.url), body: body)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        return (try? type.init(settings).decode(response, for: PollContext(now: now)))?.events ?? []
    }
}

extension UnlocatedEvent {
    /// The texts of an event; its coordinate is left out.
    init(_ event: Event) {
        let evidence = [PlaceEvidence.author, .dateline].first {
            event.details.contains("\"place_from\":\"\($0.rawValue)\"")
        }
        self.init(
            category: event.category.rawValue, place: event.place, placeEvidence: evidence ?? .place,
            title: event.title, summary: event.summary, language: event.language)
    }
}

/// Lists where the events of captures are located by their texts alone, one line each, to compare two versions.
struct CapturePins {
    private let places: EventPlaces

    init(_ places: EventPlaces) { self.places = places }

    func report(_ capture: CaptureFile) throws -> String {
        var lines = ""
        for event in try capture.events() {
            guard case .located(let found) = try places.outcome(for: UnlocatedEvent(event)) else { continue }
            let radius = found.radius.map { String(format: " ±%.0f", $0) } ?? ""
            let point = String(format: "%.3f,%.3f", found.coordinate.latitude, found.coordinate.longitude)
            let away = event.location.map { String(format: "%.0f km", $0.coordinate.distance(to: found.coordinate)) }
            let cells = [
                capture.name, found.precision.rawValue, found.evidence?.rawValue ?? "", found.placeID ?? "",
                point + radius, away ?? "", found.matchedText ?? "", event.title,
            ]
            lines += cells.map { $0.split { $0.isWhitespace }.joined(separator: " ") }.joined(separator: "\t") + "\n"
        }
        return lines
    }
}
