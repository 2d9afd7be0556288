import Foundation
import Model
import ProcessSupport
import TestSupport
import Testing

/// `visiventd serve` beside a daemon that writes: it loses no change, holds nothing up, and writes nothing itself.
@Suite(.enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"), .timeLimit(.minutes(60)))
struct ServeRecordTests {
    /// The numbers of the changes that a stream has told whole; a message ends with an empty line.
    private static func changes(in text: String) -> [Int] {
        var (changes, isChange) = ([Int](), false)
        var id: Int?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("id: ") { id = Int(line.dropFirst(4)) }
            if line == "event: change" { isChange = true }
            guard line.isEmpty else { continue }
            if isChange, let id { changes.append(id) }
            (id, isChange) = (nil, false)
        }
        return changes
    }

    @Test("a stream tells each poll's changes; killed clients and services resume with none missed and none twice")
    func resuming() async throws {
        let rounds = ProcessInfo.processInfo.environment["VISIVENTD_KILL_ROUNDS"].flatMap { Int($0) } ?? 20
        let record = try await ServedRecord(events: 100)
        defer { record.end() }
        let daemon = try await record.startDaemon()
        defer { daemon.signal(SIGKILL) }
        var serve = try await record.startServing()
        defer { serve.signal(SIGKILL) }
        var told: [Int] = []
        var random = SplitMix(seed: 7)
        for round in 0..<rounds {
            // A round's poll brings as many changes as its client waits for at the most.
            let wanted = Int.random(in: 1...100, using: &random)
            let client = try ServeClient(record.socket)
            client.ask("/stream", headers: "Last-Event-ID: \(told.last ?? 0)\r\n")
            async let isPolled = record.poll()
            var text = await client.receive { Self.changes(in: $0).count >= wanted }
            if round % 2 == 1 {
                serve.signal(SIGKILL)
                #expect(await serve.exit()?.status == -SIGKILL)
                // What the kernel still has.
                text += await client.receive()
                serve = try await record.startServing()
            }
            told += Self.changes(in: text)
            let hasPolled = await isPolled
            #expect(hasPolled, "\(daemon.lines.all.suffix(5))")
        }
        let all = try await record.database.column("SELECT seq FROM changes_v1 ORDER BY seq").compactMap { Int($0) }
        let newest = try #require(all.last)
        let client = try ServeClient(record.socket)
        client.ask("/stream", headers: "Last-Event-ID: \(told.last ?? 0)\r\n")
        let last = told.last
        // Nothing more comes if the last round has told all.
        let rest = await client.receive { (Self.changes(in: $0).last ?? last) == newest }
        told += Self.changes(in: rest)
        #expect(all.count == rounds * 100)
        #expect(told == all)
    }

    @Test("a client that takes a little of a large answer at a time does not hold the write-ahead log")
    func slowReader() async throws {
        let record = try await ServedRecord(events: 5000)
        defer { record.end() }
        let daemon = try await record.startDaemon()
        defer { daemon.signal(SIGKILL) }
        let serve = try await record.startServing()
        defer { serve.signal(SIGKILL) }
        #expect(await record.poll())
        let reader = try ServeClient(record.socket, receiveBuffer: 4096)
        reader.ask("/collections/events/items?limit=10000", headers: "Connection: close\r\n")
        var text = ""
        for _ in 0..<8 {
            #expect(await record.poll())
            #expect(record.logBytes < 24 << 20, "\(record.logBytes >> 20) MB")
            // The kernel lets the service write on once three quarters of its buffer are taken, some 150 KiB. That must
            // happen within the 30 seconds after which the service closes, on a busy machine, too.
            text += await reader.receive { $0.utf8.count >= 1 << 17 }
        }
        text += await reader.receive()
        #expect(text.hasPrefix("HTTP/1.1 200 OK\n"))
        #expect(text.hasSuffix("0\n\n"), "the last chunk")
    }

    @Test("kill -9 of the service in the middle of a poll changes nothing in the daemon's log")
    func killedAmidAPoll() async throws {
        let record = try await ServedRecord(events: 500)
        defer { record.end() }
        let daemon = try await record.startDaemon()
        defer { daemon.signal(SIGKILL) }
        let serve = try await record.startServing()
        defer { serve.signal(SIGKILL) }
        #expect(await record.poll())
        let stream = try ServeClient(record.socket)
        stream.ask("/stream?after=0")
        #expect(await stream.receive { $0.contains("id: 500\n") }.contains("id: 500\n"))

        #expect(await record.poll())
        #expect(await record.poll { serve.signal(SIGKILL) })
        #expect(await serve.exit()?.status == -SIGKILL)
        let three = await daemon.lines.wait { $0.count { $0.contains("poll ended") } == 3 }
        #expect(three)
        let polls = daemon.lines.all.split { $0.contains("poll ended") }.map { $0.map(Self.words) }
        try #require(polls.count >= 3)
        #expect(polls[2] == polls[1], "\(daemon.lines.all)")
        let ends = daemon.linesHolding("poll ended").map(Self.words)
        #expect(ends.last == ends.dropLast().last, "\(ends)")
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
        #expect(try await record.database.column("PRAGMA integrity_check") == ["ok"])
    }

    /// A log line without its time and values.
    private static func words(_ line: String) -> [Substring] {
        line.split(separator: " ").dropFirst().map { $0.prefix { $0 != "=" } }
    }

    @Test("nothing that is asked writes: the database is open for reading alone, and its bytes stay")
    func readOnly() async throws {
        let record = try await ServedRecord(events: 50)
        defer { record.end() }
        let daemon = try await record.startDaemon()
        #expect(await record.poll())
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
        let files = [record.database.path, record.database.path + "-wal"]
        let before = files.map { FileManager.default.contents(atPath: $0) }
        let serve = try await record.startServing()
        defer { serve.signal(SIGKILL) }
        let hostile = [
            "');DELETE FROM event;--", "\" OR load_extension('x.so')", "title:* NEAR(a b)",
            "a\"; PRAGMA query_only=0;--", "writefile('/tmp/x','y')", "ATTACH 'x' AS y",
        ]
        for text in hostile {
            let value = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            for name in ["q", "author", "source", "provider", "category"] {
                let answer = try await record.answer(
                    at: record.socket, to: "/collections/events/items?\(name)=\(value)")
                // Names that nobody knows are refused.
                let status = ["q", "author"].contains(name) ? "200 OK" : "400 Bad Request"
                #expect(answer.hasPrefix("HTTP/1.1 \(status)\n"), "\(name)=\(text): \(answer)")
            }
            for target in ["/collections/\(value)", "/collections/events/items/\(value)", "/changes?q=\(value)"] {
                let answer = try await record.answer(at: record.socket, to: target)
                #expect(!answer.hasPrefix("HTTP/1.1 5"), "\(target): \(answer)")
            }
        }
        // proc(5): the lowest two bits of the flags are the access mode, 0 is O_RDONLY.
        let folder = "/proc/\(try #require(serve.identifier))"
        var modes: [Int] = []
        for number in try FileManager.default.contentsOfDirectory(atPath: folder + "/fd") {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(number)")
            guard target?.hasSuffix("/events.sqlite") == true else { continue }
            let facts = try String(contentsOfFile: "\(folder)/fdinfo/\(number)", encoding: .utf8)
            let flags = facts.split(separator: "\n").first { $0.hasPrefix("flags:") }?.dropFirst(6)
            modes.append(Int(flags?.filter { $0.isNumber } ?? "", radix: 8) ?? -1)
        }
        #expect(!modes.isEmpty)
        #expect(modes.allSatisfy { $0 & 3 == 0 }, "\(modes)")
        serve.signal(SIGTERM)
        #expect(await serve.exit()?.status == 0)
        #expect(files.map { FileManager.default.contents(atPath: $0) } == before)
    }
}
