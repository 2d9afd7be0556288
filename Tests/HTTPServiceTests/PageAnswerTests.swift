import Foundation
import Serving
import TestSupport
import Testing

@testable import Settings

/// The map page over the socket.
@Suite(.timeLimit(.minutes(60))) struct PageAnswerTests {
    private let scene = Scene()
    private let folder = TemporaryDirectory()

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        + "worker-src blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
    }

    /// The interface with a page.
    private func interface(_ serve: ServeSettings = ServeSettings()) throws -> Scene.Preparing {
        try write("@PAGE@", to: "index.html")
        let files = try #require(PageFiles(folder: folder.path))
        var settings = Settings(database: scene.database, sources: [])
        settings.serve = serve
        let api = ReadAPI(program: "1", map: MapPage(settings, files: files))
        return { request, now in api.prepare(request, now: now) }
    }

    private static func navigation(to destination: String, from site: String = "cross-site") -> String {
        "Accept: text/html\r\nSec-Fetch-Site: \(site)\r\nSec-Fetch-Mode: navigate\r\n"
            + "Sec-Fetch-Dest: \(destination)\r\n"
    }

    @Test func aConfiguredOriginMayFrameThePageAndNothingElse() async throws {
        try scene.makeStore()
        let origins = ["https://news.example.org", "http://localhost:8080"]
        let serve = ServeSettings(listen: [.tcp("127.0.0.1", 0)], frameAncestors: origins, basePath: "/quakes")
        try await scene.serve(serve, preparing: try interface(serve)) { served in
            for target in ["/quakes/?embed=1", "/quakes/"] {
                let page = try await served.ask("GET", target, headers: Self.navigation(to: "iframe"))
                #expect(page.status == 200, "\(target)")
                let policy = try #require(page.headers["content-security-policy"])
                #expect(policy.hasSuffix("; frame-ancestors https://news.example.org http://localhost:8080"))
                #expect(page.headers["x-frame-options"] == nil)
            }
            for target in ["/quakes/collections", "/quakes/page/upkeep", "/quakes/?f=html", "/quakes"] {
                let alone = try await served.ask("GET", target, headers: Self.navigation(to: "document"))
                #expect(alone.headers["x-frame-options"] == "DENY", "\(target)")
                #expect(alone.headers["content-security-policy"]?.hasSuffix("frame-ancestors 'none'") == true)
            }
            for target in ["/quakes/collections", "/quakes/page/upkeep", "/quakes"] {
                let framed = try await served.ask("GET", target, headers: Self.navigation(to: "iframe"))
                #expect(framed.status == 403, "\(target)")
            }
            for destination in ["object", "embed", "frame"] {
                let part = try await served.ask("GET", "/quakes/", headers: Self.navigation(to: destination))
                #expect(part.status == 403, "\(destination)")
            }
        }
    }

    @Test func withoutOriginsNothingIsFramed() async throws {
        try await scene.serve(preparing: try interface()) { served in
            let page = try await served.ask(headers: Self.navigation(to: "document"))
            #expect(page.status == 200)
            #expect(page.headers["x-frame-options"] == "DENY")
            let framed = try await served.ask(headers: Self.navigation(to: "iframe", from: "same-site"))
            #expect(framed.status == 403)
        }
    }

    @Test func headOfACompressedAnswerHasTheFieldsOfGet() async throws {
        try scene.makeStore()
        let fields = "Accept-Encoding: gzip\r\n"
        try await scene.serve(preparing: try interface()) { served in
            for target in ["/api", "/collections"] {
                let whole = try await served.ask("GET", target, headers: fields)
                let head = try await served.ask("HEAD", target, headers: fields)
                #expect(whole.headers["content-encoding"] == "gzip", "\(target)")
                #expect(head.status == 200 && head.body == "", "\(target)")
                for name in ["content-encoding", "content-length", "content-type", "etag", "vary"] {
                    #expect(head.headers[name] == whole.headers[name], "\(target): \(name)")
                }
                let plain = try await served.ask("HEAD", target)
                #expect(plain.headers["content-encoding"] == nil, "\(target)")
                #expect(plain.headers["content-length"] != head.headers["content-length"], "\(target)")
            }
        }
    }

    @Test func thePageAloneMayLoadAnything() async throws {
        try write("@PAGE@", to: "index.html")
        try write("body {}", to: "style.css")
        try write("packed", to: "style.css.gz")
        let files = try #require(PageFiles(folder: folder.path))
        let settings = Settings(database: scene.database, sources: [])
        let api = ReadAPI(program: "1", map: MapPage(settings, files: files))
        let preparing: Scene.Preparing = { request, now in api.prepare(request, now: now) }
        // Neither the page nor its files need the database.
        try await scene.serve(preparing: preparing) { served in
            let page = try await served.ask(headers: "Accept: text/html\r\n")
            #expect(page.status == 200)
            #expect(page.headers["content-security-policy"] == Self.policy)
            #expect(page.headers["x-content-type-options"] == "nosniff")
            let style = "/\(page.body)/style.css"
            let plain = try await served.ask("GET", style)
            #expect(plain.body == "body {}")
            let packed = try await served.ask("GET", style, headers: "Accept-Encoding: gzip, br\r\n")
            #expect(packed.headers["content-encoding"] == "gzip")
            #expect(packed.body == "packed")
            let head = try await served.ask("HEAD", style)
            #expect(head.headers["content-length"] == "7")
            #expect(head.body == "")
            let links = try await served.ask("GET", "/?f=html")
            let json = try await served.ask()
            for answer in [plain, packed, links, json] {
                #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'; base-uri") == true)
            }
            #expect(scene.linesSaying("database cannot be read").isEmpty)
        }
    }
}
