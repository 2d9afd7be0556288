import Engine
import Fetching
import Foundation
import Model
import Simulation
import Store
import Testing

/// Months of events that name pictures, with deaths, erasures and hosts that change their minds.
@Suite struct PictureSimulationTests {
    /// A small random number generator.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let hosts = ["pictures.example.org", "feeds.example.org"]
    private static let named = hosts + ["192.168.3.4", "unlisted.example.org"]

    @Test(arguments: UInt64(1)...2)
    func aMonthKeepsThePicturesOfTheEventsThatNameThemAndNoOthers(seed: UInt64) throws {
        var dice = Dice(state: seed)
        let source = SourceSettings(
            name: "news", kind: "rss", url: "https://feeds.example.org/rss", refreshInterval: .seconds(900),
            offset: .zero, maxAge: .seconds(5 * 86_400))
        let daemon = try InProcessDaemon(
            [source], seed: seed, pictureHosts: PictureHosts(Self.hosts), pictureBytes: 4_000,
            network: { _ in
                .body(Data("<rss version='2.0'><channel><title>n</title></channel></rss>".utf8))
            })
        let pictures = try #require(daemon.pictures)
        var answers = Dice(state: seed &+ 99)
        var (gone, pages, lost) = (0, 0, 0)
        // Its head: 32 by 32 pixels.
        let gif = Data("GIF89a".utf8) + Data([32, 0, 32, 0, 0, 0, 0])
        let redirect = { (url: String) -> Result<FetchOutcome, Failure> in
            .success(.redirect(to: url, status: 302, isPermanent: false, FetchFacts()))
        }
        daemon.pictureNetwork = { request in
            switch Int.random(in: 0..<10, using: &answers) {
            case 0:
                gone += 1
                return .failure(Failure(.server, "http_404", "", status: [403, 404, 410][gone % 3]))
            case 1:
                pages += 1
                return .success(.body(FetchedBody(data: Data("<html>".utf8), url: request.url)))
            case 2: return .failure(Failure(.network, .timeout, ""))
            case 3: return redirect(request.url + "x")
            case 4: return redirect("http://192.168.0.7/x.png")
            case 5 where !request.validators.isEmpty: return .success(.notModified(FetchFacts()))
            default:
                let data = gif + Data(repeating: 1, count: Int.random(in: 10...400, using: &answers))
                return .success(.body(FetchedBody(data: data, url: request.url)))
            }
        }
        var living: [Int: String] = [:]
        var number = 0
        for hour in 0..<(30 * 24) {
            let wall = daemon.now.wall
            var events: [Event] = []
            for _ in 0..<Int.random(in: 0...2, using: &dice) {
                number += 1
                let host = Self.named.randomElement(using: &dice) ?? ""
                let link = "https://\(host)/\(Int.random(in: 0..<40, using: &dice)).gif"
                living[number] = link
                events.append(
                    Event(
                        provider: "twitter", id: "\(number)", time: wall, category: .message, title: "Message",
                        author: Author(name: "Observer", picture: link)))
            }
            var withdrawals: [Withdrawal] = []
            if hour % 5 == 0, let id = living.keys.sorted().randomElement(using: &dice) {
                withdrawals.append(
                    Withdrawal(
                        provider: "twitter", id: "\(id)", takesFamily: false, reason: .deleted, time: wall,
                        evidence: "delete", erases: true, replacements: []))
                living[id] = nil
            }
            let answer = FeedAnswer(events: events, withdrawals: withdrawals)
            _ = try daemon.store.write([
                .step(PollStep(source: "news", at: wall, answer: answer, fingerprint: "other"))
            ])
            if hour % 37 == 11 {
                // The next effects are the last: the death comes before the pictures have followed.
                daemon.lifetime = daemon.carriedOut + Int.random(in: 1...6, using: &dice)
            } else {
                try daemon.give(.tick)
            }
            try daemon.advance(.seconds(3600))
            if daemon.isDead {
                lost += 1
                try daemon.restart()
                try daemon.advance(.seconds(1))
            }
            let named = try Self.links(in: daemon.store)
            // Each look opens the file, so not every hour has one.
            for candidate in 0..<40 where hour % 6 == 0 {
                for host in Self.hosts {
                    let link = "https://\(host)/\(candidate).gif"
                    if try pictures.picture(PictureKey.of(link)) != nil {
                        #expect(named.contains(link), "hour \(hour): \(link) outlives its events")
                    }
                }
            }
            let figures = try pictures.statistics(at: daemon.now.wall)
            #expect(figures.named == named.count)
            #expect(figures.bytes <= 4_000)
            #expect(figures.requestsToday <= 500 + 5)
        }
        #expect(lost > 5 && gone > 5 && pages > 5)
        let sent = daemon.picturesSent
        #expect(sent.count > 100)
        for request in sent {
            #expect(Self.hosts.contains { request.url.hasPrefix("https://\($0)/") }, "\(request.url)")
        }
        let lives = zip(sent, sent.dropFirst()).filter { $1.at.uptime - $0.at.uptime < .seconds(10) }
        #expect(lives.count <= lost, "a new life may not know when the last request was")
        for poll in daemon.sent where poll.url.contains("feeds.example.org") {
            let near = sent.contains {
                $0.url.contains("feeds.example.org") && $0.at.wall == poll.context.now
            }
            #expect(!near, "a picture and a poll leave for one host at once")
        }
    }

    /// The listed links that events name.
    private static func links(in store: EventStore) throws -> Set<String> {
        let hosts = PictureHosts(Self.hosts)
        var query = EventQuery()
        query.withdrawn = .include
        query.limit = nil
        return Set(try store.events(query).compactMap { $0.event.author?.picture }.filter { hosts.allows($0) })
    }
}
