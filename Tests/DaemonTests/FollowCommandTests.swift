import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// `visiventd events`, with somebody who reads its standard output as it comes, or no longer.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(2)))
struct FollowCommandTests {
    private let directory = TemporaryDirectory()
    private var database: String { directory.path + "/events.sqlite" }

    /// Stores an event as the source's poll does.
    private func store(_ title: String, in store: EventStore) throws {
        let now = Date(timeIntervalSince1970: 1_772_323_200)
        let source = SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/quakes")
        try store.reconcile([source], at: now)
        let event = Event(
            provider: "usgs", id: title, time: now, category: .earthquake, title: title, weight: 0.5, magnitude: 5)
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
        // The program begins when the other end of its output is closed.
        let script = """
            set -o pipefail
            mkfifo "$2"
            { read -r < "$2"; $0 $1 --config "$3"; } | { exec <&-; echo > "$2"; }
            """
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of(["bash", "-c", script, program, command, directory.path + "/go", file])
        #expect(Int(run.status) == status, "\(run.errors)")
    }

    /// Starts `events --follow` from the first change; what it writes comes in pieces.
    private func follow(into output: Facts<String>) throws -> Process {
        var ends: [Int32] = [0, 0]
        let isMade = pipe(&ends) == 0
        try #require(isMade)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = Process()
        process.executableURL = DaemonProcess.executable
        process.arguments = ["events", "--follow", "--after", "0", "--database", database]
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
