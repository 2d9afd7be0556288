import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// Tables on a terminal that is too narrow for all columns.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct NarrowTerminalTests {
    private let directory = TemporaryDirectory()
    private var database: String { directory.path + "/v.sqlite" }

    /// Runs a command on a terminal with the given number of columns.
    private func lines(_ command: String, _ arguments: String..., columns: Int) async throws -> [String] {
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await PseudoTerminal.run(
            [program, command, "--database", database] + arguments, columns: columns)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.output.split { $0.isNewline }.map { String($0) }
    }

    private func store(_ titles: [String], at location: Location? = nil) throws {
        let store = try EventStore(path: database)
        let now = Date()
        try store.reconcile([SourceSettings(name: "quakes-of-the-day", kind: "usgs", url: "https://u.test/")], at: now)
        let events = titles.enumerated().map { number, title in
            var event = Event(
                provider: "usgs", id: "\(number)", time: now - 3600, category: .earthquake, title: title)
            event.magnitude = 5.1
            event.location = location
            return event
        }
        let end = PollEnd(failure: nil, nextDue: now + 3600, dueReason: .serverInterval, failures: 0)
        _ = try store.write([
            .begin(PollBeginning(source: "quakes-of-the-day", at: now, nextDue: now + 60, fingerprint: "f")),
            .step(
                PollStep(
                    source: "quakes-of-the-day", at: now, answer: FeedAnswer(events: events), fingerprint: "f",
                    end: end)),
        ])
    }

    @Test func eventsLeaveRoomForTheTitle() async throws {
        try store(["M 5.1 - 104 km SSW of Kokopo, Papua New Guinea"])
        let narrow = try await lines("events", columns: 80)
        try #require(narrow.count == 2)
        #expect(narrow.allSatisfy { $0.count <= 80 }, "\(narrow)")
        #expect(narrow[0].split(separator: " ").joined(separator: " ") == "ID TIME (UTC) CATEGORY MAG TITLE")
        #expect(narrow[1].contains("  M 5.1 - 104 km SSW o"), "\(narrow)")
        let wide = try await lines("events", columns: 160)
        #expect(wide.first?.contains("LAT") == true && wide.first?.contains("WHERE") == true, "\(wide)")
    }

    /// Without WHERE the middle of a country would look like an epicentre.
    @Test func theCoordinateGoesBeforeWhatSaysHowExactItIs() async throws {
        let middle = try #require(Coordinate(latitude: 38.74, longitude: -93.75))
        try store(
            ["Strong shaking was felt across several states on Monday"],
            at: Location(middle, method: .gazetteer, precision: .country, evidence: .summary))
        let narrow = try await lines("events", columns: 100)
        try #require(narrow.count == 2)
        #expect(narrow[0].split(separator: " ").joined(separator: " ") == "ID TIME (UTC) CATEGORY MAG WHERE TITLE")
        #expect(narrow[1].contains("  country (summary)  Strong shaking was"), "\(narrow)")
        #expect(!narrow[1].contains("38.740"), "\(narrow)")
    }

    @Test func statusDropsColumnsRatherThanWrap() async throws {
        try store([])
        let narrow = try await lines("status", columns: 100)
        try #require(narrow.count > 2)
        #expect(narrow[0].count <= 100 && narrow[1].count <= 100, "\(narrow)")
        #expect(narrow[1].hasPrefix("quakes-of-the-day") && narrow[1].hasSuffix("ok"), "\(narrow)")
        #expect(!narrow[0].contains("KIND") && narrow[0].contains("NEXT"))
        #expect(try await lines("status", columns: 200).first?.contains("KIND") == true)
    }

    @Test func oneEventIsWrappedBetweenWords() async throws {
        let title = "M 5.1 - 104 km SSW of Kokopo, Papua New Guinea"
        try store([title])
        let id = try #require(try EventStore(path: database).events(EventQuery()).first).publicID
        let narrow = try await lines("show", id, columns: 40)
        #expect(narrow.allSatisfy { $0.count <= 40 }, "\(narrow)")
        #expect(narrow.prefix(2).joined(separator: " ") == title)
        #expect(narrow.contains("Magnitude  5.1"))
        #expect(try await lines("show", id, columns: 100).first == title)
    }
}
