public import ArgumentParser
import Foundation
import Model
import Reading
public import Store

/// Which events are wanted.
struct EventOptions: ParsableArguments {
    @ArgumentParser.Option(help: "Only events of this source; may be repeated.", completion: Completions.sources)
    var source: [String] = []

    @ArgumentParser.Option(
        help: "Only events of this category, such as earthquake; may be repeated.", completion: Completions.categories)
    var category: [String] = []

    @ArgumentParser.Option(help: "Only events of this provider; may be repeated.")
    var provider: [String] = []

    @ArgumentParser.Option(
        parsing: .unconditional,
        help: "Earliest event time: 2026-03-01, 2026-03-01T10:15:00Z, or an age such as 36h.")
    var since: String?

    @ArgumentParser.Option(
        parsing: .unconditional, help: "Latest event time, likewise; a day alone is its beginning.")
    var until: String?

    @ArgumentParser.Option(
        parsing: .unconditional,
        help: "Only events in the box WEST,SOUTH,EAST,NORTH in degrees; west of east crosses 180°.")
    var bbox: String?

    @ArgumentParser.Option(parsing: .unconditional, help: "Only events around LATITUDE,LONGITUDE; with --radius.")
    var near: String?

    @ArgumentParser.Option(
        parsing: .unconditional, help: "Kilometres for --near. (default: 100.0)",
        transform: { try Surroundings.kilometres(of: $0) })
    var radius: Double?

    @ArgumentParser.Option(
        help: "Words that must all occur in title, summary, place or author; * at the end for any ending.")
    var text: String?

    @ArgumentParser.Option(help: "Exact name of the author.")
    var author: String?

    @ArgumentParser.Option(
        parsing: .unconditional, help: "Smallest magnitude.",
        transform: { try Surroundings.number($0, "a number with a point, such as 5.5") })
    var minimumMagnitude: Double?

    @ArgumentParser.Option(help: "Withdrawn events: exclude, include or only.")
    var withdrawn: EventQuery.Withdrawn = .exclude

    func validate() throws {
        if radius != nil, near == nil { throw ValidationError("--radius does nothing without --near") }
        _ = try query(now: Date())
    }

    /// The query, with ages counted from `now`.
    func query(now: Date) throws -> EventQuery {
        for name in category where name.contains(",") {
            throw ValidationError("--category takes one category, found '\(name)'; repeat the option for each")
        }
        if let text, !text.isEmpty, !text.contains(where: { $0.isLetter || $0.isNumber }) {
            throw ValidationError("--text takes words, * at the end of one for any ending, found '\(text)'")
        }
        var query = EventQuery()
        query.sources = source
        query.categories = category.map(Model.Category.init(rawValue:))
        query.providers = provider
        query.since = try since.map { try Self.date($0, "--since", now) }
        query.until = try until.map { try Self.date($0, "--until", now) }
        if let since, let until, let first = query.since, let last = query.until, first > last {
            throw ValidationError("--since \(since) is later than --until \(until)")
        }
        query.box = try bbox.map(Surroundings.box)
        if let near {
            query.near = EventQuery.Circle(
                centre: try Surroundings.centre(near), kilometres: try Surroundings.kilometres(radius))
        }
        query.text = text
        query.author = author
        query.minimumMagnitude = minimumMagnitude
        query.withdrawn = withdrawn
        return query
    }

    private static func date(_ text: String, _ name: String, _ now: Date) throws -> Date {
        if let date = DateReader.rfc3339(text) { return date }
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        if let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()), number >= 0 {
            return now.addingTimeInterval(-number * unit)
        }
        throw ValidationError(
            "\(name) takes a date such as 2026-03-01, a time such as 2026-03-01T10:15:00Z or an age such as 36h, "
                + "found '\(text)'")
    }
}

extension EventQuery.Withdrawn: ExpressibleByArgument {}
