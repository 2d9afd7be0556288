import Testing

@testable import Settings

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
              frame_ancestors: ["HTTPS://News.Example.org", "http://localhost:8080"]
              configuration: true

            """)
        #expect(serve.showsConfiguration)
        #expect(serve.frameAncestors == ["https://news.example.org", "http://localhost:8080"])
        #expect(
            serve.listen == [.tcp("::1", 8423), .unix("/run/visiventd-serve/http.sock"), .tcp("192.0.2.7", 80)])
        #expect(serve.hosts == ["quakes.example.org", "2001:db8::1", "192.0.2.7"])
        #expect(serve.origins == ["https://maps.example.org", "http://localhost:8080"])
        #expect(try read("  listen: unix:/run/h.sock\n").listen == [.unix("/run/h.sock")])
    }

    @Test func whatThePageMayShowIsRead() throws {
        let serve = try read(
            """
              page: ../page/
              basemaps:
                - name: streets
                  tiles: https://Tile.Example.org:8443/a/{z}/{x}/{y}@2x.png?k=1
                  attribution: "© somebody"
                  maximum_zoom: 17
                  referer: true
                - {name: relief, mbtiles: relief.mbtiles, attribution: somebody else}
              overlays:
                - {name: plates, file: /srv/plates.geojson, attribution: "P. Bird, 2003"}

            """)
        #expect(serve.page == "/etc/visiventd/../page")
        let streets = "https://Tile.Example.org:8443/a/{z}/{x}/{y}@2x.png?k=1"
        #expect(
            serve.basemaps == [
                BasemapSettings(
                    name: "streets", tiles: .web(streets), attribution: "© somebody", maximumZoom: 17,
                    sendsReferer: true),
                BasemapSettings(
                    name: "relief", tiles: .file("/etc/visiventd/relief.mbtiles"), attribution: "somebody else"),
            ])
        #expect(serve.basemaps.map { $0.origin } == ["https://tile.example.org:8443", nil])
        #expect(
            serve.overlays == [
                OverlaySettings(name: "plates", file: "/srv/plates.geojson", attribution: "P. Bird, 2003")
            ])
    }

    @Test func eachFaultOfABaseMapIsToldAtItsPlace() {
        let found = faults(
            """
            serve:
              page: ~/page
              basemaps:
                - name: plain
                  tiles: https://a.example/{z}/{x}/{y}.png
                  mbtiles: a.mbtiles
                  attribution: A
                - name: a b
                  attribution: A
                - name: c
                  mbtiles: c.mbtiles
                  referer: true
                  maximum_zoom: 25
              overlays:
                - name: d
                  url: https://a.example/
                - word
            \(Self.sources)
            """)
        let keys = [
            "2:3: serve.page", "4:7: serve.basemaps[0].name", "6:7: serve.basemaps[0].mbtiles",
            "8:7: serve.basemaps[1].name", "8:7: serve.basemaps[1].tiles", "10:7: serve.basemaps[2].attribution",
            "12:7: serve.basemaps[2].referer", "13:7: serve.basemaps[2].maximum_zoom", "15:7: serve.overlays[0].file",
            "15:7: serve.overlays[0].attribution", "16:7: serve.overlays[0].url", "17:7: serve.overlays[1]",
        ]
        #expect(found.count == keys.count, "\(found)")
        for (fault, key) in zip(found, keys) { #expect(fault.hasPrefix("visiventd.yaml:\(key): "), "\(fault)") }
    }

    /// Whatever a base map's address is, the policy that names its host stays the one that was meant.
    @Test(arguments: [
        "http://a.example/{z}/{x}/{y}.png", "https://a.example/{z}/{x}.png", "https://a.example/{z}/{x}/{y}/{y}.png",
        "https://{s}.a.example/{z}/{x}/{y}.png", "https://a.example/{z}/{x}/{y}{r}.png", "https://a.example/{z/{x}/{y}",
        "https://a.example;script-src/{z}/{x}/{y}.png", "https://*.example/{z}/{x}/{y}.png",
        "https://a.example,b.example/{z}/{x}/{y}.png", "https://'self'/{z}/{x}/{y}.png", "https:///{z}/{x}/{y}.png",
        "https://u:p@a.example/{z}/{x}/{y}.png", "https://[::1]/{z}/{x}/{y}.png", "https://a.example:/{z}/{x}/{y}.png",
        "https://a.example/#{z}/{x}/{y}.png", "//a.example/{z}/{x}/{y}.png", "https://a.example./{z}/{x}/{y}.png",
        "https://{z}.example/{x}/{y}.png",
    ])
    func otherAddressesOfTilesAreRefused(url: String) {
        let found = faults(
            "serve: {basemaps: [{name: a, tiles: \"\(url)\", attribution: A}]}\n\(Self.sources)")
        #expect(found.count == 1 && found[0].contains("serve.basemaps[0].tiles: found "), "\(found)")
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

    /// Whatever the origin is, the policy that names it stays the one that was meant.
    @Test(arguments: [
        "*", "'self'", "https://*.example.org", "https:", "news.example.org", "https://a.example/",
        "https://a.example;",
        "https://a.example https://b.example", "https://a.example,b.example", "https://u:p@a.example", "data:",
        "https://a.example:0", "https://'none'",
    ])
    func otherFrameAncestorsAreRefused(text: String) {
        let found = faults("serve: {frame_ancestors: [\"\(text)\"]}\n\(Self.sources)")
        #expect(found.count == 1 && found[0].contains("serve.frame_ancestors[0]: found "), "\(found)")
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
        #expect(try read("  listen: 127.0.0.1:9000\n").advice.isEmpty, "of a unit nothing is known here")
    }

    @Test(arguments: ["/quakes", "/Quakes", "/a/b_c/v1.0-x", "/.quakes"]) func aBasePathIsRead(path: String) throws {
        #expect(try read("  base_path: \(path)\n").basePath == path)
    }

    /// Whatever the path is, an address made with it stays one of the same host.
    @Test(
        arguments: [
            ("quakes", "/quakes"), ("/quakes/", "/quakes"), ("//evil.example", "/evil.example"), ("/a//b", "/a/b"),
            ("", nil), ("/", nil), ("/..", nil), ("/...", nil), ("/a/./b", nil), ("/a b", nil), ("/ä", nil),
            ("/\u{212A}", nil), ("/a?b", nil), ("/a#b", nil), ("/a%2Fb", nil), ("/a\\b", nil), ("/@evil.example", nil),
            ("https://a.example/quakes", nil), ("/\"><script>", nil), ("/{a}", nil),
            ("/" + String(repeating: "a", count: 100), nil),
        ] as [(String, String?)])
    func otherBasePathsAreRefused(path: String, meant: String?) {
        let found = faults("serve:\n  base_path: '\(path)'\n\(Self.sources)")
        #expect(found.count == 1 && found[0].hasPrefix("visiventd.yaml:2:3: serve.base_path: found "), "\(found)")
        #expect(found.first?.contains("; accepted: a path such as /quakes") == true, "\(found)")
        #expect(
            found.first?.hasSuffix(meant.map { "; did you mean \($0)?" } ?? "at its end") == true, "\(found)")
    }

    @Test func aBasePathWantsTheNameOfItsSite() throws {
        let advice = try read("  base_path: /quakes\n").advice
        #expect(advice.count == 1 && advice[0].hasPrefix("serve.base_path: "), "\(advice)")
        #expect(try read("  base_path: /quakes\n  hosts: [a.example]\n").advice.isEmpty)
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
