import Foundation
import ProcessSupport
import Testing

/// The real program on networks that drop name look-ups and connections.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"),
    .enabled(if: Enclave.isPermitted, "mounting is permitted neither to this user nor in a user namespace"),
    .timeLimit(.minutes(60)))
struct NetworkTests {
    @Test(
        "name look-ups that hang fail by the connect time-out, delay nobody else and not the end",
        .enabled(if: Enclave.isRoot, "port 53 can be bound by root alone"))
    func nameServerThatNeverAnswers() async throws {
        let resolver = try #require(SilentResolver(), "127.0.0.77:53 is taken")
        defer { withExtendedLifetime(resolver) {} }
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        feeds.stopGrowing()
        let hanging = (0..<40).map { feeds.source("hanging\($0)", url: "http://n\($0).example.test/feed") }
        let file = try feeds.configuration(
            fetch: "per_host_gap: 0s, connect_timeout: 3s", hanging + [feeds.source("healthy")])
        let folder = feeds.directory.path
        try "nameserver 127.0.0.\(SilentResolver.address)\noptions timeout:30 attempts:5\n"
            .write(toFile: folder + "/resolv.conf", atomically: true, encoding: .utf8)
        try "hosts: files dns\n".write(toFile: folder + "/nsswitch.conf", atomically: true, encoding: .utf8)
        let enclave = try await Enclave(
            """
            mount --bind '\(folder)/resolv.conf' /etc/resolv.conf
            mount --bind '\(folder)/nsswitch.conf' /etc/nsswitch.conf
            """)
        let process = try DaemonProcess(configuration: file, within: enclave.prefix)
        defer { process.signal(SIGKILL) }
        // The healthy source is polled twice, the hanging ones once; then they hang again.
        #expect(
            await process.lines.wait { lines in
                lines.count { $0.contains("poll ended") && $0.contains("source=healthy") } == 2
                    && lines.contains { $0.contains("poll ended") && $0.contains("source=hanging0 ") }
            })
        #expect(
            await process.lines.wait { lines in
                lines.count { $0.contains("poll started") && $0.contains("source=hanging0 ") } == 2
            })
        let terminated = ContinuousClock.now
        process.signal(SIGTERM)
        let end = try #require(await process.exit())
        #expect(end.status == 0)
        #expect(end.at - terminated < .seconds(5))

        let ended = process.linesHolding("poll ended")
        let first = try #require(ended.first)
        #expect(first.contains("source=healthy"), "the hanging ones have delayed it: \(first)")
        let failed = ended.filter { $0.contains("source=hanging") }
        #expect(failed.count >= 40)
        #expect(failed.allSatisfy { $0.contains("error=connect_timeout") || $0.contains("error=cancelled") })
        let asked = feeds.server.requests(to: "/healthy")
        #expect(asked.count == 2)
        // Its interval is 10 s.
        if asked.count == 2 { #expect(asked[1].instant - asked[0].instant < .seconds(11)) }
    }

    @Test(
        "an IPv6 address that black-holes costs a moment where there is an IPv4 one, else the connect time-out",
        .enabled(if: BlackHole.isPossible, "this machine has no ::1"))
    func blackHole() async throws {
        let feeds = try await SmallFeeds()
        defer { feeds.end() }
        let port = try #require(feeds.server.baseURL.split(separator: ":").last.flatMap { UInt16($0) })
        let hole = try #require(BlackHole(port: port), "[::1]:\(port) is taken")
        defer { withExtendedLifetime(hole) {} }
        let file = try feeds.configuration(
            fetch: "per_host_gap: 0s, connect_timeout: 4s",
            [
                feeds.source("both", url: "http://both.test:\(port)/both"),
                feeds.source("six", url: "http://[::1]:\(port)/six"),
                feeds.source("four"),
            ])
        let hosts = feeds.directory.path + "/hosts"
        try "127.0.0.1 localhost\n127.0.0.1 both.test\n::1 both.test\n"
            .write(toFile: hosts, atomically: true, encoding: .utf8)
        let enclave = try await Enclave("mount --bind '\(hosts)' /etc/hosts")
        let starts = Facts<ContinuousClock.Instant>()
        let process = try DaemonProcess(configuration: file, within: enclave.prefix) { _, line in
            if line.contains("poll started"), line.contains("source=both") { starts.append(.now) }
        }
        defer { process.signal(SIGKILL) }
        for source in ["both", "six", "four"] {
            #expect(await process.says("poll ended", "source=\(source) "), "\(process.lines.all)")
        }
        // A source with this address only ends by its time-out, without an answer from there.
        #expect(!process.linesHolding("poll ended", "source=six", "error=connect_timeout").isEmpty)
        #expect(await process.says("source is failing", "source=six", "fault=network"))
        for source in ["both", "four"] {
            #expect(process.linesHolding("poll ended", "source=\(source)", "error=").isEmpty)
        }
        let begun = try #require(starts.all.first)
        let arrived = try #require(feeds.server.requests(to: "/both").first).instant
        // RFC 8305: the other family is tried after about 200 ms.
        #expect(arrived - begun < .seconds(2))
        process.signal(SIGTERM)
        #expect(await process.exit()?.status == 0)
    }
}
