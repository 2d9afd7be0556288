import Control
import Daemon
import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// `visiventd place`, with and without a daemon.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct PlaceCommandTests {
    private let directory = TemporaryDirectory()
    private let start = Date(timeIntervalSince1970: 1_772_323_200)
    private var database: String { directory.path + "/v.sqlite" }

    private func place(_ arguments: String...) async throws -> MeasuredRun {
        let program = try #require(DaemonProcess.executable?.path)
        return try await MeasuredRun.of([program, "place", "--database", database] + arguments)
    }

    /// A database with one event; returns its public id.
    private func fill() throws -> String {
        let store = try EventStore(path: database)
        try store.reconcile([SourceSettings(name: "quakes", kind: "usgs", url: "https://u.test/")], at: start)
        let event = Event(
            provider: "usgs", id: "us1", time: start - 7200, category: .earthquake, title: "Chile",
            location: Coordinate(latitude: -20, longitude: -70).map { Location($0) })
        _ = try store.write([
            .step(PollStep(source: "quakes", at: start, answer: FeedAnswer(events: [event]), fingerprint: "f"))
        ])
        let id = try #require(try store.events(EventQuery()).first?.publicID)
        try store.close()
        return id
    }

    @Test(arguments: [
        ([] as [String], "expected one of --at LATITUDE,LONGITUDE, --none, --automatic and --list"),
        (["x", "--at", "1,2", "--none"], "--automatic and --list, found --at and --none"),
        (["x", "--none", "--automatic"], "found --none and --automatic"),
        (["x", "--at", "1"], "--at takes LATITUDE,LONGITUDE, found '1'"),
        (["x", "--at", "-91,2"], "latitude from -90 to 90, longitude from -180 to 360, found '-91,2'"),
        (["x", "--at", "57,two"], "--at takes LATITUDE,LONGITUDE, found '57,two'"),
        (["x", "--at", "0,0"], "0,0 stands for an unknown place; --none takes the place of an event away"),
        (["x", "--at", "1,2", "--radius", "-5"], "a radius is above 0 and at most 10000 km"),
        (["x", "--at", "1,2", "--radius", "5km"], "accepted is a number of kilometres without a unit"),
        (["x", "--at", "1,2", "--name", " "], "a name has 1 to 200 characters"),
        (["x", "--none", "--radius", "5"], "--radius does nothing without --at"),
        (["x", "--automatic", "--name", "Lima"], "--name does nothing without --at"),
        (["--none"], "expected the public id of an event, as in the column ID of visiventd events"),
        (["--list", "x"], "--list takes no id, found 'x'"),
        (["--list", "--limit", "0"], "--limit takes 1 to 10000, found 0"),
        (["--list", "--skip", "-1"], "--skip takes 0 or more, found -1"),
        (["x", "--none", "--json"], "--limit, --skip and --json do nothing without --list"),
    ])
    func whatDoesNotGoTogetherIsToldSo(arguments: [String], words: String) async throws {
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of([program, "place"] + arguments + ["--database", "/nonexistent"])
        #expect(run.status == 64)
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test func aPlaceIsCorrectedListedAndTakenBack() async throws {
        let id = try fill()
        let corrected = try await place(id, "--at", "-8.25,115.5", "--radius", "5", "--name", "Mount  Agung")
        #expect(corrected.status == 0, "\(corrected.errors)")
        #expect(corrected.output == "\(id): is at -8.25, 115.5 now; --automatic takes it back\n")
        let list = try await place("--list")
        #expect(list.status == 0, "\(list.errors)")
        for words in [id, UserName.own, "Mount Agung (-8.25, 115.5, within about 5 km)", "Chile"] {
            #expect(list.output.contains(words), "\(words) in \(list.output)")
        }
        let program = try #require(DaemonProcess.executable?.path)
        let show = try await MeasuredRun.of([program, "show", "--database", database, id])
        for line in [
            "\nWhere      -8.25, 115.5 (point, within about 5 km)\n", "\nKnown by   the operator, Mount Agung\n",
            "\nCorrected  by \(UserName.own) at ", "location method coordinates → operator",
        ] { #expect(show.output.contains(line), "\(line) in \(show.output)") }
        let none = try await place("--none", id)
        #expect(none.output == "\(id): has no place now; --automatic takes it back\n", "\(none.errors)")
        let json = try await place("--list", "--json")
        #expect(json.output.hasPrefix("{\"public_id\":\"\(id)\",\"title\":\"Chile\",\"by\":\""), "\(json.output)")
        let released = try await place(id, "--automatic")
        #expect(released.output == "\(id): has the place of its feed again\n", "\(released.errors)")
        #expect(try await place(id, "--automatic").output == "\(id): its place was not corrected\n")
        let empty = try await place("--list")
        #expect(empty.status == 0 && empty.output.isEmpty && empty.errors == "no corrected place\n")
    }

    @Test func anEventThatIsNotThereIsToldSo() async throws {
        _ = try fill()
        let short = try await place("abc", "--none")
        #expect(short.status == 69 && short.output.isEmpty)
        #expect(short.errors.hasPrefix("visiventd: there is no event 'abc'; a public id has 16 characters"))
        let unknown = try await place("0000000000000000", "--at", "1,2")
        #expect(unknown.status == 69)
        #expect(unknown.errors == "visiventd: there is no event '0000000000000000'\n")
    }

    @Test func aDaemonAtWorkMakesTheCorrectionAndLogsIt() async throws {
        let id = try fill()
        let file = directory.path + "/v.yaml"
        let text = """
            database: "\(database)"
            control_socket: "\(database).sock"
            sources: [{name: quakes, kind: usgs, url: "file:///none/quakes.geojson", enabled: false}]

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let daemon = try DaemonProcess(configuration: file)
        #expect(await daemon.says("started"))
        let none = try await place(id, "--none")
        #expect(none.status == 0, "\(none.errors)")
        #expect(none.output == "\(id): has no place now; --automatic takes it back\n")
        #expect(await daemon.says("place was corrected", id, "by \(UserName.own)"))
        let unknown = try await place("0000000000000000", "--none")
        #expect(unknown.status == 69 && unknown.output.isEmpty)
        #expect(unknown.errors == "visiventd: there is no event '0000000000000000'\n")
        let list = try await place("--list")
        #expect(list.output.contains(id) && list.output.contains("none"), "\(list.output)")
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func whereADaemonRunsItIsAsked() async throws {
        let id = try fill()
        let lock = try DatabaseLock(database: database)
        defer { withExtendedLifetime(lock) {} }
        let requests = Facts<ControlRequest>()
        let server = try ControlServer(path: database + ".sock") { request, reply in
            requests.append(request)
            let isSuccess = request.correction != .nowhere
            reply(ControlReply(message: isSuccess ? "done" : "refused", isSuccess: isSuccess))
            reply(ControlReply(message: "", isLast: true))
        }
        defer { server.stop() }
        let done = try await place(id, "--at", "-8.25,115.5")
        #expect(done.status == 0 && done.output == "done\n", "\(done.errors)")
        let refused = try await place(id, "--none")
        #expect(refused.status == 69 && refused.errors == "visiventd: refused\n", "\(refused.errors)")
        let agung = PlaceCorrection.at(latitude: -8.25, longitude: 115.5, radius: nil, name: nil)
        let expected = [agung, .nowhere].map {
            ControlRequest(.place, event: id, correction: $0, user: UserName.own)
        }
        #expect(requests.all == expected)
    }
}
