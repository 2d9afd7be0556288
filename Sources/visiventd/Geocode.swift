import ArgumentParser
import Control
import Daemon
import Engine
import Foundation
import Gazetteer
import Model
import Operations
import Reading
import Settings
import Store

/// `visiventd geocode`
struct Geocode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how a place would be resolved, step by step.",
        discussion: """
            A text with several places is taken apart. The city table is asked first. What it does not know goes to the \
            configured services, through the running daemon where there is one, so that limits and quotas are shared. \
            A text that stays unresolved is no error.

            Examples:
              visiventd geocode "Santa Fe, NM"
              visiventd geocode --country ca London
              visiventd geocode --source town-talk Alexandria
              visiventd geocode --json - < places.txt
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        help: "The city table; then no configuration is read, and no service is asked.", completion: .file())
    var table: String?

    @Option(help: "Two-letter code of the country in which the places are, unless they say otherwise.")
    var country: String?

    @Option(help: "Read the texts as titles of this source's events, and show where these would be; asks no service.")
    var source: String?

    @Flag(help: "Ask the city table only.")
    var offline = false

    @Option(
        parsing: .unconditional, help: "How many other candidates of the city table to show (0…50). (default: 3)",
        transform: { try AreaOptions.wholeNumber($0, "a whole number from 0 to 50") })
    var candidates: Int = 3

    @Flag(help: "Print one JSON object for each place.")
    var json = false

    @Flag(help: "Print only figures: lookups, hits, and how long they took in the city table.")
    var count = false

    @Argument(help: "Place texts, or - for one a line from standard input.")
    var texts: [String]

    /// Longest text in bytes that is sent to a service.
    private static let longestQuestion = 200

    func validate() throws {
        guard (0...50).contains(candidates) else {
            throw ValidationError("--candidates takes 0 to 50, found \(candidates)")
        }
        _ = try country.map { try AreaOptions.country($0) }
        if json && count { throw ValidationError("expected --json or --count, not both") }
        if source != nil, table != nil || country != nil || count {
            throw ValidationError(
                "--source knows the home from configuration and database, so it takes no "
                    + (table != nil ? "--table" : country != nil ? "--country" : "--count"))
        }
        if table != nil, configuration.database != nil {
            throw ValidationError("--database does nothing with --table")
        }
        if texts.contains("-"), texts.count > 1 {
            throw ValidationError("- reads the texts from standard input, so it takes no others")
        }
    }

    /// The options for messages of this command, `--table` included.
    private var hints: Hints {
        Hints(config: configuration.config, database: configuration.database, table: table)
    }

    func run() async throws {
        try await reporting(hints) {
            let loaded = table == nil ? try configuration.load() : nil
            let path = table ?? loaded?.settings.gazetteer.path ?? ""
            let context = PlaceContext(country: try country.map { try AreaOptions.country($0) })
            let cities = try CityTable(path: path, isMapped: true)
            var resolver = Resolver(cities)
            if let loaded { resolver.leastConfidence = loaded.settings.gazetteer.leastConfidence }
            if count { return try Self.measure(resolver, context, texts) }
            resolver.runnersUpLimit = candidates
            if let source, let loaded {
                return try show(try SourceTitles(source, loaded.settings, cities, resolver))
            }
            var services = offline ? nil : loaded.flatMap { ServiceDesk($0.settings, $0.sources, configuration) }
            var output = Output()
            for text in Self.lines(texts) {
                for part in Self.parts(of: text) {
                    let outcome = try resolver.resolve(part, context: context)
                    var replies: [ServiceReply] = []
                    if let desk = services, case .abstained(let reason, candidates: _) = outcome,
                        reason != .notAPlace, part.utf8.count <= Self.longestQuestion,
                        let query = try resolver.question(part, context: context, evidence: .place)
                    {
                        do {
                            replies = try await desk.ask(query)
                            if replies.isEmpty {
                                Terminal.printError(
                                    hints.completed("visiventd: no service can be asked; visiventd check tells why"))
                            }
                        } catch let error as any Error & CustomStringConvertible {
                            Terminal.printError(hints.completed("visiventd: the services cannot be asked: \(error)"))
                        }
                        if replies.isEmpty {
                            await desk.close()
                            services = nil
                        }
                    }
                    let answer = GeocodeAnswer(
                        text: text, part: part, outcome: outcome, services: replies, regions: cities.regions)
                    show(answer, in: &output)
                    output.flush()
                }
            }
            await services?.close()
        }
    }

    private func show(_ answer: GeocodeAnswer, in output: inout Output) {
        if json { output.json(answer.json) } else { for line in answer.lines { output.line(line) } }
    }

    /// Prints what titles of a source name, and where their events would be.
    private func show(_ titles: SourceTitles) throws {
        var output = Output()
        if !json { output.line(titles.homeWords) }
        for text in Self.lines(texts) {
            let names = try titles.names(in: text)
            for answer in names { show(answer, in: &output) }
            let event = try titles.event(text)
            if json {
                output.json(event.json)
            } else {
                if names.last?.part != text { output.line(Terminal.safe(text)) }
                output.line(event.line)
            }
            output.flush()
        }
    }

    /// The single places in a text; the text itself if none is found.
    private static func parts(of text: String) -> [String] {
        let names = PlaceText(text, style: .author).parts.compactMap { part in
            if case .name(let name) = part { name } else { nil }
        }
        return names.isEmpty ? [text] : names
    }

    private static func lines(_ texts: [String]) -> AnySequence<String> {
        guard texts == ["-"] else { return AnySequence(texts) }
        return AnySequence(AnyIterator { readLine(strippingNewline: true) })
    }

    /// Looks up all texts in the table and prints `n= hits= rate= p50us= p99us= maxus= total_ms=`.
    private static func measure(_ resolver: Resolver, _ context: PlaceContext, _ texts: [String]) throws {
        var times: [Double] = []
        var hits = 0
        let clock = ContinuousClock()
        for text in lines(texts) {
            let start = clock.now
            if case .found = try resolver.resolve(text, context: context) { hits += 1 }
            times.append((clock.now - start).seconds * 1e6)
        }
        let sum = times.reduce(0, +)
        times.sort()
        func quantile(_ share: Double) -> String {
            let place = Int(clamping: Double(times.count) * share)
            return times.isEmpty ? "0" : String(format: "%.2f", times[min(times.count - 1, place)])
        }
        let rate = sum > 0 ? Int(clamping: Double(times.count) / sum * 1e6) : 0
        Terminal.print(
            "n=\(times.count) hits=\(hits) rate=\(rate) p50us=\(quantile(0.5)) p99us=\(quantile(0.99)) "
                + "maxus=\(quantile(1)) total_ms=\(Int(clamping: sum / 1000))")
    }
}

/// Asks the services through the running daemon, or else with a daemon of its own, which has one database and one
/// connection for all questions. The first question opens it.
private final class ServiceDesk {
    private enum Way {
        case alone(Daemon, Task<Void, Never>)
        case throughDaemon
    }

    private let settings: Settings
    private let sources: [EngineSource]
    private let configuration: ConfigurationOptions
    private var way: Way?

    /// Nil if no service is configured.
    init?(_ settings: Settings, _ sources: [EngineSource], _ configuration: ConfigurationOptions) {
        guard !settings.geocoding.plans.isEmpty else { return nil }
        self.settings = settings
        self.sources = sources
        self.configuration = configuration
    }

    /// The reply of each service; empty if none can be asked.
    func ask(_ query: PlaceQuery) async throws -> [ServiceReply] {
        let way = try self.way ?? open()
        self.way = way
        switch way {
        case .alone(let daemon, _): return try await daemon.ask(query)
        case .throughDaemon:
            var replies: [ServiceReply] = []
            _ = try ControlClient.send(
                ControlRequest(.geocode, question: query), to: settings.socket, database: settings.database
            ) { reply in
                if let service = reply.service { replies.append(service) } else { Terminal.printError(reply.message) }
            }
            return replies
        }
    }

    func close() async {
        if case .alone(let daemon, let task) = way { await daemon.endAnswering(task) }
        way = nil
    }

    private func open() throws -> Way {
        try FolderOwner.become(ofFolderOf: settings.database)
        try configuration.refuseBesideOtherDatabase(settings)
        do {
            let daemon = try Daemon(
                settings: settings, sources: sources,
                secrets: SecretReader(environment: ProcessInfo.processInfo.environment),
                seed: UInt64.random(in: .min ... .max), onDemandOnly: true,
                logger: settings.logger(level: LogLevel(.warning), hints: configuration.hints))
            return .alone(daemon, daemon.beginAnswering())
        } catch DaemonError.isRunning {
            return .throughDaemon
        }
    }
}

/// The resolution of one text.
struct GeocodeAnswer {
    let text: String
    /// The place within the text.
    let part: String
    let outcome: ResolveOutcome
    /// The likeliest candidate of a name in a title.
    var best: ScoredCandidate?
    let services: [ServiceReply]
    let regions: [String: Place]

    var lines: [String] {
        var lines = [Terminal.safe(part)]
        if part != text { lines.append("  part of      \(Terminal.safe(text))") }
        lines.append("  folded       \(Terminal.safe(NameFolding.folded(part)))")
        switch outcome {
        case .found(let resolution):
            lines.append(
                "  city table   \(words(resolution.place)), confidence \(Self.share(resolution.confidence))")
            lines += resolution.runnersUp.map { "  or           \(words($0))" }
        case .abstained(let reason, let candidates):
            lines.append("  city table   no answer: \(reason.words)")
            lines += candidates.map { "  perhaps      \(words($0))" }
        }
        if let best { lines += Self.lines(best) }
        for service in services {
            let name = service.provider.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
            let kept = service.isKept ? " (kept)" : ""
            if let latitude = service.latitude, let longitude = service.longitude {
                lines.append(
                    "  \(name) \(latitude), \(longitude) (\(service.precision ?? "")), confidence "
                        + Self.share(service.confidence ?? 0) + kept)
            } else {
                lines.append("  \(name) \(service.status.rawValue): \(Terminal.safe(service.reason ?? ""))\(kept)")
            }
        }
        return lines
    }

    var json: String {
        var object = JSONWriter()
        object.add(["text": text, "part": part, "folded": NameFolding.folded(part)])
        switch outcome {
        case .found(let resolution):
            object.add([
                "place": .raw(Self.json(resolution.place)), "confidence": resolution.confidence,
                "matched_text": resolution.matchedText, "runners_up": .array(resolution.runnersUp.map(Self.json)),
            ])
        case .abstained(let reason, let candidates):
            object.add(["abstained": reason.rawValue, "candidates": .array(candidates.map(Self.json))])
        }
        if let best {
            object.member("likeliest", best.place.id)
            object.member("probability", best.probability)
            object.member("features", raw: Self.json(best))
        }
        let replies = services.map { service in
            JSONWriter.object([
                "provider": service.provider.rawValue, "status": service.status.rawValue, "reason": service.reason,
                "kept": service.isKept, "latitude": service.latitude, "longitude": service.longitude,
                "precision": service.precision, "confidence": service.confidence, "place_id": service.placeID,
                "country": service.country,
            ])
        }
        object.add(["services": .array(replies)])
        return object.finish()
    }

    private func words(_ place: Place) -> String {
        let region = place.kind == .region ? nil : regions["\(place.country).\(place.region)"]
        let division = region.map { "\($0.name), " } ?? ""
        let people = place.population > 0 ? ", population \(place.population)" : ""
        return Terminal.safe(
            "\(place.name), \(division)\(place.country) (\(place.precision.rawValue)) "
                + "\(place.coordinate.latitude), \(place.coordinate.longitude)\(people), \(place.id)")
    }

    /// The features of the likeliest candidate with their shares of its score.
    private static func lines(_ best: ScoredCandidate) -> [String] {
        ["  likeliest    \(Terminal.safe(best.place.id)), probability \(share(best.probability))"]
            + best.shares.map { feature, value, share in
                "    " + String(format: "%+6.2f  ", share) + feature
                    + (value == 1 ? "" : " (" + String(format: "%.2f", value) + ")")
            }
    }

    private static func json(_ best: ScoredCandidate) -> String {
        let features = best.shares.map { feature, value, share in
            var object = JSONWriter()
            object.member("feature", feature)
            object.member("value", value)
            object.member("share", share)
            return object.finish()
        }
        return "[" + features.joined(separator: ",") + "]"
    }

    static func share(_ value: Double) -> String { String(format: "%.2f", value) }

    private static func json(_ place: Place) -> String {
        JSONWriter.object([
            "id": place.id, "name": place.name, "country": place.country, "region": place.region,
            "precision": place.precision.rawValue, "latitude": place.coordinate.latitude,
            "longitude": place.coordinate.longitude, "population": place.population > 0 ? Int(place.population) : nil,
        ])
    }
}

extension Abstention {
    /// The reason without an answer, for people.
    fileprivate var words: String {
        switch self {
        case .unknownName: "no place of that name"
        case .ambiguous: "several places of that name, and nothing tells which"
        case .unlikely: "a place of that name, but the text hardly means it"
        case .notAPlace: "not the name of a place"
        }
    }
}
