import Daemon
package import Engine
import Fetching
import Foundation
package import Model
package import Settings
import Telling

/// Targets of messages. They hang, ask for pauses, lose answers and go for good; what arrives at them is their log.
///
/// `@unchecked` as `InProcessDaemon`, whose thread calls it.
package final class Desk: @unchecked Sendable {
    /// A message as it arrived.
    package struct Arrival {
        /// An event of which it speaks.
        package struct Subject {
            package var publicID: String
            package var magnitude: Double?
            /// Whether it has words of the event.
            package var hasWords: Bool
        }

        package var target: String
        package var id: String
        /// The last word of its type, such as `announced` or `digest`.
        package var kind: String
        package var reason: String
        /// The number of the message about its event; 0 in a digest.
        package var number: Int
        package var subjects: [Subject]
        /// The magnitude that was told before.
        package var told: Double?
        package var title: String
        package var body: String
        package var at: Moment
        /// The number of the daemon's life.
        package var life: Int
        /// Whether the target has it, and whether it could say so to the end.
        package var isTaken = true
        package var isAnswered = false

        /// Whether it tells its events for the first time.
        package var isFirst: Bool { kind == "announced" || kind == "digest" }
    }

    /// What a target does with a message.
    private enum Reaction {
        case take, hang, ask, fail, lose, refuse, leave
    }

    /// Until when a target wants no message, as uptime, in a life of the daemon.
    package private(set) var pauses: [String: (until: Duration, life: Int)] = [:]
    package internal(set) var arrivals: [Arrival] = []
    /// Lives of the daemon so far.
    package internal(set) var lives = 0
    /// Called for each arrival; an error ends the run.
    var whenArrived: (Arrival) throws -> Void = { _ in }
    /// Counts what has gone wrong.
    var whenHit: (FaultKind) -> Void = { _ in }
    /// The uptime from which on nothing goes wrong any more; zero: nothing ever does.
    private let calm: Duration
    private let seed: UInt64
    private var chance: Chance

    /// - Parameter days: Days in which the targets may fail.
    package init(seed: UInt64, days: Double) {
        calm = days > 0 ? InProcessDaemon.firstUptime + .seconds(days * 86_400) : .zero
        self.seed = seed
        chance = Chance(seed: seed, purpose: "desk")
    }

    // MARK: - The configuration

    /// The targets: of a program, which always answers, of people, who often do not, of one that goes, and of people who
    /// sleep.
    private static let names = ["cms", "desk", "old", "night"]
    static let strong: WatchFilter = {
        var filter = WatchFilter()
        (filter.categories, filter.minimumMagnitude) = ([.earthquake], 4.5)
        return filter
    }()
    static let sleep = QuietHours(from: 22 * 60, to: 7 * 60, zone: "Europe/Lisbon", magnitude: 6)

    /// Watches that overlap, one of them with quiet hours, and one of texts that providers erase.
    package static func settings(_ sources: [SourceSettings]) -> Settings {
        var settings = Settings(database: "simulated", sources: sources)
        settings.deliver = names.map { name in
            var target = Target(name: name, kind: .webhook, host: "\(name).test", fingerprint: name)
            if name != "cms" { (target.count, target.period, target.digestAfter) = (10, .seconds(600), 3) }
            return DeliverySettings(targets: [target], url: "https://\(name).test/hook")
        }
        let strong = Watch(name: "strong", filter: strong, targets: ["cms", "desk", "old"])
        var (stronger, night) = (strong, strong)
        (stronger.name, stronger.filter.minimumMagnitude) = ("stronger", 5.5)
        (night.name, night.targets, night.quiet) = ("night", ["night"], sleep)
        var texts = WatchFilter()
        texts.categories = [.message]
        settings.watches = [strong, stronger, night, Watch(name: "texts", filter: texts, targets: ["cms"])]
        return settings
    }

    // MARK: - Receiving

    /// Takes a request of a daemon, and answers or does not.
    func take(_ request: FetchRequest, of daemon: InProcessDaemon) async throws(Failure) -> FetchOutcome {
        guard var arrival = Arrival(request, at: daemon.now, life: lives) else {
            daemon.observe { throw SimulationError("a message has another form than docs/watches.md says") }
            throw Failure(.ours, .cancelled, "a message has no form")
        }
        let reaction = react(arrival.target, at: daemon.now.uptime)
        arrival.isTaken = [.take, .hang, .lose].contains(reaction)
        let index = arrivals.count
        if reaction != .refuse {
            arrivals.append(arrival)
            daemon.observe { try whenArrived(arrival) }
        }
        daemon.carriedOut += 1
        await Self.pass(reaction == .hang ? .seconds(20) : .milliseconds(80), daemon.life.time)
        guard !Task.isCancelled else { throw Failure(.ours, .cancelled, "the message was cancelled") }
        daemon.carriedOut += 1
        switch reaction {
        case .take:
            arrivals[index].isAnswered = true
            return .body(FetchedBody(data: Data(), url: request.url))
        case .hang:
            whenHit(.targetHang)
            throw Failure(.network, .timeout, "no answer")
        case .ask:
            whenHit(.targetPause)
            let wait = 30 + chance.below(7000)
            pauses[arrival.target] = (daemon.now.uptime + .seconds(wait), lives)
            throw Failure(
                .server, "http_429", "answered 429", status: 429,
                retryAfter: daemon.now.wall.addingTimeInterval(Double(wait)))
        case .fail: throw Failure(.server, "http_500", "answered 500", status: 500)
        case .lose:
            whenHit(.targetLoss)
            throw Failure(.network, .reset, "the connection broke")
        case .refuse: throw Failure(.network, .connectionRefused, "nobody listens")
        case .leave:
            whenHit(.targetGone)
            throw Failure(.server, "http_410", "answered 410", status: 410)
        }
    }

    /// Spells of four hours, in which most messages fail in one way.
    private func react(_ target: String, at uptime: Duration) -> Reaction {
        guard uptime < calm else { return target == "old" && calm > .zero ? .leave : .take }
        let passed = (uptime - InProcessDaemon.firstUptime).seconds
        if target == "old", passed > (calm - InProcessDaemon.firstUptime).seconds / 3 { return .leave }
        guard target == "desk" || target == "night" else { return .take }
        var spell = Chance(seed: seed &+ UInt64(clamping: Int64(clamping: passed / 14_400)), purpose: target)
        let fault = spell.pick([Reaction.take, .take, .take, .hang, .ask, .fail, .lose, .refuse])
        return chance.happens(0.7) ? fault : .take
    }

    private static func pass(_ time: Duration, _ clock: TimeSource) async {
        let (rings, inbox) = AsyncStream.makeStream(of: Void.self)
        let timer = clock.timer { inbox.finish() }
        timer.set(clock.now().uptime + time)
        for await _ in rings {}
        timer.stop()
    }
}

extension Desk.Arrival {
    /// Reads a request; nil if it has another form than docs/watches.md says.
    fileprivate init?(_ request: FetchRequest, at now: Moment, life: Int) {
        guard let body = request.json, let host = URLParts(request.url)?.host, host.hasSuffix(".test"),
            let id = request.headers["webhook-id"],
            let json = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any],
            let type = (json["type"] as? String)?.split(separator: ".").last, let data = json["data"] as? [String: Any]
        else { return nil }
        let changes = data["changes"] as? [[String: Any]] ?? []
        let events = data["events"] as? [[String: Any]] ?? [data["event"] as? [String: Any] ?? [:]]
        self.init(
            target: String(host.dropLast(5)), id: id, kind: String(type), reason: data["reason"] as? String ?? "",
            number: data["message"] as? Int ?? 0,
            subjects: events.compactMap { event in
                (event["public_id"] as? String).map {
                    .init(publicID: $0, magnitude: event["magnitude"] as? Double, hasWords: event["title"] != nil)
                }
            }, told: changes.first { $0["field"] as? String == "magnitude" }?["from"] as? Double,
            title: (data["text"] as? [String: Any])?["title"] as? String ?? "", body: body, at: now, life: life)
    }
}
