import Dispatch
import Foundation
import GRDBSQLite
import Logging
import Model
import Operations
import ProcessSupport
import Serving
import Store
import Synchronization
import Testing

@testable import HTTPService
@testable import Settings

/// Listeners, bounds, streams and the end of the service.
@Suite(.timeLimit(.minutes(60))) struct ConnectionTests {
    private let scene = Scene()

    @Test func aHugeHeadIsRefused() async throws {
        try scene.makeStore()
        try await scene.serve { served in
            for head in [
                "GET /\(String(repeating: "x", count: 17_000))",
                "GET / HTTP/1.1\r\nA: " + String(repeating: "x", count: 17_000),
            ] {
                let client = try served.client()
                client.send(head)
                let answer = RawAnswer(await client.receive())
                #expect(answer.status == 431)
                #expect(answer.headers["content-type"] == "application/problem+json")
                #expect(answer.headers["content-length"] == "\(answer.body.utf8.count)")
                #expect(answer.body.contains("at most 16384 bytes"))
            }
            #expect(try await served.ask("GET", "/\(String(repeating: "x", count: 15_000))").status == 200)
        }
    }

    @Test func aHeadThatDoesNotEndIsNotAwaited() async throws {
        try scene.makeStore()
        var limits = ServiceLimits.patient
        limits.headTime = .milliseconds(50)
        try await scene.serve(limits: limits) { served in
            let silent = try served.client()
            let dripping = try served.client()
            dripping.send("GET / HTTP/1.1\r\nHost: loc")
            #expect(await silent.receive() == "")
            #expect(await dripping.receive() == "")
        }
    }

    /// As `serve` sees the first start of a daemon.
    @Test func eachVersionOfAMigrationIsTheSameFault() {
        let lines = Facts<String>()
        let handler = LineLogHandler(
            format: .logfmt, level: LogLevel(.trace), now: { start }, output: { lines.append($0) })
        let log = ServiceLog(Logger(label: "test") { _ in handler })
        for version in 0...9 { log.cannotRead(StoreError(.olderSchema(found: version, known: 10), "older")) }
        #expect(lines.all.count == 1)
        for version in 11...13 { log.cannotRead(StoreError(.newerSchema(found: version, known: 10), "newer")) }
        log.cannotRead(StoreError(.cannotOpen, "missing"))
        #expect(lines.all.count == 3)
        log.hasRead()
        log.cannotRead(StoreError(.olderSchema(found: 3, known: 10), "older"))
        #expect(lines.all.count == 5)
    }

    @Test func connectionsBeyondTheLimitWait() async throws {
        try scene.makeStore()
        var limits = ServiceLimits.patient
        limits.connections = 1
        try await scene.serve(limits: limits) { served in
            let first = try served.client()
            first.send("GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = await first.receive { $0.hasSuffix("GET /first -") }
            let second = try served.client()
            second.send("GET /second HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            first.shutdown(both: true)
            #expect(RawAnswer(await second.receive()).body == "GET /second -")
        }
        #expect(scene.linesSaying("too many connections").count >= 1)
    }

    @Test func atTheLimitNoneIsAcceptedUntilOneHasClosed() {
        let logger = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        var limit = ConnectionLimit(most: 2, log: ServiceLog(logger))
        limit.connectionOpened()
        #expect(limit.isAcceptingNewConnections())
        limit.connectionOpened()
        #expect(!limit.isAcceptingNewConnections())
        limit.connectionClosed()
        #expect(limit.isAcceptingNewConnections())
    }

    @Test func aClientThatTakesNothingIsClosedAndCostsLittle() async throws {
        try scene.makeStore()
        let made = Mutex(0)
        let endless: Scene.Answering = { request, store, now in
            guard request.path == "/endless" else { return Scene.echo(request, store, now) }
            let piece = [UInt8](repeating: 0x78, count: 1 << 16)
            return APIAnswer(
                status: 200, headers: [],
                body: .pieces { _ in
                    made.withLock { $0 += 1 }
                    return piece
                })
        }
        var limits = ServiceLimits.patient
        limits.stall = .milliseconds(100)
        try await scene.serve(limits: limits, answering: endless) { served in
            let slow = try served.client(receiveBuffer: 4096)
            slow.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await served.ask("GET", "/other").body == "GET /other -")
            #expect(await scene.lines.wait { $0.contains { $0.contains("slow client was closed") } })
            withExtendedLifetime(slow) {}
        }
        // What the kernel keeps for the socket, and little more.
        #expect(made.withLock { $0 } < 256)
    }

    @Test func aStreamTellsOfCommitsUntilTheServiceStops() async throws {
        let store = try scene.makeStore()
        let api = ReadAPI(program: "1")
        let client = Mutex<RawClient?>(nil)
        let answering: Scene.Answering = { request, store, now in api.answer(request, from: store, now: now) }
        try await scene.serve(answering: answering) { served in
            let stream = try served.client()
            client.withLock { $0 = stream }
            stream.send("GET /stream HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            let head = await stream.receive { $0.contains("retry:") }
            #expect(RawAnswer(head).headers["content-type"]?.hasPrefix("text/event-stream") == true)
            try write("us1", to: store)
            await served.service.databaseMayHaveChanged()
            #expect(await stream.receive { $0.contains("event: change") }.contains("event: change"))
        }
        // The graceful stop has ended the stream, with its last chunk.
        let rest = await client.withLock { $0 }?.receive()
        #expect(rest?.hasSuffix("0\r\n\r\n") == true)
    }

    @Test func aClientThatJoinsTakesNoWakeUpFromTheOthers() async throws {
        let store = try scene.makeStore()
        let api = ReadAPI(program: "1")
        let answering: Scene.Answering = { request, store, now in api.answer(request, from: store, now: now) }
        try await scene.serve(answering: answering) { served in
            let resting = try served.client()
            resting.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = await resting.receive { $0.contains("retry:") }
            try write("us1", to: store)
            await served.service.databaseMayHaveChanged()
            _ = await resting.receive { $0.contains("id: 1\n") }
            try write("us2", to: store)
            // It lags, so it reads both changes, the second before the watcher has told of it.
            let joining = try served.client()
            joining.send("GET /stream?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let text = await joining.receive { $0.contains("id: 2\n") }
            #expect(text.contains("id: 2\n"))
            await served.service.databaseMayHaveChanged()
            #expect(await resting.receive { $0.contains("id: 2\n") }.contains("id: 2\n"))
        }
    }

    private func write(_ id: String, to store: EventStore) throws {
        let event = Event(provider: "usgs", id: id, time: start, category: .earthquake, title: "M 5")
        _ = try store.write([
            .step(PollStep(source: "quakes", at: start, answer: FeedAnswer(events: [event]), fingerprint: "f1"))
        ])
    }

    @Test func aGracefulStopFinishesAnswers() async throws {
        try scene.makeStore()
        let gate = DispatchSemaphore(value: 0)
        let slow: Scene.Answering = { _, _, _ in
            let number = Mutex(0)
            return APIAnswer(
                status: 200, headers: [],
                body: .pieces { _ in
                    let piece = number.withLock { number in
                        number += 1
                        return number
                    }
                    if piece == 2 { gate.wait() }
                    return piece < 4 ? Array("piece \(piece);".utf8) : nil
                })
        }
        let client = Mutex<RawClient?>(nil)
        try await scene.serve(answering: slow) { served in
            let reader = try served.client()
            client.withLock { $0 = reader }
            reader.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = await reader.receive { $0.contains("piece 1;") }
            await served.group.triggerGracefulShutdown()
            #expect(await scene.lines.wait { $0.contains { $0.contains("stopping") } })
            gate.signal()
        }
        let rest = await client.withLock { $0 }?.receive()
        #expect(rest?.contains("piece 2;") == true && rest?.contains("piece 3;") == true)
        #expect(rest?.hasSuffix("0\r\n\r\n") == true)
        #expect(scene.linesSaying("stopped").count == 1)
    }

    @Test func whenTheSchemaHasMovedItEnds() async throws {
        let store = try scene.makeStore()
        await #expect(throws: HTTPServiceError.schemaMoved) {
            try await scene.serve { served in
                #expect(try await served.ask().status == 200)
                try store.close()
                var database: OpaquePointer?
                try #require(sqlite3_open(scene.database, &database) == SQLITE_OK)
                defer { sqlite3_close(database) }
                try #require(sqlite3_exec(database, "PRAGMA user_version = 99", nil, nil, nil) == SQLITE_OK)
                await served.service.databaseMayHaveChanged()
                #expect(await scene.lines.wait { $0.contains { $0.contains("database has a newer schema") } })
            }
        }
    }

    @Test func aUnixSocketAloneServesItsGroup() async throws {
        try scene.makeStore()
        let path = scene.directory.path + "/h.sock"
        try await scene.serve(ServeSettings(listen: [.unix(path)])) { served in
            #expect(served.addresses == [.unix(path)])
            var status = stat()
            try #require(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o660)
            #expect(try await served.ask().status == 200)
        }
    }

    @Test func aTakenUnixSocketStaysWithItsOwner() async throws {
        try scene.makeStore()
        let address = ListenAddress.unix(scene.directory.path + "/h.sock")
        try await scene.serve(ServeSettings(listen: [address])) { served in
            let error = await #expect(throws: HTTPServiceError.self) {
                try await scene.serve(ServeSettings(listen: [address])) { _ in }
            }
            #expect(error == .mayNotListen(address, "another program listens there"))
            let answer = try await served.ask()
            #expect(answer.status == 200)
        }
    }

    @Test func aFileThatIsNoSocketIsNotReplaced() async throws {
        try scene.makeStore()
        let address = ListenAddress.unix(scene.database)
        let error = await #expect(throws: HTTPServiceError.self) {
            try await scene.serve(ServeSettings(listen: [address])) { _ in }
        }
        #expect(error == .mayNotListen(address, "something that is no socket is there"))
    }

    @Test func aSocketThatIsLeftIsReplaced() async throws {
        try scene.makeStore()
        let path = scene.directory.path + "/h.sock"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafeBytes(of: &name) { bytes -> Int32 in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return bind(descriptor, address, socklen_t(bytes.count))
        }
        close(descriptor)
        try #require(status == 0)
        try await scene.serve(ServeSettings(listen: [.unix(path)])) { served in
            let answer = try await served.ask()
            #expect(answer.status == 200)
        }
    }

    @Test func aTakenPortIsNamed() async throws {
        try scene.makeStore()
        try await scene.serve { served in
            let error = await #expect(throws: HTTPServiceError.self) {
                try await scene.serve(ServeSettings(listen: [served.addresses[0]])) { _ in }
            }
            #expect(error?.description.hasPrefix("\(served.addresses[0]) cannot be listened at: ") == true)
            #expect(error?.isFinal == true)
        }
    }
}
