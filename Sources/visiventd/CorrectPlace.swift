import ArgumentParser
import Control
import Daemon
import Foundation
import Model
import Reading
import SQLite
import Store

/// `visiventd place`
struct CorrectPlace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "place",
        abstract: "Correct the place of an event, for good.",
        discussion: """
            ID is the event's public id, as in the column ID of visiventd events. The correction outlives polls, look-ups, \
            seedings and resets, and is noted with time and user. --automatic takes it back. Where a daemon works on the \
            database it makes the correction; otherwise this command does.

            Examples:
              visiventd place 7r3k0mz2v9q4w8xd --at -8.343,115.508 --radius 5 --name "Mount Agung"
              visiventd place 7r3k0mz2v9q4w8xd --none
              visiventd place 7r3k0mz2v9q4w8xd --automatic
              visiventd place --list
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(parsing: .unconditional, help: "Where the event is: LATITUDE,LONGITUDE (-90…90, -180…360).")
    var at: String?

    @Option(
        parsing: .unconditional, help: "How many kilometres the place of --at may be off.",
        transform: { try AreaOptions.kilometres(of: $0) })
    var radius: Double?

    @Option(help: "The words that are shown for the place of --at.")
    var name: String?

    @Flag(help: "Take the event's place away, and seek none.")
    var none = false

    @Flag(help: "Take the correction back: the event is located as if it had never been corrected.")
    var automatic = false

    @Flag(help: "List the corrections, the latest first.")
    var list = false

    @Option(
        parsing: .unconditional, help: "With --list: how many at the most (1…10000). (default: 50)",
        transform: { try AreaOptions.wholeNumber($0, "a whole number from 1 to 10000") })
    var limit: Int?

    @Option(
        parsing: .unconditional, help: "With --list: how many of the latest to skip. (default: 0)",
        transform: { try AreaOptions.wholeNumber($0, "a whole number") })
    var skip: Int?

    @Flag(help: "With --list: print one JSON object for each correction.")
    var json = false

    @Argument(help: "The event's public id.")
    var id: String?

    func validate() throws {
        let ways = [("--at", at != nil), ("--none", none), ("--automatic", automatic), ("--list", list)]
            .filter { $0.1 }.map { $0.0 }
        guard ways.count == 1 else {
            let found = ways.isEmpty ? "" : ", found \(ways.joined(separator: " and "))"
            throw ValidationError("expected one of --at LATITUDE,LONGITUDE, --none, --automatic and --list" + found)
        }
        if at == nil, radius != nil || name != nil {
            throw ValidationError("\(radius != nil ? "--radius" : "--name") does nothing without --at")
        }
        if list {
            if let id { throw ValidationError("--list takes no id, found '\(id)'") }
        } else {
            if limit != nil || skip != nil || json {
                throw ValidationError("--limit, --skip and --json do nothing without --list")
            }
            guard id != nil else {
                throw ValidationError("expected the public id of an event, as in the column ID of visiventd events")
            }
        }
        if let limit, !(1...10_000).contains(limit) {
            throw ValidationError("--limit takes 1 to 10000, found \(limit)")
        }
        if let skip, skip < 0 { throw ValidationError("--skip takes 0 or more, found \(skip)") }
        _ = try given()
    }

    func run() async throws {
        try await reporting(database.hints) {
            let settings = try database.settings()
            if list { return try show(EventStore(path: settings.database, mode: .readOnly)) }
            let (event, correction) = (id ?? "", try given())
            // Known before this process becomes the owner of the folder.
            let user = UserName.own
            guard !DatabaseLock.isHeld(database: settings.database) else {
                let request = ControlRequest(.place, event: event, correction: correction, user: user)
                return try ControlClient.carryOut(request, to: settings.socket, database: settings.database)
            }
            try FolderOwner.become(ofFolderOf: settings.database)
            try DatabasePath.mustExist(settings.database)
            try DatabasePath.mustBeUsable(settings.database)
            let lock = try DatabaseLock(database: settings.database)
            defer { withExtendedLifetime(lock) {} }
            let store = try EventStore(path: settings.database)
            let outcome = try store.correct(event, correction, by: user, at: Date())
            Terminal.tell(outcome.message(event, correction), isSuccess: outcome.isSuccess)
            if !outcome.isSuccess { throw ExitStatus.unavailable }
        }
    }

    /// The correction that the options give.
    private func given() throws -> PlaceCorrection {
        guard let at else { return none ? .nowhere : .automatic }
        guard let point = try AreaOptions.centre(at, of: "--at") else {
            throw ValidationError("--at takes LATITUDE,LONGITUDE, found '\(at)'")
        }
        let words = name?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let correction = PlaceCorrection.at(
            latitude: point.latitude, longitude: point.longitude, radius: radius, name: words)
        if let fault = correction.fault { throw ValidationError(fault) }
        return correction
    }

    private func show(_ store: EventStore) throws {
        let limit = limit ?? 50
        let found = try store.corrections(limit: limit + 1, skipping: skip ?? 0)
        let shown = found.prefix(limit)
        if shown.isEmpty, !json { return Terminal.printError("no corrected place") }
        var output = Output()
        if json {
            for place in shown { output.json(place.json) }
        } else {
            var table = TextTable(["ID", "CORRECTED (UTC)", "BY", "PLACE", "TITLE"])
            for place in shown {
                table.add([
                    place.publicID, place.at.wholeSeconds, place.user, place.correction.words,
                    place.title ?? "(the event is gone)",
                ])
            }
            output.table(table, width: Terminal.width)
        }
        output.flush()
        if found.count > limit {
            Terminal.printError("there are more: --skip \((skip ?? 0) + limit) goes on")
        }
    }
}

extension CorrectedPlace {
    /// The correction as one JSON object on one line; what it does not have is left out.
    fileprivate var json: String {
        var object = JSONWriter()
        object.add(["public_id": publicID, "title": title])
        if case .at(let latitude, let longitude, let radius, let name) = correction {
            object.add(["latitude": latitude, "longitude": longitude, "radius_km": radius, "name": name])
        }
        object.add(["by": user, "at": at.timestamp])
        return object.finish()
    }
}

extension PlaceCorrection {
    /// The place in words for people: `Mount Agung (-8.343, 115.508, within about 5 km)`.
    fileprivate var words: String {
        guard case .at(let latitude, let longitude, let radius, let name) = self else { return "none" }
        var place = [latitude, longitude].map { $0.shown(digits: 0...4) }.joined(separator: ", ")
        if let radius { place += ", within about \(radius.shown(digits: 0...4)) km" }
        return name.map { "\($0) (\(place))" } ?? place
    }
}
