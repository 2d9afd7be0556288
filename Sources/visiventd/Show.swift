import ArgumentParser
import Foundation
import Gazetteer
import Model
import Operations
import Presenting
import Reading
import Store

/// `visiventd show`
struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show one event: its sources, its history, and how its place is known.",
        discussion: """
            ID is the event's public id, as in the column ID of visiventd events. The id of an event that was merged into \
            another one leads to the other. Of many revisions the first and the latest nineteen are kept. Where the new \
            value of a change is not known, its old one is shown alone. Numbers are rounded to four digits behind the point; \
            --json has them as they are stored. With a city table the nearest cities are shown, and for an earthquake of \
            magnitude 4.5 or more and for volcanic activity the people who live within 50 and 100 km: at least, in the \
            cities of the table.

            Examples:
              visiventd show 7r3k0mz2v9q4w8xd
              visiventd show --json 7r3k0mz2v9q4w8xd
            """)

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Argument(help: "The event's public id.")
    var id: String

    func run() async throws {
        try await reporting(database.hints) {
            let settings = try database.settings()
            let store = try EventStore(path: settings.database, mode: .readOnly)
            guard let details = try store.details(of: id) else { throw try store.complain(ofMissing: id) }
            let around = Self.citiesAround(details.stored, tableAt: settings.gazetteer.path)
            var output = Output()
            if json {
                output.json(around?.added(to: details.json) ?? details.json)
            } else {
                let width = Terminal.width
                for line in TextPage.wrapped(Terminal.safe(details.stored.event.title), columns: width) {
                    output.line("", headed: Terminal.styled(line, "1"))
                }
                for line in EventPage(details, around, width: width).page.lines {
                    output.line(line.text, headed: line.heading)
                }
            }
            output.flush()
        }
    }

    /// What the city table tells; nil without one. One that cannot be read is said on standard error.
    private static func citiesAround(_ event: StoredEvent, tableAt path: String) -> CitiesAround? {
        do {
            return try event.citiesAround(in: MapPlaces(path: path))
        } catch {
            if (error as? GazetteerError)?.code != .notSeeded { Terminal.printError("visiventd: \(error)") }
            return nil
        }
    }
}

/// An event with all its stored details, as lines for people.
private struct EventPage {
    private(set) var page: TextPage
    private let details: EventDetails
    private let around: CitiesAround?
    private var event: Event { details.stored.event }

    /// - Parameter width: Columns of the terminal; nil without one.
    init(_ details: EventDetails, _ around: CitiesAround?, width: Int?) {
        page = TextPage(width: width)
        self.details = details
        self.around = around
        addIdentity()
        addContent()
        addPlace()
        addPast()
    }

    // MARK: What it is

    private mutating func addIdentity() {
        let others = event.aliases.isEmpty ? "" : ", also " + event.aliases.joined(separator: ", ")
        page.add("Id", details.stored.publicID)
        if let withdrawal = details.stored.withdrawal {
            page.add("Withdrawn", "\(withdrawal.reason) at \(withdrawal.at.wholeSeconds): \(withdrawal.evidence)")
        }
        if details.stored.isErased { page.add("", "The provider has deleted its words; they are erased.") }
        page.add("Provider", "\(event.provider) \(event.id)\(others)")
        for id in details.mergedIDs { page.add("Merged", "\(id) was the same event, and leads here") }
    }

    private mutating func addContent() {
        let stored = details.stored
        let origin = stored.hasFeedTime ? "as the feed has it" : "its first sight; the feed gives no usable time"
        page.add("Time", "\((event.time ?? stored.firstSeen).rfc3339), \(origin)")
        page.add("Updated", event.updated.map { "\($0.rfc3339), by the provider" })
        page.add("Ends", event.expires?.rfc3339)
        page.add("Category", event.category.rawValue)
        page.add("Magnitude", event.magnitude.map(Self.number))
        page.add("Depth", event.depth.map { "\(Self.number($0)) km" })
        page.add("Status", event.status)
        page.add("Text", event.summary)
        page.add("Language", event.language)
        page.add("Link", event.link, isWhole: true)
        page.add("Author", event.author?.name)
        page.add("", event.author?.link, isWhole: true)
    }

    // MARK: Where it is

    private mutating func addPlace() {
        page.add("Place", event.place)
        if let location = event.location {
            let numbers = [location.coordinate.latitude, location.coordinate.longitude].map(Self.number)
            let country = location.country.map { ", \($0)" } ?? ""
            let radius = location.radius.map { ", within about \(Self.number($0)) km" } ?? ""
            page.add("Where", "\(numbers.joined(separator: ", ")) (\(location.precision.rawValue)\(country)\(radius))")
            page.add("Known by", Self.origin(of: location))
        } else {
            page.add("Where", "not known")
        }
        for (index, words) in (around?.words ?? []).enumerated() { page.add(index == 0 ? "Nearby" : "", words) }
        page.add("People", around?.exposure?.words)
        page.add("Corrected", details.correction.map { "by \($0.user) at \($0.at.wholeSeconds)" })
        if let search = details.search {
            page.add("Search", Self.words(of: search))
            for miss in search.misses {
                page.add(
                    "",
                    "\(miss.provider) said at \(miss.at.wholeSeconds): \(miss.reason); believed until "
                        + miss.until.wholeSeconds)
            }
        }
        guard let geometry = event.geometry else { return }
        guard let shape = Self.summary(ofShape: geometry) else { return page.add("Shape", "cannot be read") }
        page.add("Shape", shape.words + (shape.area.map { ", about \(Self.area($0)) km²" } ?? ""))
        if let box = shape.box {
            let edges = [box.west, box.south, box.east, box.north].map { $0.shown(digits: 3...3) }
            page.add("", "box \(edges.joined(separator: ","))")
        }
    }

    private static func summary(ofShape geoJSON: String) -> ShapeSummary? {
        GeoJSONShape(geoJSON, droppingHeights: true).flatMap { ShapeSummary($0) }
    }

    private static func origin(of location: Location) -> String {
        var parts: [String] = []
        switch location.method {
        case .coordinates: parts.append("the feed's coordinates")
        case .circle: parts.append("the middle of the feed's circle")
        case .polygon: parts.append("the middle of the feed's polygon")
        case .line: parts.append("the middle of the feed's line")
        case .box: parts.append("the middle of the feed's box")
        case .gazetteer: parts.append("the city table")
        case .mapquest: parts.append("MapQuest")
        case .nominatim: parts.append("Nominatim")
        case .operator: parts.append("the operator")
        case .unknown(let word): parts.append(word)
        }
        if let text = location.matchedText {
            parts.append("\"\(text)\"" + (location.name.map { " (\($0))" } ?? ""))
        } else if let name = location.name {
            parts.append(name)
        }
        switch location.evidence {
        case .place: parts.append("the place in the feed's words")
        case .dateline: parts.append("in the dateline")
        case .author: parts.append("where the author says to be")
        case .title: parts.append("in the title")
        case .summary: parts.append("in the text")
        case .distance: parts.append("at a distance from a town")
        case .unknown(let word): parts.append("in the \(word)")
        case nil: break
        }
        if location.confidence < 1 { parts.append("confidence " + String(format: "%.2f", location.confidence)) }
        if let id = location.placeID { parts.append(id) }
        return parts.joined(separator: ", ")
    }

    private static func words(of search: EventDetails.Search) -> String {
        let place = search.placeText.map { " \"\($0)\"" } ?? ""
        let words =
            switch search.state {
            case "new": "waits to be looked up"
            case "asked": "a service is to be asked for" + place
            default: "no place is known for" + place + (search.reason.map { ": \($0)" } ?? "")
            }
        return "\(words), since \(search.since.wholeSeconds)"
    }

    // MARK: What it was

    private mutating func addPast() {
        let stored = details.stored
        for (index, sighting) in details.sources.enumerated() {
            let missing = sighting.missingSince.map { ", missing since \($0.wholeSeconds)" } ?? ""
            page.add(
                index == 0 ? "Sources" : "", "\(sighting.source), first at \(sighting.firstSeen.wholeSeconds)\(missing)"
            )
        }
        if details.sources.isEmpty { page.add("Sources", "none shows it any more") }
        let doubt = stored.isFirstSeenProvisional ? ", by a clock that may have been wrong" : ""
        page.add("History", "1: \(stored.firstSeen.wholeSeconds), first seen\(doubt)")
        var last = 1
        for revision in details.changes {
            addGap(from: last, to: revision.revision)
            page.add("", Self.words(of: revision))
            last = revision.revision
        }
        addGap(from: last, to: stored.revision + 1)
    }

    private mutating func addGap(from last: Int, to next: Int) {
        let count = next - last - 1
        if count > 0 { page.add("", "…: \(count.counted("revision")) that \(count == 1 ? "is" : "are") not kept") }
    }

    private static func words(of revision: RevisionChanges) -> String {
        var parts = revision.changes.compactMap { $0.words.map { "\($0.name) \($0.values)" } }
        if let id = revision.mergedID { parts.insert("\(id) turned out to be the same event", at: 0) }
        if parts.isEmpty { parts = ["a change too small to show"] }
        let source = revision.source.map { " \($0):" } ?? ""
        return "\(revision.revision): \(revision.at.wholeSeconds),\(source) \(parts.joined(separator: "; "))"
    }

    // MARK: Numbers

    /// A number in at most four decimals; a coordinate is then exact to 11 m.
    private static func number(_ value: Double) -> String { value.shown(digits: 0...4) }

    /// An area in three digits.
    private static func area(_ value: Double) -> String {
        guard value >= 10 else { return String(format: "%.1f", value) }
        let unit = pow(10, max(0, log10(value).rounded(.down) - 2))
        return String(format: "%.0f", (value / unit).rounded() * unit)
    }
}

/// Labelled fields in rows; the texts are wrapped to the terminal.
private struct TextPage {
    /// The lines: a heading that is safe to show, and a text that may not be.
    private(set) var lines: [(heading: String, text: String)] = []
    /// Columns for the texts; nil: unlimited.
    private let columns: Int?

    /// Columns of a label and the gap after it.
    private static let labelColumns = 11

    init(width: Int?) { columns = width.map { max(20, $0 - Self.labelColumns) } }

    /// Adds a field; a missing or empty text is left out.
    /// - Parameters:
    ///   - label: The label; empty continues the field before.
    ///   - isWhole: Whether the text must not be wrapped, such as an address to be copied.
    mutating func add(_ label: String, _ text: String?, isWhole: Bool = false) {
        guard let text, !text.isEmpty else { return }
        var label = label
        for paragraph in text.split(whereSeparator: \.isNewline) {
            for line in Self.wrapped(Terminal.safe(String(paragraph)), columns: isWhole ? nil : columns) {
                let gap = String(repeating: " ", count: max(1, Self.labelColumns - label.count))
                lines.append((heading: (label.isEmpty ? "" : Terminal.styled(label, "2")) + gap, text: line))
                label = ""
            }
        }
    }

    /// The text in lines of at most `columns`, broken between words, and within longer words.
    static func wrapped(_ text: String, columns: Int?) -> [String] {
        guard let columns else { return [text] }
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ") {
            if used > 0, used + 1 + word.unicodeScalars.columns > columns {
                lines.append(line)
                (line, used) = ("", 0)
            }
            if used > 0 {
                line += " "
                used += 1
            }
            for character in word {
                let width = character.unicodeScalars.columns
                if used > 0, used + width > columns {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                line.append(character)
                used += width
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
