import ArgumentParser
import Feeds
import Foundation
import Model
import Reading
import Settings
import Store

/// `visiventd decode`
struct Decode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn a feed's bytes into events, one JSON object a line.",
        discussion: """
            Events go to standard output, issues to standard error; nothing is stored or fetched. Follow-up requests, \
            such as the documents of an index, are listed as issues. Kinds:

            \(kindLines.joined(separator: "\n"))

            With --option keywords=WORDS or minimum_magnitude=NUMBER the events that a source with this filter would \
            refuse go to standard error, each with the reason.

            Examples:
              visiventd decode usgs all_day.geojson | head -1
              curl -s https://example.org/feed | visiventd decode rss - --count
              visiventd decode rss feed.xml --option 'keywords=volcan*,new zealand'
              visiventd decode --last-failure quakes
            """)

    /// The kinds with their summaries, wrapped at 80 columns; the help would wrap longer lines without the indent.
    private static var kindLines: [String] {
        FeedRegistry.kinds.flatMap { kind in
            var lines = ["  " + kind.name.padding(toLength: 8, withPad: " ", startingAt: 0)]
            for word in kind.summary.split(separator: " ") {
                if lines[lines.count - 1].count + 1 + word.count < 80 {
                    lines[lines.count - 1] += " \(word)"
                } else {
                    lines.append("           \(word)")
                }
            }
            return lines
        }
    }

    @Flag(help: "Decode everything, print only the sums.")
    var count = false

    @Option(help: "A kind's option, such as 'api=v1.1', keywords or minimum_magnitude; may be repeated.")
    var option: [String] = []

    @Option(
        help: "Print the last body of this source that could not be used, and why.", completion: Completions.sources)
    var lastFailure: String?

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The kind of feed.", completion: Completions.kinds)
    var kind: String?

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String?

    func validate() throws {
        guard lastFailure == nil else {
            // The stored body is not decoded.
            guard kind == nil, !count, option.isEmpty else {
                throw ValidationError("--last-failure NAME takes no kind, file, --count or --option")
            }
            return
        }
        guard kind != nil, file != nil else {
            throw ValidationError("expected a kind and a file, or --last-failure NAME")
        }
        if database.database != nil { throw ValidationError("--database does nothing without --last-failure") }
        if database.config != ConfigurationOptions.standardPath {
            throw ValidationError("--config does nothing without --last-failure")
        }
        if let kind, !FeedRegistry.kinds.contains(where: { $0.name == kind }) {
            let names = FeedRegistry.kinds.map(\.name).joined(separator: ", ")
            let hint = NearestWord.to(kind, among: FeedRegistry.kinds).map { "; did you mean \($0)?" } ?? ""
            throw ValidationError("unknown kind '\(kind)'; known are \(names)\(hint)")
        }
    }

    func run() async throws {
        try await reporting(database.hints) {
            if let lastFailure { return try showLastFailure(of: lastFailure) }
            guard let kind, let file else { return }
            let known = FeedRegistry.kinds.first { $0.name == kind }
            var source = SourceSettings(name: "decode", kind: kind, url: Self.url(of: file))
            try apply(option, of: known, to: &source)
            var report = DecodeReport(
                isCount: count, authority: Authority(of: source, kindProvider: known?.provider, domain: nil),
                filter: source.filter)
            do {
                try decode(source, file, into: &report)
            } catch {
                report.showIssues()
                throw error
            }
            report.finish()
        }
    }

    /// Most bytes of JSON lines decoded at a time.
    private static let pieceSize = 1 << 20

    private func decode(_ source: SourceSettings, _ file: String, into report: inout DecodeReport) throws {
        let isPiped = file == "-"
        let input = try isPiped ? .standardInput : openedInput(file)
        var body = Data()
        if source.kind == TwitterFeed.kind.name {
            body = try input.read(upToCount: TwitterStream.sampleSize) ?? Data()
            // A smaller input may be one document on one line.
            if body.count == TwitterStream.sampleSize, var stream = TwitterStream(beginning: body) {
                while !body.isEmpty {
                    report.take(stream.feed(body))
                    body = try input.read(upToCount: Self.pieceSize) ?? Data()
                }
                return report.take(try stream.finish())
            }
        }
        if !isPiped, input.isRegularFile {
            body = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
        } else {
            body.append(try input.readToEnd() ?? Data())
        }
        report.take(try answer(source, body))
    }

    private static func url(of file: String) -> String { file == "-" ? "stdin:" : "file:" + file }

    private func answer(_ source: SourceSettings, _ body: Data) throws -> FeedAnswer {
        guard let kind = FeedRegistry.all.first(where: { $0.kind.name == source.kind }) else {
            throw ExitStatus.internalError
        }
        let feed: any Feed
        do throws(FeedSettingsError) {
            feed = try kind.init(source)
        } catch {
            throw ValidationError("--option \(error.key): found \(error.found), accepted \(error.accepted)")
        }
        let request = FeedRequest(url: source.url)
        return try feed.decode(FeedResponse(request: request, body: body), for: PollContext(now: Date()))
    }

    /// Sets the options of the kind, with their defaults, and those of the filter, which all kinds have.
    private func apply(_ texts: [String], of kind: FeedKind?, to source: inout SourceSettings) throws {
        let options = kind?.options ?? []
        for option in options { source.options[option.key] = option.defaultValue }
        for text in texts {
            let equals = text.firstIndex(of: "=") ?? text.endIndex
            let key = String(text[..<equals])
            let value = String(text[equals...].dropFirst())
            if equals < text.endIndex, let known = options.first(where: { $0.key == key }) {
                source.options[key] = try known.value(value)
            } else if equals < text.endIndex, let known = Self.filterOptions.first(where: { $0.key == key }) {
                switch try known.value(value) {
                case .texts(let words): source.filter.keywords = try Self.keywords(words)
                case let number: source.filter.minimumMagnitude = number.number
                }
            } else {
                let keys = (options + Self.filterOptions).map(\.key).joined(separator: ", ")
                let fault = equals < text.endIndex ? "unknown key '\(key)'" : "takes KEY=VALUE, found '\(text)'"
                throw ValidationError("--option: \(fault); the keys of \(source.kind) are \(keys)")
            }
        }
    }

    /// The keys of the filter, as a source has them.
    private static let filterOptions = [
        FeedOption("keywords", .texts, "Words of which an event must contain one."),
        FeedOption("minimum_magnitude", .number(-10.0...15.0), "The smallest magnitude accepted."),
    ]

    /// The filter that a source with these keywords has; refuses what the file refuses.
    private static func keywords(_ words: [String]) throws -> KeywordFilter {
        for word in words {
            guard let accepted = SourceReader.accepted(insteadOfKeyword: word) else { continue }
            let hint = WordSet.isUnknown(word) ? NearestWord.hint(for: word, among: WordSet.names) : ""
            throw ValidationError("--option keywords: found '\(word)', accepted: \(accepted)\(hint)")
        }
        guard !words.isEmpty else {
            throw ValidationError("--option keywords takes words, separated by commas: 'keywords=volcan*,new zealand'")
        }
        return KeywordFilter(words)
    }

    private func showLastFailure(of source: String) throws {
        let store = try database.store()
        let record = try database.record(of: source, in: store)
        guard let kept = try store.failedBody(source: source) else {
            Terminal.printError("visiventd: no failed body is kept of '\(source)'")
            throw ExitStatus.unavailable
        }
        Terminal.printError("\(kept.at.rfc3339) \(kept.url): \(kept.failure.description)")
        if record.failures == 0, record.partialFailures.isEmpty, let success = record.lastSuccess, success > kept.at {
            Terminal.printError("\(source) has recovered since; its last success was at \(success.wholeSeconds)")
        }
        var output = Output()
        guard isatty(STDOUT_FILENO) == 1 else { return output.add(kept.body) }
        // A terminal might interpret the unchanged bytes; `line` makes them safe.
        let text = String(decoding: kept.body, as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { output.line(String(line)) }
    }
}

extension FeedOption {
    /// Parses a value from the command line.
    fileprivate func value(_ text: String) throws -> OptionValue {
        switch form {
        case .integer(let range): if let number = Int(text), range.contains(number) { return .integer(number) }
        case .number(let range): if let number = Double(text), range.contains(number) { return .number(number) }
        case .flag: if let flag = Bool(text) { return .flag(flag) }
        case .texts where text.hasPrefix("["):
            if let texts = NewValue.texts(in: text) { return .texts(texts) }
        case .texts:
            let texts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            return .texts(texts.filter { !$0.isEmpty })
        case .choice(let words): if words.contains(text) { return .text(text) }
        case .text, .secretFile: return .text(text)
        case .duration: break
        }
        throw ValidationError("--option \(key) cannot be '\(text)'; accepted: \(accepted)")
    }

    /// The accepted values as a phrase.
    private var accepted: String {
        switch form {
        case .choice(let words): words.joined(separator: ", ")
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .flag: "true or false"
        case .duration: "nothing: it does not matter to decoding"
        case .texts: "texts separated by commas, or a list such as '[volcan*, \"Paris, Texas\"]'"
        case .text, .secretFile: "a text"
        }
    }
}
