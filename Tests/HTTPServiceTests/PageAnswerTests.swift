import Foundation
import Serving
import Settings
import TestSupport
import Testing

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
