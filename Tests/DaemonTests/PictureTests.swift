import Engine
import Fetching
import Foundation
import Logging
import Model
import Pictures
import Store
import TestSupport
import Testing

@testable import Daemon

/// Pictures in the running daemon, with a scripted network.
@Suite struct PictureTests {
    private let host = "https://pictures.example.org/"

    @Test(arguments: [false, true])
    func thePollerAsksForNamedPicturesAndKeepsThemAlsoWhereTheFileIsDamaged(isDamaged: Bool) async throws {
        let directory = TemporaryDirectory()
        let store = try EventStore(path: directory.path + "/events.sqlite")
        let source = SourceSettings(name: "news", kind: "rss", url: "https://example.org/rss")
        let now = TimeSource.live.now()
        try store.reconcile([source], at: now.wall)
        let links = [host + "a.png", host + "b.png", "http://192.168.0.7/c.png"]
        let events = links.enumerated().map { index, link in
            Event(
                provider: "news", id: "\(index)", time: now.wall, category: .news, title: "Ash",
                author: Author(name: "Ada", picture: link))
        }
        _ = try store.write([
            .step(PollStep(source: "news", at: now.wall, answer: FeedAnswer(events: events), fingerprint: "f"))
        ])
        let hosts = PictureHosts(["pictures.example.org"])
        let pictures = PictureStore(beside: directory.path + "/events.sqlite", hosts: hosts)
        try pictures.prepare()
        if isDamaged {
            // Its first page is whole, so only its use shows the damage.
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: pictures.path))
            try file.seek(toOffset: 4096)
            try file.write(contentsOf: Data(repeating: 0x5A, count: 12 * 4096))
            try file.close()
        }
        let seed = try Fixtures.data("fuzz/seeds/pictures/dot.png")
        let (requests, inbox) = AsyncStream.makeStream(of: String.self)
        let network: Network = { request async throws(Failure) in
            inbox.yield(request.url)
            return .body(FetchedBody(data: seed, headers: ["content-type": "text/html"], url: request.url))
        }
        let engine = Engine(sources: [], pictures: PicturePlan(hosts: hosts, gap: .zero), seed: 1, at: now)
        let poller = Poller(
            engine: engine, store: store, network: network,
            authorization: { _ throws(Failure) in throw Failure(.ours, .secret, "there is none") }, time: .live,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, pictures: pictures)
        async let running: Void = poller.run()
        var asked: [String] = []
        for await url in requests {
            asked.append(url)
            // The second request leaves when the first picture is stored.
            if asked.count == 2 { break }
        }
        #expect(Set(asked) == [host + "a.png", host + "b.png"])
        #expect(try pictures.picture(PictureKey.of(asked[0])) == PictureContent(format: .png, data: seed))
        poller.stop()
        await running
    }
}
