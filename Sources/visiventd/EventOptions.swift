public import ArgumentParser
import Foundation
import Model
import Reading
public import Store

/// The filter for events.
struct EventOptions: ParsableArguments {
    @Option(help: "Only events of this source; may be repeated.", completion: Completions.sources)
    var source: [String] = []

    @Option(
        help: "Only events of this category, such as earthquake; may be repeated.", completion: Completions.categories)
    var category: [String] = []

    @Option(help: "Only events of this provider; may be repeated.", completion: Completions.providers)
    var provider: [String] = []

    @Option(
        parsing: .unconditional,
        help: "Earliest event time: 2026-03-01, 2026-03-01T10:15:00Z, an age such as 36h or 2w, today, yesterday.")
    var since: String?

    @Option(
        parsing: .unconditional, help: "Latest event time, likewise; a day alone is its beginning.")
    var until: String?

    @Option(
        parsing: .unconditional,
        help: "Only events in the box WEST,SOUTH,EAST,NORTH in degrees; one whose west is above its east crosses 180°.")
    var bbox: String?

    @Option(
        parsing: .unconditional,
        help: """
            Only events around LATITUDE,LONGITUDE (-90…90, -180…360), or around a volcano or city by its name, such as \
            Kilauea or 'La Paz, Bolivia'; with --radius.
            """)
    var near: String?

    @Option(
        parsing: .unconditional, help: "Kilometres for --near. (default: 100.0)",
        transform: { try AreaOptions.kilometres(of: $0) })
    var radius: Double?

    @Option(
        help: """
            Words that must all occur in title, summary, place or author; * at the end of one for any ending. There are no \
            other operators: OR, AND and NOT are words, a leading - or a * elsewhere is punctuation.
            """)
    var text: String?

    @Option(help: "Exact name of the author.")
    var author: String?

    @Option(parsing: .unconditional, help: "Smallest magnitude.", transform: AreaOptions.decimal)
    var minimumMagnitude: Double?

    @Option(help: "Withdrawn events: exclude, include or only.")
    var withdrawn: EventQuery.Withdrawn = .exclude

    @Option(parsing: .unconditional, help: "Largest magnitude.", transform: AreaOptions.decimal)
    var maximumMagnitude: Double?

    @Option(parsing: .unconditional, help: "Smallest depth in kilometres.", transform: AreaOptions.decimal)
    var minimumDepth: Double?

    @Option(parsing: .unconditional, help: "Largest depth in kilometres.", transform: AreaOptions.decimal)
    var maximumDepth: Double?

    @Option(
        help: "Only events located so exactly: point, city, region, country, or some of them as in point,city.",
        completion: Completions.precisions)
    var precision: [String] = []

    @Option(
        help: "Only events located by this text: place, dateline, author, title, summary, distance, or some of them.",
        completion: Completions.evidence)
    var evidence: [String] = []

    @Option(
        help: """
            Only events whose place was found by name, and in this country, such as JP; may be repeated. Of coordinates that \
            a feed gives no country is known.
            """, completion: Completions.countries)
    var country: [String] = []

    @Flag(help: "Only events without a coordinate; some have a shape, by which --bbox and --near find them.")
    var unlocated = false

    @Option(parsing: .unconditional, help: "Earliest time of the last change, as for --since.")
    var changedSince: String?

    func validate() throws {
        if radius != nil, near == nil { throw ValidationError("--radius does nothing without --near") }
        _ = try query(now: Date())
    }

    /// The query; ages are relative to `now`. Of `--near` with a name it has nothing (`DatabaseOptions.opened`).
    func query(now: Date) throws -> EventQuery {
        for name in category where name.isEmpty || name.contains(",") {
            throw ValidationError("--category takes one category, found '\(name)'; repeat the option for each")
        }
        if let text, !SearchText.hasWord(text) {
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
        query.box = try bbox.map(AreaOptions.box)
        if let near {
            let kilometres = try AreaOptions.kilometres(radius)
            query.near = try AreaOptions.centre(near).map { EventQuery.Circle(centre: $0, kilometres: kilometres) }
        }
        query.text = text
        query.author = author
        query.minimumMagnitude = minimumMagnitude
        query.withdrawn = withdrawn
        query.maximumMagnitude = maximumMagnitude
        query.minimumDepth = minimumDepth
        query.maximumDepth = maximumDepth
        try Self.check(minimumMagnitude, maximumMagnitude, "magnitude")
        try Self.check(minimumDepth, maximumDepth, "depth")
        query.precisions = try Self.words(precision, "--precision")
        query.evidence = try Self.words(evidence, "--evidence")
        query.countries = try country.map { try AreaOptions.country($0) }
        let ofPlaces = [("--precision", precision), ("--evidence", evidence), ("--country", country)]
        if unlocated, let (name, _) = ofPlaces.first(where: { !$0.1.isEmpty }) {
            throw ValidationError("--unlocated leaves nothing to \(name)")
        }
        if unlocated { query.isLocated = false }
        query.changedSince = try changedSince.map { try Self.date($0, "--changed-since", now) }
        return query
    }

    /// A note on `--text` if one of its words looks like an operator; the only one is `*` at the end of a word.
    var noteOnText: String? {
        let words = text?.split(whereSeparator: \.isWhitespace) ?? []
        let found = words.first { word in
            guard SearchText.hasWord(word) else { return false }
            let hasStarWithin = word.drop(while: { $0 != "*" }).contains(where: { $0 != "*" })
            return hasStarWithin || word.hasPrefix("-") || word == "OR" || word == "AND" || word == "NOT"
        }
        return found.map {
            "--text has no operators but * at the end of a word: '\($0)' is a word like the others, and all must occur"
        }
    }

    private static func check(_ least: Double?, _ most: Double?, _ quantity: String) throws {
        if let least, let most, least > most {
            throw ValidationError("--minimum-\(quantity) \(least) is above --maximum-\(quantity) \(most)")
        }
    }

    /// The values that comma-separated lists of words name.
    private static func words<Value: RawRepresentable<String> & CaseIterable>(
        _ lists: [String], _ name: String
    ) throws -> [Value] {
        try lists.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { word in
            guard let value = Value.allCases.first(where: { $0.rawValue == word }) else {
                let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("\(name) takes \(known), found '\(word)'")
            }
            return value
        }
    }

    /// Parses a time, an age before `now`, or a word for a time.
    static func date(_ text: String, _ name: String, _ now: Date) throws -> Date {
        let today = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
        switch text {
        case "now": return now
        case "today": return today
        case "yesterday": return today - 86_400
        default: break
        }
        if let date = DateReader.rfc3339(text) { return date }
        // Milliseconds since 1970 as in the database, from 1973 on; 12 or 13 digits are neither seconds nor a year.
        if (12...13).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let milliseconds = Int64(text)
        {
            return Date(milliseconds: milliseconds)
        }
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        if let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()), number.isFinite,
            number >= 0
        {
            return now.addingTimeInterval(-number * unit)
        }
        throw ValidationError(
            "\(name) takes a date such as 2026-03-01, a time such as 2026-03-01T10:15:00Z, an age such as 36h or 2w, today, "
                + "yesterday or now, or milliseconds since 1970, found '\(text)'")
    }
}

extension EventQuery.Withdrawn: ExpressibleByArgument {}
