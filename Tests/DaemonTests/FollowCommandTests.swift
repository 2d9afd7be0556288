import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// `visiventd events` with a reader of its standard output that follows, or has gone.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct FollowCommandTests {
    private let directory = TemporaryDirectory()
    private var database: String { directory.path + "/events.sqlite" }

    private let now = Date(timeIntervalSince1970: 1_772_323_200)

    /// Stores an event as a poll of the source does.
    private func store(_ title: String, _ magnitude: Double = 5, in store: EventStore) throws {
        let source = SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/quakes")
        try store.reconcile([source], at: now)
        let event = Event(
            provider: "usgs", id: title, time: now, category: .earthquake, title: title, weight: 0.5,
            magnitude: magnitude)
        _ = try store.write([
            .step(PollStep(source: "quakes", at: now, answer: FeedAnswer(events: [event]), fingerprint: "f1"))
        ])
    }

    @Test func theHeadingsComeOnce() async throws {
        let store = try EventStore(path: database)
        try self.store("first", in: store)
        let output = Facts<String>()
        let process = try follow(into: output)
        defer { process.terminate() }
        #expect(await output.wait { $0.joined().contains("first") })
        try self.store("second", in: store)
        #expect(await output.wait { $0.joined().contains("second") })
        let lines = output.all.joined().split(separator: "\n")
        #expect(lines.count == 3, "\(lines)")
        #expect(lines.count(where: { $0.hasPrefix("ID ") }) == 1)
        let columns = lines.dropFirst().map { line in line.components(separatedBy: " 5.0 ")[0].count }
        #expect(Set(columns).count == 1, "\(lines)")
    }

    @Test func eachObjectSaysWhatHasHappenedAndWhatGoesIsTold() async throws {
        let store = try EventStore(path: database)
        try self.store("first", in: store)
        let (objects, records) = (Facts<String>(), Facts<String>())
        let processes = [
            try follow(into: objects, ["--format", "ndjson", "--category", "earthquake"]),
            try follow(into: records, ["--format", "csv"]),
        ]
        defer { for process in processes { process.terminate() } }
        #expect(await objects.wait { $0.joined().contains("new") })
        #expect(await records.wait { $0.joined().contains(",new") })
        try self.store("first", 6, in: store)
        #expect(await objects.wait { $0.joined().contains("revised") })
        #expect(await records.wait { $0.joined().contains(",revised") })
        _ = try store.reset(source: "quakes", includingEvents: true, at: now)
        #expect(await objects.wait { $0.joined().contains("truncated") })
        #expect(await records.wait { $0.joined().contains(",truncated") })
        let lines = objects.all.joined().split(separator: "\n")
        let members = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(members.compactMap { $0?["change"] as? String } == ["new", "revised", "truncated"])
        #expect(lines.map { $0.contains("\"magnitude\":6") } == [false, true, false])
        #expect(Set(members.compactMap { $0?["public_id"] as? String }).count == 1)
        #expect(members.last??.count == 3)
        let cells = records.all.joined().split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(cells.map(\.last) == ["change", "new", "revised", "truncated"])
        #expect(Set(cells.map(\.count)).count == 1, "\(cells)")
    }

    @Test func aCursorThatIsAheadIsRefused() async throws {
        let store = try EventStore(path: database)
        try self.store("first", in: store)
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of([program, "events", "--follow", "--after", "2", "--database", database])
        #expect(run.status == 69)
        #expect(
            run.errors == "visiventd: Changes after 2 are not kept (oldest 1, newest 1); read all events again\n")
    }

    @Test(arguments: [("events", 0), ("events --follow", 0), ("status", 0), ("health", 2), ("poll --all", 75)])
    func aReaderThatIsGoneChangesNoExitCode(command: String, status: Int) async throws {
        _ = try EventStore(path: database)
        let file = directory.path + "/v.yaml"
        let text = "database: events.sqlite\nsources:\n  - {name: quakes, kind: usgs, url: \"http://127.0.0.1:9/\"}\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        // The program starts after the other end of its output is closed.
        let script = """
            set -o pipefail
            mkfifo "$2"
            { read -r < "$2"; $0 $1 --config "$3"; } | { exec <&-; echo > "$2"; }
            """
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of(["bash", "-c", script, program, command, directory.path + "/go", file])
        #expect(Int(run.status) == status, "\(run.errors)")
    }

    /// Starts `events --follow` at the first change; its output comes in pieces.
    private func follow(into output: Facts<String>, _ options: [String] = []) throws -> Process {
        var ends: [Int32] = [0, 0]
        let isMade = pipe(&ends) == 0
        try #require(isMade)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = Process()
        process.executableURL = DaemonProcess.executable
        process.arguments = ["events", "--follow", "--after", "0", "--database", database] + options
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
        try process.run()
        close(ends[1])
        let reader = ends[0]
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(reader, &buffer, buffer.count), count > 0 {
                output.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
            output.finish()
            close(reader)
        }
        return process
    }
}
