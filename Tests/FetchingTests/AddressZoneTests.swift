import Fetching
import Foundation
import Model
import Testing

/// Limits on the addresses that a foreign server or feed may lead to.
@Suite(.timeLimit(.minutes(60)))
struct AddressZoneTests {
    private static let table: [(AddressZone, [String])] = [
        (.open, ["8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.1", "192.167.255.255"]),
        (.open, ["126.255.255.255", "128.0.0.1", "169.253.0.1", "223.255.255.255", "198.17.0.1", "198.20.0.1"]),
        (.open, ["2a00:1450:4001::1", "2001:4860:4860::8888"]),
        (.open, ["::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]),
        (.loopback, ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "[::1]"]),
        (.loopback, ["64:ff9b::7f00:1", "2002:7f00:1::", "::ffff:0:127.0.0.1"]),
        (.linkLocal, ["169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0", "::ffff:169.254.169.254"]),
        (.privateUse, ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255"]),
        (.privateUse, ["fc00::1", "fd12:3456::1", "fec0::1", "::ffff:10.1.2.3", "64:ff9b::a00:1", "64:ff9b:1::a00:1"]),
        (.privateUse, ["2002:c0a8:101::1", "2002:a00:1::"]),
        (.special, ["0.0.0.0", "0.1.2.3", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.2.1"]),
        (.special, ["198.18.0.1", "198.51.100.1", "203.0.113.9", "192.0.0.1", "::", "ff02::1", "2001:db8::1"]),
        (.special, ["2001::1", "100::1", "4000::1", "fe00::1", "::ffff:0.0.0.0", "3fff::1"]),
    ]

    @Test func everyRangeHasItsZone() {
        for (zone, addresses) in Self.table {
            for address in addresses { #expect(AddressZone(address) == zone, "\(address)") }
        }
    }

    @Test func namesAreJudgedOnlyWhereTheyTell() {
        #expect(AddressZone(host: "LOCALHOST.") == .loopback)
        #expect(AddressZone(host: "a.localhost") == .loopback)
        #expect(AddressZone(host: "10.0.0.1") == .privateUse)
        for name in ["example.org", "localhost.example.org", "10.0.0.1.example.org", "", "1", "::g"] {
            #expect(AddressZone(host: name) == nil, "\(name)")
        }
    }

    // MARK: On the wire

    /// 192.0.2.1 is not on this machine, so it may not redirect to this machine.
    @Test(arguments: ["http://192.0.2.1/feed", "http://10.0.0.1/feed", "file:///feed.xml"])
    func aForeignHopToThisMachineIsRefused(home: String) async throws {
        let server = try RawServer(reply: reply(body: [1]))
        defer { server.stop() }
        let fetcher = try makeFetcher()
        let failure = try #require(await fetcher.failure(FetchRequest(url: server.url("/"), home: home)))
        #expect(failure.code == "refused_address")
        // The URL itself has the address, so a retry would not help.
        #expect(failure.fault == .feed)
        #expect(server.requests.isEmpty)
    }

    /// The unspecified address has a special name and leads to this machine: the connected address counts.
    @Test func theConnectedAddressCounts() async throws {
        let server = try RawServer(reply: reply(body: [1]))
        defer { server.stop() }
        let fetcher = try makeFetcher()
        let url = server.url("/").replacing("127.0.0.1", with: "0.0.0.0")
        let failure = try #require(await fetcher.failure(FetchRequest(url: url, home: "http://224.0.0.1/feed")))
        #expect(failure.code == "refused_address")
        #expect(failure.fault == .network)
        #expect(server.requests.isEmpty)
    }

    @Test func aConnectionThatWasKeptIsJudgedToo() async throws {
        let server = try RawServer(replies: [reply(body: [1]), reply(body: [2])])
        defer { server.stop() }
        let fetcher = try makeFetcher()
        let url = server.url("/").replacing("127.0.0.1", with: "0.0.0.0")
        #expect(try await fetcher.body(url)?.data == Data([1]))
        #expect(await fetcher.failure(FetchRequest(url: url, home: "http://224.0.0.1/feed"))?.code == "refused_address")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["http://127.0.0.2:8080/feed", "http://localhost/feed", "https://[::1]/feed"])
    func aHostOfThisMachineMayLeadToThisMachine(home: String) async throws {
        let server = try RawServer(reply: reply(body: [1]))
        defer { server.stop() }
        let body = try await makeFetcher().body(FetchRequest(url: server.url("/"), home: home))
        #expect(body?.data == Data([1]))
    }

    @Test func throughAProxyOnlyTheNameIsJudged() async throws {
        let proxy = try RawServer(reply: reply(body: [1]))
        defer { proxy.stop() }
        let fetcher = try makeFetcher()
        func request(_ url: String) -> FetchRequest {
            FetchRequest(url: url, proxy: proxy.url(""), home: "http://8.8.8.8/")
        }
        #expect(try await fetcher.body(request("http://other.example/"))?.data == Data([1]))
        for url in ["http://127.1/", "http://0xA9FEA9FE/latest", "http://[::ffff:10.0.0.1]/", "http://localhost/"] {
            #expect(await fetcher.failure(request(url))?.code == "refused_address", "\(url)")
        }
        #expect(proxy.requests.count == 1)
    }
}
