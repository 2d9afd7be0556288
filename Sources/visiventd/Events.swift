import ArgumentParser
import Foundation
import Model
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

            Examples:
              visiventd events --category earthquake --minimum-magnitude 5 --since 24h
              visiventd events --near -16.5,-68.15 --radius 300 --format ndjson
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
            let store = try database.store(knowing: filter)
            var query = try filter.query(now: Date())
            if follow { return try await follow(store, query) }
            query.order = sort == .time ? .newestFirst : .largestFirst
            query.olderThan = try key(before, store)
            query.newerThan = try key(after, store)
            if let before, let after, let newest = query.olderThan, let oldest = query.newerThan,
                newest.time < oldest.time || newest == oldest
            {
                throw ValidationError("nothing lies between --before \(before) and --after \(after)")
            }
            if limit == nil, format == .table { return try showFirst(store, query) }
            query.limit = limit == 0 ? nil : limit
            if let output { try database.refuse(replacing: output) }
            let file = try output.map { try OutputFile($0, besides: store.path) }
            var printer = EventPrinter(format, to: file)
            try store.forEach(query) { printer.add($0) }
            printer.finish()
        }
    }

    /// The event's position in the order by time; a merged event has that of the event it was merged into.
    private func key(_ publicID: String?, _ store: EventStore) throws -> EventQuery.Key? {
        guard let publicID else { return nil }
        guard let event = try store.event(publicID: publicID) else { throw try store.complain(ofMissing: publicID) }
        return EventQuery.Key(event)
    }

    /// Default number of events in a table.
    private static let usualRows = 50

    /// Prints the first matching events and notes if there are more.
    private func showFirst(_ store: EventStore, _ filter: EventQuery) throws {
        var query = filter
        query.limit = Self.usualRows + 1
        let events = try store.events(query)
        // Above a key the nearest events are selected, so the surplus one is the first.
        let isAbove = after != nil && before == nil
        var printer = EventPrinter(format)
        for event in isAbove ? events.suffix(Self.usualRows) : events.prefix(Self.usualRows) { printer.add(event) }
        printer.finish()
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
        var printer = EventPrinter(format, isFollowing: true)
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
    private func changes(of feed: ChangeFeed, after cursor: Int64) throws -> ChangeFeed.Page {
        let page = try feed.next(after: cursor, limit: Self.pageOfChanges)
        guard page.isTooOld else { return page }
        Terminal.printError(
            "visiventd: Changes after \(cursor) are not kept (oldest \(page.oldest), newest \(page.cursor)); "
                + "read all events again")
        throw ExitStatus.unavailable
    }
}
