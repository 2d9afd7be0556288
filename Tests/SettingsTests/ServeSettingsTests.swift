import Settings
import Testing

@Suite struct ServeSettingsTests {
    private static let sources = "sources: [{name: quakes, kind: usgs}]\n"

    private func read(_ section: String) throws -> ServeSettings {
        try readSettings("serve:\n" + section + Self.sources).serve
    }

    @Test func withoutASectionItListensAtLoopback() throws {
        let serve = try readSettings(Self.sources).serve
        #expect(serve == ServeSettings())
        #expect(serve.listen.map(\.description) == ["127.0.0.1:8423"])
        #expect(serve.advice.isEmpty)
    }

    @Test func everyKeyIsRead() throws {
        let serve = try read(
            """
              listen: ["[0:0::1]:8423", "unix:/run/visiventd-serve/http.sock", 192.0.2.7:80]
              hosts: [Quakes.Example.ORG, "[2001:DB8::1]", 192.0.2.7]
              cors: ["HTTPS://Maps.Example.org", "http://localhost:8080"]

            """)
        #expect(
            serve.listen == [.tcp("::1", 8423), .unix("/run/visiventd-serve/http.sock"), .tcp("192.0.2.7", 80)])
        #expect(serve.hosts == ["quakes.example.org", "2001:db8::1", "192.0.2.7"])
        #expect(serve.origins == ["https://maps.example.org", "http://localhost:8080"])
        #expect(try read("  listen: unix:/run/h.sock\n").listen == [.unix("/run/h.sock")])
    }

    @Test func allFaultsComeAtOnce() {
        let found = faults(
            """
            serve:
              listen: [localhost:8423, "127.0.0.1:0"]
              hosts: ["https://a.example", b.example]
              cors: ["*", "https://a.example/page"]
              port: 80
            \(Self.sources)
            """)
        #expect(found.count == 6, "\(found)")
        for (index, key) in ["listen[0]", "listen[1]", "hosts[0]", "cors[0]", "cors[1]", "port"].enumerated()
        where found.indices.contains(index) {
            #expect(found[index].contains(" serve.\(key): "))
        }
    }

    @Test(arguments: ["", "8423", ":8423", "::1:8423", "[127.0.0.1]:80", "127.0.0.1", "1.2.3.4:65536", "unix:h.sock"])
    func otherTextIsNoAddress(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test func aListenerThatOthersReachWantsNames() throws {
        #expect(try read("  listen: 0.0.0.0:8423\n").advice.count == 1)
        #expect(try read("  listen: 0.0.0.0:8423\n  hosts: [a.example]\n").advice.isEmpty)
        #expect(try read("  listen: 127.8.0.1:8423\n").advice.isEmpty)
        #expect(try read("  listen: unix:/run/h.sock\n").advice.isEmpty)
    }

    @Test func aPortThatTheUnitForbidsIsNamed() throws {
        let advice = try read("  listen: 127.0.0.1:9000\n").advice
        #expect(advice.count == 1 && advice[0].contains("SocketBindAllow=tcp:9000"), "\(advice)")
    }
}

@Suite struct IPLiteralTests {
    @Test func loopbackIsKnownInEveryForm() throws {
        for text in ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"] {
            #expect(try #require(IPLiteral(text)).isLoopback, "\(text)")
        }
        for text in ["128.0.0.1", "::", "::2", "::ffff:10.0.0.1", "fe80::1"] {
            let literal = try #require(IPLiteral(text))
            #expect(!literal.isLoopback, "\(text)")
        }
    }

    @Test func aNameIsNone() {
        for text in ["", "localhost", "127.1", "0x7f.0.0.1", "[::1]", "::1%lo", "1.2.3.4 "] {
            #expect(IPLiteral(text) == nil, "\(text)")
        }
    }
}
