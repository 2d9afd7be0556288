import Engine
import Foundation
import Model

/// All upstreams of a simulation at any time, with their faults.
final class World {
    let faults: Faults
    private let quakes: QuakeWorld
    private let news: NewsWorld
    private let volcanoes: VolcanoWorld
    private let alerts: AlertWorld
    private let hostile: HostileWorld
    let messages: MessageWorld
    let stream: StreamWorld
    private var chance: Chance
    /// The last six bodies of each summary feed, oldest first, for caches that return old ones.
    private var recent: [String: [WorldDocument]] = [:]
    /// Messages returned by the search, which are billed.
    private(set) var billed = 0

    /// - Parameter end: Nothing new happens upstream after it.
    init(seed: UInt64, from start: Date, to end: Date, faults: Faults) {
        self.faults = faults
        quakes = QuakeWorld(seed: seed, from: start, to: end)
        news = NewsWorld(seed: seed, from: start, to: end)
        volcanoes = VolcanoWorld(seed: seed, from: start, to: end)
        alerts = AlertWorld(seed: seed, from: start, to: end)
        hostile = HostileWorld(quakes: quakes, alerts: alerts)
        messages = MessageWorld(seed: seed, from: start, to: end)
        stream = StreamWorld(seed: seed, from: start, messages: messages, faults: faults)
        chance = Chance(seed: seed, purpose: "network")
    }

    /// The parts of a URL; behind `moved.test`, those of the original URL.
    struct Address {
        var host: String
        /// The path, with its slash.
        var path: String
        var parameters: [String: String] = [:]

        init(_ url: String) {
            let rest = url.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
            host = url.hasPrefix("file:") ? "" : String(rest.prefix { $0 != "/" })
            path = String(rest.dropFirst(host.count).prefix { $0 != "?" })
            for item in URLComponents(string: url)?.queryItems ?? [] { parameters[item.name] = item.value }
            if host == "moved.test" {
                let inner = path.dropFirst()
                host = String(inner.prefix { $0 != "/" })
                path = String(inner.dropFirst(host.count))
            }
        }
    }

    /// The Date header of an answer that arrives at a time; nil: none.
    func serverDate(_ order: FetchOrder, at time: Date) -> Date? {
        let host = Address(order.url).host
        guard !host.isEmpty else { return nil }
        switch faults.spell(on: host, at: time, among: { $0 == .noDate || $0 == .wrongDate })?.kind {
        case .noDate:
            faults.hit(.noDate)
            return nil
        case .wrongDate:
            faults.hit(.wrongDate)
            return time.addingTimeInterval(host.count % 2 == 0 ? 18_000 : -7200)
        default: return time
        }
    }

    // MARK: - Answers

    /// The answer to a request that is made at a time.
    func reply(to order: FetchOrder, at time: Date) -> WorldReply {
        let address = Address(order.url)
        let isSpared = order.url.contains("//moved.test/") || address.host.isEmpty
        let spell = faults.spell(on: address.host, at: time) { $0 != .noDate && $0 != .wrongDate }
        guard !isSpared, let spell else { return serve(address, order, at: time) }
        switch spell.kind {
        case .timeout:
            return failure(spell, .network, "timeout", "\(address.host) took longer than 1m to answer", after: 60)
        case .nameNotFound:
            return failure(spell, .network, "name_not_found", "the name could not be looked up", after: 5)
        case .reset: return failure(spell, .network, "reset", "the connection to \(address.host) broke", after: 2)
        // A second attempt often succeeds.
        case .lostConnection where Int(clamping: time.timeIntervalSince1970) % 3 > 0:
            let word = Failure.Code.connectionLost.rawValue
            return failure(spell, .network, word, "\(address.host) ended the connection")
        case .serverError: return failure(spell, .server, "http_500", "answered 500", status: 500)
        case .unavailable: return failure(spell, .server, "http_503", "answered 503", status: 503, for: order)
        case .tooManyRequests: return failure(spell, .server, "http_429", "answered 429", status: 429, for: order)
        case .gone: return failure(spell, .server, "http_410", "answered 410", status: 410)
        case .notFound where address.path.hasPrefix("/doc/"):
            return failure(spell, .server, "http_404", "answered 404", status: 404)
        case .cutShort:
            if let lost = document(address, at: time, nil).document { bill(lost, address) }
            return failure(spell, .network, "cut_short", "the answer ended early", after: 3)
        case .wrongType, .garbage, .truncated: return spoiled(spell.kind, address, order, at: time)
        case .moved, .found:
            faults.hit(spell.kind)
            let target = order.url.replacing("https://", with: "https://moved.test/", maxReplacements: 1)
            return WorldReply(.redirect(to: target, isPermanent: spell.kind == .moved))
        default: return serve(address, order, at: time, spell.kind)
        }
    }

    private func failure(
        _ spell: Faults.Spell, _ fault: Failure.Fault, _ code: String, _ message: String, after seconds: Double = 0.1,
        status: Int? = nil, for order: FetchOrder? = nil
    ) -> WorldReply {
        faults.hit(spell.kind)
        let asked = order.flatMap { order in
            spell.retryAfter.map { order.context.now.addingTimeInterval(Double($0)) }
        }
        var reply = WorldReply(.failure(Failure(fault, code, message, status: status, retryAfter: asked)))
        reply.delay = .milliseconds(Int64(clamping: seconds * 1000))
        return reply
    }

    private func spoiled(_ kind: FaultKind, _ address: Address, _ order: FetchOrder, at time: Date) -> WorldReply {
        let whole = document(address, at: time, nil).document
        let body: Data
        switch kind {
        case .wrongType: body = Data("<!DOCTYPE html><html><body><p>Please accept our cookies.</p></body></html>".utf8)
        case .garbage: body = Data(#"{"service":"asleep","please":["wait"]}"#.utf8)
        default:
            // A truncated news feed still has usable items, so its transfer is cut instead.
            guard !["news.test", "rumours.test"].contains(address.host), let whole, whole.body.count > 300 else {
                faults.hit(kind)
                return WorldReply(.failure(Failure(.network, .cutShort, "the answer ended early")))
            }
            body = whole.body.prefix(whole.body.count / 2 + chance.below(whole.body.count / 3))
        }
        faults.hit(kind)
        var reply = WorldReply(.body(body, etag: ScriptedSite.etag(of: body)))
        reply.isUnusable = true
        return reply
    }

    /// The document, or 304 if nothing has changed.
    private func serve(_ address: Address, _ order: FetchOrder, at time: Date, _ kind: FaultKind? = nil) -> WorldReply {
        guard address.host != "live.test" else { return stream.reply(to: order, at: time) }
        let (found, refusal) = document(address, at: time, kind)
        guard let found else {
            let failure = refusal ?? Failure(.server, "http_404", "answered 404", status: 404)
            return WorldReply(.failure(failure))
        }
        let isDated = address.host == "mirror.test"
        let etag = isDated ? nil : found.etag ?? ScriptedSite.etag(of: found.body)
        let modified = found.lastModified.map { Documents.rfc822($0) }
        var reply: WorldReply
        let known = order.fetch.validators
        if order.request.isConditional, !known.isEmpty, isDated ? known.lastModified == modified : known.etag == etag {
            reply = WorldReply(.notModified)
        } else {
            bill(found, address)
            reply = WorldReply(.body(found.body, etag: etag, lastModified: modified, headers: found.headers))
            reply.expectedEvents = found.expectedEvents
            reply.snapshot = found.snapshot
            reply.badItems = found.badItems
            if found.badItems > 0 { faults.hit(.badItem) }
        }
        reply.delay = .milliseconds(Int64(20 + chance.below(380)))
        return reply
    }

    private func bill(_ document: WorldDocument, _ address: Address) {
        if address.host == "messages.test" { billed += document.expectedEvents.count }
    }

    // MARK: - Documents

    /// The document at an address, or a refusal; neither: it does not exist.
    func document(
        _ address: Address, at time: Date, _ kind: FaultKind?
    ) -> (document: WorldDocument?, refusal: Failure?) {
        switch address.host {
        case "": return (messages.stream(at: time), nil)
        case "quakes.test": return (summary(address, every: 60, at: time, kind), nil)
        case "mirror.test": return (summary(address, every: 1800, at: time, kind), nil)
        case "volcano.test":
            return (address.path.hasSuffix(".xml") ? volcanoes.cap(at: time) : volcanoes.kml(at: time), nil)
        case "alerts.test":
            guard address.path.hasPrefix("/doc/") else { return (alerts.index(at: time), nil) }
            return (alerts.document(String(address.path.dropFirst(5)), at: time), nil)
        case "news.test":
            let topic = String(address.path.dropFirst().prefix { $0 != "." })
            return (news.document(topic, at: time, hasBadItem: kind == .badItem), nil)
        case "rumours.test": return (hostile.news(at: time), nil)
        case "impostor.test": return (hostile.warnings(at: time), nil)
        case "messages.test":
            switch messages.search(address.parameters, at: time) {
            case .tooOld:
                faults.hit(.sinceTooOld)
                let failure = Failure(
                    .server, "http_400", "answered 400", status: 400,
                    excerpt: Data("'since_id' must be a tweet id created after a week ago".utf8))
                return (nil, failure)
            case .page(var document, _):
                if kind == .rateLimit {
                    faults.hit(.rateLimit)
                    let reset = Int64(clamping: time.timeIntervalSince1970) + 10_000
                    document.headers = ["x-rate-limit-remaining": "0", "x-rate-limit-reset": "\(reset)"]
                }
                return (document, nil)
            }
        default: return (nil, nil)
        }
    }

    /// A summary feed, generated every `seconds` seconds.
    private func summary(
        _ address: Address, every seconds: Double, at time: Date, _ kind: FaultKind?
    ) -> WorldDocument? {
        let name = address.path.split(separator: "/").last.map { String($0) } ?? ""
        let period = name.replacing(".geojson", with: "")
        let generated = Date(timeIntervalSince1970: (time.timeIntervalSince1970 / seconds).rounded(.down) * seconds)
        let key = address.host + address.path
        let last = recent[key]?.last?.snapshot?.generated
        if kind == .olderBody, let old = recent[key]?.first, let then = old.snapshot?.generated, let last, then < last {
            faults.hit(.olderBody)
            return old
        }
        var oddity = QuakeWorld.Oddity()
        switch kind {
        case .badItem: oddity.hasBadItem = true
        // Of two polls in a row only one gets a hollow body, so that neither confirms the other.
        case .hollow: oddity.isHollow = Int(clamping: generated.timeIntervalSince1970 / max(seconds, 600)) % 2 == 0
        case .miscounted: oddity.isMiscounted = true
        default: break
        }
        guard let document = quakes.document(period, generated: generated, oddity) else { return nil }
        if oddity.isHollow { faults.hit(.hollow) }
        if oddity.isMiscounted { faults.hit(.miscounted) }
        if last != generated {
            recent[key, default: []].append(document)
            if recent[key, default: []].count > 6 { recent[key]?.removeFirst() }
        }
        return document
    }

    /// The items of a source's documents now, without faults; for the comparison at the end.
    func truth(of url: String, at time: Date) -> [ExpectedEvent] {
        let address = Address(url)
        switch address.host {
        case "": return messages.stream(at: time).expectedEvents
        case "quakes.test", "mirror.test":
            return summary(address, every: address.host == "quakes.test" ? 60 : 1800, at: time, nil)?.expectedEvents
                ?? []
        case "volcano.test":
            return (address.path.hasSuffix(".xml") ? volcanoes.cap(at: time) : volcanoes.kml(at: time))?.expectedEvents
                ?? []
        case "news.test":
            let topic = String(address.path.dropFirst().prefix { $0 != "." })
            return news.document(topic, at: time, hasBadItem: false).expectedEvents
        case "rumours.test": return hostile.news(at: time).expectedEvents
        case "impostor.test": return hostile.warnings(at: time).expectedEvents
        case "messages.test":
            return messages.searchable(after: time.addingTimeInterval(-86_400), at: time)
        default: return []
        }
    }
}
