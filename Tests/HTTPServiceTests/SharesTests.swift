import NIOCore
import Settings
import Testing

@testable import HTTPService

@Suite struct SharesTests {
    @Test func noClientHoldsAll() {
        let shares = Shares(most: 8, clients: 4)
        #expect(shares.take(2, for: "a"))
        #expect(!shares.take(1, for: "a"))
        for client in ["b", "c", "d"] { #expect(shares.take(2, for: client)) }
        #expect(!shares.take(1, for: "e"), "all of it is held")
        shares.give(2, of: "a")
        #expect(shares.take(1, for: "e"), "what was refused is not held")
        #expect(shares.held == 7)
    }

    @Test func roomIsTakenBeforeAPieceIsMadeAndGivenBack() {
        let shares = Shares(most: 1 << 20, clients: 2)
        do {
            let held = HeldBytes(shares, of: "a")
            #expect(held.reserve())
            #expect(shares.held == 256 << 10)
            #expect(held.set(to: 100_000))
            #expect(shares.held == 100_000)
            #expect(!HeldBytes(shares, of: "a").set(to: 500_000), "more than the client's share")
            #expect(HeldBytes(shares, of: "a").set(to: 16 << 10), "small ones always find room")
            #expect(shares.held == 100_000)
            #expect(!held.set(to: 600_000))
            #expect(shares.held == 0)
            #expect(held.set(to: 500_000))
        }
        #expect(shares.held == 0, "the last reference gives it back")
    }

    // MARK: - Clients

    private let clients = ClientNames(proxies: [AddressRange("10.0.0.0/8"), AddressRange("::1")].compactMap { $0 })

    private func name(_ peer: String, _ forwarded: String? = nil) throws -> String {
        clients.name(of: try SocketAddress(ipAddress: peer, port: 80), forwarded: forwarded)
    }

    @Test func whatAStrangerSaysOfOthersDoesNotCount() throws {
        #expect(try name("192.0.2.7", "198.51.100.1") == "192.0.2.7")
        #expect(try name("2001:db8::1") == name("2001:db8::2"))
    }

    @Test func theLastAddressThatIsNoProxyIsTheClient() throws {
        #expect(try name("10.0.0.1", "1.1.1.1, 192.0.2.7, 10.9.9.9") == "192.0.2.7")
        #expect(try name("::1", "192.0.2.7:1234") == "192.0.2.7")
        #expect(try name("::1", "[2001:db8::1]:1234") == name("2001:db8::9"))
        #expect(try name("10.0.0.1", "192.0.2.7, unknown") == "proxy", "what stands before it is a claim")
        #expect(try name("10.0.0.1", "10.0.0.2") == "proxy")
        #expect(try name("10.0.0.1") == "proxy")
    }

    @Test func aUnixSocketIsAProxy() throws {
        let peer = try SocketAddress(unixDomainSocketPath: "/run/x")
        #expect(clients.name(of: peer, forwarded: "192.0.2.7") == "192.0.2.7")
        #expect(clients.name(of: peer, forwarded: nil) == "proxy")
        #expect(clients.name(of: peer) == nil && clients.name(of: nil) == nil)
    }
}
