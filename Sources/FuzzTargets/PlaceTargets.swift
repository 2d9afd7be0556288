import Foundation
import Gazetteer
import Model
import Reading
import Synchronization
import TestSupport

extension FuzzTarget {
    /// Targets for tables that operators seed, and for place names in texts.
    static let tables: [FuzzTarget] = [
        FuzzTarget("tables", seeds: ["cities/*", "volcanoes/*", "demo-places/*.txt"]) { data in
            try checkVolcanoes(data)
            try FuzzFolder.with(data) { folder in try checkSeeding(folder) }
        },
        FuzzTarget("places", seeds: ["datelines.tsv"]) { data in
            let parts = String(decoding: data, as: UTF8.self).split(
                separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
            let texts = parts.map { String($0) } + ["", ""]
            try checkPlaces(place: texts[0], title: texts[1], summary: parts.count > 2 ? texts[2] : nil)
            // A title may be the beginning of the text, cut anywhere.
            let cut = texts[2].unicodeScalars.prefix(texts[1].utf8.count % 50)
            try checkPlaces(place: texts[0], title: String(cut) + "…", summary: texts[2])
        },
    ]

    /// 2026-09-21T12:53:20Z, the time of all seedings.
    private static let seeded = Date(timeIntervalSince1970: 1_790_000_000)

    // MARK: Tables

    private static func checkVolcanoes(_ data: Data) throws(BrokenInvariant) {
        let list: VolcanoList
        do throws(GazetteerError) {
            list = try VolcanoList(data)
        } catch {
            try hold(!error.message.isEmpty && error.message.utf8.count < 4_096, "an error without good words")
            return
        }
        try hold(list.rows <= VolcanoList.maximumRows, "a list of \(list.rows) rows")
        try hold(list.entries.count <= list.rows, "\(list.entries.count) volcanoes from \(list.rows) rows")
        for entry in list.entries {
            try TextCheck.check(entry.name, "a volcano's name", atMost: 2_000)
            try AnswerCheck.check(Location(entry.coordinate))
            try TextCheck.check(json: entry.point.details, "a volcano's details")
        }
    }

    private static func checkSeeding(_ folder: FuzzFolder) throws(BrokenInvariant) {
        do throws(GazetteerError) {
            let report = try seed([folder.input], into: folder.path + "/cities.sqlite")
            for input in report.inputs {
                let others = input.skipped.values.reduce(0, +) + input.refused.reduce(0) { $0 + $1.count }
                guard input.kept > 0, input.rows == input.kept + others else {
                    throw broken("of \(input.rows) rows \(input.kept) are kept and \(others) are not")
                }
            }
            let table = try CityTable(path: folder.path + "/cities.sqlite")
            guard table.cityCount == report.cities else {
                throw broken("\(report.cities) cities are reported and \(table.cityCount) are in the table")
            }
        } catch {
            try hold(!error.message.hasPrefix("broken: "), error.message)
            try hold(!error.message.isEmpty && error.message.utf8.count < 4_096, "an error without good words")
        }
    }

    /// A broken invariant; its prefix tells it from other errors.
    private static func broken(_ words: String) -> GazetteerError { GazetteerError(.unreadable, "broken: \(words)") }

    private static func seed(_ paths: [String], into table: String) throws(GazetteerError) -> SeedReport {
        var inputs: [SeedInput] = []
        for path in paths {
            do throws(ReadingError) {
                inputs.append(SeedInput(name: "input", stream: try ByteStream(path: path)))
            } catch {
                throw GazetteerError(.unreadableInput, error.message)
            }
        }
        return try Seeder(inputs, into: table).run(at: seeded)
    }

    // MARK: Places

    /// A table of the towns in the demo.
    private struct World {
        let places: EventPlaces

        init() throws {
            // The table keeps its file open, so the folder may be removed.
            let folder = TemporaryDirectory()
            let files = ["cities.txt", "regions.txt"].map { Fixtures.url("demo-places/\($0)").path }
            let path = folder.path + "/cities.sqlite"
            _ = try FuzzTarget.seed(files, into: path)
            let table = try CityTable(path: path)
            places = EventPlaces(table, resolver: Resolver(table))
        }
    }

    private static let world = Mutex<World?>(nil)

    private static func checkPlaces(place: String, title: String, summary: String?) throws {
        for evidence in [PlaceEvidence.place, .dateline, .author] {
            let event = UnlocatedEvent(
                category: evidence == .author ? "message" : "news", place: place, placeEvidence: evidence,
                title: title, summary: summary, language: "en",
                notPlaces: evidence == .dateline ? [String(title.prefix(20)), "Oslo"] : [])
            let outcome = try world.withLock { world in
                if world == nil { world = try World() }
                return try world?.places.outcome(for: event)
            }
            switch outcome {
            case .located(let location)?: try AnswerCheck.check(location)
            case .ask(let query)?:
                try hold(!query.folded.isEmpty, "a question without a name: \(quoted(query.text))")
                try hold(query.text.utf8.count <= 16_384, "a question of \(query.text.utf8.count) bytes")
            case .unresolved(let reason)?: try hold(!reason.isEmpty, "no place, without a reason")
            case nil: throw BrokenInvariant("there is no table")
            }
        }
    }
}
