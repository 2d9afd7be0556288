import Gazetteer
import Model
import Presenting
import Store

/// One item as a page for people: a table of what it has, with the meaning of each property.
enum ItemPage {
    /// The page of an event.
    /// - Parameter isExact: Whether an earlier state is known exactly; nil for the present one.
    static func page(_ stored: StoredEvent, isExact: Bool?, _ around: CitiesAround?, _ links: [Link]) -> String {
        var rows = EventProperty.all.map { row($0.name, $0.value(of: stored), $0.format, $0.words) }
        if let isExact {
            rows.append(row("exact", .text("\(isExact)"), nil, "Whether this is exactly the state of then"))
        }
        return page(stored.event.title, rows + Self.rows(around), links)
    }

    /// The page of a point of interest.
    static func page(_ stored: StoredPoint, _ around: CitiesAround?, _ links: [Link]) -> String {
        let rows = PointOfInterest.properties.map { property in
            row(property.name, property.value(of: stored.point, stored.row), property.format, property.words)
        }
        return page(stored.point.name, rows + Self.rows(around), links)
    }

    private static func rows(_ around: CitiesAround?) -> [String] {
        guard let around else { return [] }
        let cities = around.nearest.map(\.words).joined(separator: "; ")
        return [
            row("derived_place", around.derivedPlace.map { .text($0) }, nil, "The place in this service's own words"),
            row("nearest_cities", .text(cities), nil, "The nearest cities; \(around.attribution)"),
            row("exposure", around.exposure.map { EventProperty.Value.text($0.words) }, nil, "People who live near"),
        ]
    }

    private static func page(_ title: String, _ rows: [String], _ links: [Link]) -> String {
        let head = HTMLPage.row(["Property", "Value", "Meaning"], "th")
        return HTMLPage.page(title, "<table>\n" + head + rows.joined() + "</table>\n" + HTMLPage.list(links))
    }

    /// The row of a property; empty without a value, and for a shape, which is long and says nothing to people.
    private static func row(
        _ name: String, _ value: EventProperty.Value?, _ format: String?, _ words: String
    ) -> String {
        guard let text = value?.cell, !text.isEmpty, name != "geometry" else { return "" }
        let shown = format == "uri" ? HTMLPage.anchor(text, text) : HTMLPage.escaped(text)
        return HTMLPage.row([name, shown, HTMLPage.escaped(words)])
    }
}
