import Settings
import Testing

@Suite struct HostCheckTests {
    private let check = HostCheck(["quakes.example.org", "2001:db8::7"])

    @Test(arguments: [
        "localhost", "LOCALHOST:8423", "127.0.0.1", "127.0.0.1:80", "127.1.2.3:8423", "[::1]:8423", "[::1]",
        "[::ffff:127.0.0.1]", "quakes.example.org", "Quakes.Example.Org:443", "192.0.2.7:8423", "[2001:DB8::7]:80",
    ])
    func itsOwnNamesAreAccepted(host: String) {
        #expect(check.accepts(host, at: IPLiteral("192.0.2.7")))
    }

    @Test(arguments: [
        "", "evil.example", "localhost.evil.example", "quakes.example.org.", "x.quakes.example.org", "192.0.2.8",
        "127.0.0.1.evil.example", "[::1", "::1", "[localhost]", "localhost:80:80", "localhost:x", "0.0.0.0", "[::]",
        "user@localhost", "127.1", "2130706433", "localhost\u{0}", "127.0.0.1\u{0}.evil.example",
    ])
    func allOthersAreRefused(host: String) {
        #expect(!check.accepts(host, at: IPLiteral("192.0.2.7")))
        #expect(!check.accepts(host, at: nil))
    }
}
