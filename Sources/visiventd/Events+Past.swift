import ArgumentParser
import Foundation
import Model
import Presenting
import Reading
import Store

/// The state of the record as it was known at a moment, for `events --as-of`.
final class PastState {
    /// The number of the last change until then.
    let change: Int64
    private var inexact = 0

    /// The bytes of states that are in memory at a time.
    private static let mostBytes = 64 << 20

    /// Says on standard error if the record of the moment is not complete.
    /// - Parameter names: The sources that are asked for; empty: all.
    init(of moment: Date, _ names: [String], _ store: EventStore) throws {
        change = try store.change(at: moment)
        let sources = try store.completeness().filter { names.isEmpty || names.contains($0.name) }
        let late = sources.filter { $0.completeFrom.milliseconds > moment.milliseconds }
        guard !late.isEmpty || sources.isEmpty else { return }
        let since = late.map { "\($0.name) since \($0.completeFrom.rfc3339)" }.joined(separator: ", ")
        Terminal.printError(
            "the record of \(moment.rfc3339) is not complete: "
                + (late.isEmpty ? "there are no sources" : "it is complete for \(since)"))
    }

    /// Calls `body` with each matching event as it was known, in the query's order and at most `query.limit`.
    func forEach(_ query: EventQuery, from store: EventStore, _ body: (EventVersion) throws -> Void) throws {
        var query = query
        // From a key upwards, and by magnitude, there is no going on behind the last event (`Events.validatePast`).
        let goesOn = query.order == .newestFirst && (query.newerThan == nil || query.olderThan != nil)
        while true {
            let (events, isCut) = try store.events(
                query, knownAt: change, atMost: goesOn ? Self.mostBytes : .max)
            for event in events {
                if !event.isExact { inexact += 1 }
                try body(event)
            }
            guard isCut, let last = events.last else { return }
            query.olderThan = try store.key(of: last.stored)
            query.limit = query.limit.map { $0 - events.count }
        }
    }

    /// Says on standard error of how many events an older state was shown.
    func noteInexact() {
        guard inexact > 0 else { return }
        Terminal.printError(
            "of \(inexact.counted("event")) a state from before that time is shown, since later revisions are not kept")
    }
}

extension Events {
    /// The most events of a past state that are in memory at a time where they are not read in pieces.
    private static let mostInMemory = 10_000

    /// Refuses what does not go with `--as-of`.
    func validatePast(_ asOf: String) throws {
        if follow { throw ValidationError("--as-of and --follow exclude each other: the past does not go on") }
        _ = try Self.moment(asOf, now: Date())
        let option = sort != .time ? "--sort \(sort.rawValue)" : after != nil && before == nil ? "--after" : nil
        guard let option, limit != nil || format != .table else { return }
        guard (1...Self.mostInMemory).contains(limit ?? 0) else {
            throw ValidationError(
                "--as-of with \(option) takes --limit 1 to \(Self.mostInMemory), since these events are held in memory; "
                    + "found \(limit.map { "\($0)" } ?? "none")")
        }
    }

    /// Refuses what does not go with `--revised`.
    func validateRevised() throws {
        switch format {
        case .table, .ndjson, .csv: break
        case .geojson, .geojsonseq, .gpkg:
            throw ValidationError("--revised takes --format table, ndjson or csv, found \(format.rawValue)")
        }
        if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more, found \(limit)") }
        let others = [
            ("--follow", follow), ("--as-of", asOf != nil), ("--before", before != nil), ("--after", after != nil),
            ("--sort", sort != .time), ("--columns", !columns.isEmpty),
        ]
        if let (name, _) = others.first(where: { $0.1 }) {
            throw ValidationError("--revised and \(name) exclude each other")
        }
    }

    /// Prints the revisions of the events that the filter selects, whose times are those of the revisions.
    func showRevisions(_ store: EventStore, _ filter: EventQuery) throws {
        var query = filter
        (query.since, query.until) = (nil, nil)
        // An event that has not changed since has no revision since.
        query.changedSince = [filter.changedSince, filter.since].compactMap { $0 }.max()
        let isFirstPage = limit == nil && format == .table
        let most: Int? = isFirstPage ? Self.usualRows : limit == 0 ? nil : limit
        let file = try file(besides: store)
        var output = Output(to: file)
        var table = TextTable(["STORED (UTC)", "ID", "SOURCE", "TITLE", "CHANGE"])
        if format == .csv { output.line(RevisionChanges.columns) }
        var count = 0
        try store.forEachRevision(
            of: query, since: filter.since, until: filter.until, limit: isFirstPage ? most.map { $0 + 1 } : most
        ) { event, number in
            guard let revision = event.changes.first(where: { $0.revision == number }) else { return }
            count += 1
            if let most, count > most { return }
            switch format {
            case .csv: for cells in revision.cells(of: event.stored) { output.line { $0.append(cells: cells) } }
            case .table: for row in Self.rows(of: revision, event.stored) { table.add(row) }
            default: output.json(revision.json(of: event.stored))
            }
        }
        if format == .table {
            if count == 0 {
                Terminal.printError("no revisions match")
            } else {
                let width = Terminal.width
                output.table(table.without(table.spared(["SOURCE", "TITLE"], width: width, least: 40)), width: width)
            }
        }
        output.flush()
        file?.finish()
        if let most, count > most {
            Terminal.printError("\(most) shown, there are more: --limit 0 shows all")
        }
    }

    /// A row for each change that shows.
    private static func rows(of revision: RevisionChanges, _ stored: StoredEvent) -> [[String]] {
        var changes = revision.changes.compactMap { $0.words.map { "\($0.name): \($0.values)" } }
        if let id = revision.mergedID { changes.insert("\(id) turned out to be the same event", at: 0) }
        if changes.isEmpty { changes = ["a change too small to show"] }
        let beginning = [
            revision.at.wholeSeconds, stored.publicID, revision.source ?? "",
            HTMLText.bounded(stored.event.title, 40),
        ]
        return changes.map { beginning + [$0] }
    }
}
