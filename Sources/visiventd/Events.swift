import ArgumentParser
import Foundation
import Model
import Presenting
import Settings
import Store

/// `visiventd events`
struct Events: AsyncParsableCommand {
    /// The order of the output.
    enum Sorting: String, CaseIterable, ExpressibleByArgument {
        case time, magnitude
    }

    static let configuration = CommandConfiguration(
        abstract: "Show stored events, newest first.",
        discussion: """
            Reads beside a running daemon. A time with ? is that of first sight: the feed gives none.

            With --follow it goes on with events as they change, oldest change first, and says what has happened: new, \
            revised, located, withdrawn (with --withdrawn include) or restored. Of an event that has gone, truncated or \
            merged into another, the id comes, whichever events are chosen, since nothing else is left of it.

            With --as-of events come as they were known then, and the conditions apply to what was known. With --revised \
            the revisions of events come in their place, the latest first, each changed field with its old and its new \
            value; --since and --until are then the times at which revisions were stored.

            Examples:
              visiventd events --category earthquake --minimum-magnitude 5 --since 24h
              visiventd events --near -16.5,-68.15 --radius 300 --format ndjson
              visiventd events --near Kilauea --radius 30 --as-of 2026-03-03
              visiventd events --revised --since 24h --category earthquake
              visiventd events --format csv --columns time,magnitude,magnitude_type,magnitude_error,title
              visiventd events --bbox 170,-50,-170,-10 --format geojson > fiji.geojson
              visiventd events --text 'ash plume*' --withdrawn include
              visiventd events --precision point,city --since today --sort magnitude
              visiventd events --before 7r3k0mz2v9q4w8xd
              visiventd events --format gpkg --output events.gpkg
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var filter: EventOptions

    @Option(help: "table, ndjson, geojson, geojsonseq, csv or gpkg, a GeoPackage.")
    var format: EventFormat = .table

    @Option(
        parsing: .unconditional,
        help: "How many at the most; 0 for all. Not with --follow. (default: 50 for a table, all for other formats)",
        transform: { try AreaOptions.wholeNumber($0, "a whole number, 0 for all") })
    var limit: Int?

    @Option(
        help: "Write this file, which is replaced when the new one is whole (not with table).", completion: .file())
    var output: String?

    @Flag(help: "Go on with changed events until interrupted (not with geojson and gpkg).")
    var follow = false

    @Option(
        parsing: .unconditional,
        help: "Events as they were known at this time, which is given as for --since (not with --follow).")
    var asOf: String?

    @Flag(help: "Revisions with old and new values in place of events, the latest first (table, ndjson or csv).")
    var revised = false

    @Option(
        help: "Columns of csv and gpkg, or members of the other formats, such as time,magnitude_type (not with table).",
        completion: .list(EventProperty.all.map(\.name)))
    var columns: [String] = []

    @Option(
        help: "time, the newest first, or magnitude, the largest first (without --before and --after).")
    var sort: Sorting = .time

    @Option(help: "Only events before the one of this public id, further down: the next page.")
    var before: String?

    @Option(
        help: "Only events after this public id: the page above. With --follow: changes after this change_seq.")
    var after: String?

    func validate() throws {
        try OutputFile.check(output, format, isFollowing: follow)
        if follow, format == .geojson {
            throw ValidationError("--follow has no end, so it cannot make one GeoJSON document")
        }
        _ = try chosenColumns()
        if revised { return try validateRevised() }
        if let asOf { try validatePast(asOf) }
        if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more, found \(limit)") }
        if follow, limit != nil { throw ValidationError("--limit does nothing with --follow, which has no end") }
        if follow {
            if before != nil { throw ValidationError("--before does nothing with --follow, which goes on") }
            if sort != .time {
                throw ValidationError("--sort does nothing with --follow, which has the order of changes")
            }
            if let after, Int64(after) == nil {
                throw ValidationError("--after takes a change number with --follow, found '\(after)'")
            }
            return
        }
        if sort != .time, before != nil || after != nil {
            throw ValidationError("--before and --after are pages by time; --sort \(sort.rawValue) has none")
        }
        if let after, after.utf8.count < 16, Int64(after) != nil {
            throw ValidationError(
                "a change number for --after does nothing without --follow; a public id has 16 characters")
        }
        for (name, id) in [("--before", before), ("--after", after)] {
            guard let id, id.utf8.count != 16 else { continue }
            throw ValidationError("\(name) takes a public id, of 16 characters, found '\(id)'")
        }
    }

    func run() async throws {
        try await reporting(database.hints) {
            let now = Date()
            let opened = try database.opened(for: filter, now: now)
            let store = opened.store
            if follow { return try await follow(store, opened.query) }
            if revised { return try showRevisions(store, opened.query) }
            var query = opened.query
            let past = try asOf.map { try PastState(of: Self.moment($0, now: now), filter.source, store) }
            query.order = sort == .time ? .newestFirst : .largestFirst
            query.olderThan = try key(before, past, store)
            query.newerThan = try key(after, past, store)
            if let before, let after, let newest = query.olderThan, let oldest = query.newerThan,
                newest.time < oldest.time || newest == oldest
            {
                throw ValidationError("nothing lies between --before \(before) and --after \(after)")
            }
            if limit == nil, format == .table { return try showFirst(store, query, past) }
            query.limit = limit == 0 ? nil : limit
            var printer = EventPrinter(
                format, to: try file(besides: store), try chosenColumns(), from: query.near?.centre,
                with: past == nil ? nil : .exact)
            if let past {
                try past.forEach(query, from: store) { printer.add($0.stored, isExact: $0.isExact) }
            } else {
                try store.forEach(query) { printer.add($0) }
            }
            printer.finish()
            past?.noteInexact()
        }
    }

    /// The file of `--output`; nil without it.
    func file(besides store: EventStore) throws -> OutputFile? {
        if let output { try database.refuse(replacing: output) }
        return try output.map { try OutputFile($0, besides: store.path) }
    }

    /// The properties of `--columns`, each once; nil without it.
    private func chosenColumns() throws -> [EventProperty]? {
        var chosen: [EventProperty] = []
        for name in columns.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            let elsewhere = [
                "location_missing": "is told by visiventd show ID, and by items over HTTP",
                "distance_km": "comes by itself with --near",
            ]
            if let words = elsewhere[String(name)] { throw ValidationError("--columns: \(name) \(words)") }
            guard let column = EventProperty.named(String(name)) else {
                let known = EventProperty.all.map(\.name).filter { elsewhere[$0] == nil }
                let hint = NearestWord.hint(for: String(name), among: known)
                throw ValidationError(
                    "--columns takes \(known.joined(separator: ", ")), found '\(name)'\(hint)")
            }
            if !chosen.contains(where: { $0.name == column.name }) { chosen.append(column) }
        }
        guard !chosen.isEmpty else { return nil }
        if format == .table { throw ValidationError("--columns does nothing with --format table; csv has columns") }
        return chosen
    }

    /// The time of `--as-of`, which must not be to come.
    static func moment(_ text: String, now: Date) throws -> Date {
        let moment = try EventOptions.date(text, "--as-of", now)
        guard moment <= now else { throw ValidationError("--as-of \(text) is still to come") }
        return moment
    }

    /// The event's position in the order by time, in a past state the one of then; a merged event has that of the event
    /// it was merged into.
    private func key(_ publicID: String?, _ past: PastState?, _ store: EventStore) throws -> EventQuery.Key? {
        guard let publicID else { return nil }
        if let past, let known = try store.event(publicID, knownAt: past.change) {
            return EventQuery.Key(known.stored)
        }
        guard let event = try store.event(publicID: publicID) else { throw try store.complain(ofMissing: publicID) }
        return EventQuery.Key(event)
    }

    /// Default number of events in a table.
    static let usualRows = 50

    /// Prints the first matching events and notes if there are more.
    private func showFirst(_ store: EventStore, _ filter: EventQuery, _ past: PastState?) throws {
        var query = filter
        query.limit = Self.usualRows + 1
        let events: [StoredEvent]
        if let past {
            var known: [StoredEvent] = []
            try past.forEach(query, from: store) { known.append($0.stored) }
            events = known
        } else {
            events = try store.events(query)
        }
        // Above a key the nearest events are selected, so the surplus one is the first.
        let isAbove = after != nil && before == nil
        var printer = EventPrinter(format, from: query.near?.centre)
        for event in isAbove ? events.suffix(Self.usualRows) : events.prefix(Self.usualRows) { printer.add(event) }
        printer.finish()
        past?.noteInexact()
        if events.count > Self.usualRows {
            Terminal.printError("\(Self.usualRows) shown, there are more: --limit 0 shows all")
        }
    }

    private func follow(_ store: EventStore, _ filter: EventQuery) async throws {
        let pause: ChangeFeed.Pause = {
            // The reader of standard output is gone.
            if Terminal.isAbandoned { throw CancellationError() }
            try await Task.sleep(for: .milliseconds(500))
        }
        let feed = ChangeFeed(of: store, pause: pause)
        var cursor = try after.flatMap { Int64($0) } ?? store.lastChange()
        var page = try changes(of: feed, after: cursor)
        var probe = filter
        probe.limit = 1
        _ = try store.events(probe)  // refuses words while they are not indexed
        var printer = EventPrinter(format, try chosenColumns(), from: filter.near?.centre, with: .change)
        do {
            while true {
                for update in try feed.updates(page, matching: filter) { printer.add(update) }
                printer.flush()
                cursor = page.cursor
                if page.changes.count < Self.pageOfChanges {
                    try await pause()
                    try await feed.wait(after: cursor)
                }
                page = try changes(of: feed, after: cursor)
            }
        } catch is CancellationError {
            return
        }
    }

    /// Changes read at a time; a full page means that there may be more.
    private static let pageOfChanges = 1000

    /// The next changes; exits if some of them are no longer kept.
    private func changes(of feed: ChangeFeed, after cursor: Int64) throws -> ChangePage {
        let page = try feed.next(after: cursor, limit: Self.pageOfChanges)
        guard page.isTooOld else { return page }
        Terminal.printError(
            "visiventd: Changes after \(cursor) are not kept (oldest \(page.oldest), newest \(page.cursor)); "
                + "read all events again")
        throw ExitStatus.unavailable
    }
}
