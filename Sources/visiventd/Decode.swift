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

            Examples:
              visiventd decode usgs all_day.geojson | head -1
              curl -s https://example.org/feed | visiventd decode rss - --count
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

    @Option(help: "A kind's option, such as 'api=v1.1'; may be repeated.")
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
            let source = SourceSettings(name: "decode", kind: kind, url: Self.url(of: file))
            var report = DecodeReport(
                isCount: count, authority: Authority(of: source, kindProvider: known?.provider, domain: nil))
            try decode(kind, file, into: &report)
            report.finish()
        }
    }

    /// Most bytes of JSON lines decoded at a time.
    private static let pieceSize = 1 << 20

    private func decode(_ kind: String, _ file: String, into report: inout DecodeReport) throws {
        let isPiped = file == "-"
        let input = try isPiped ? .standardInput : openedInput(file)
        var body = Data()
        if kind == TwitterFeed.kind.name {
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
        report.take(try answer(kind, body, url: Self.url(of: file)))
    }

    private static func url(of file: String) -> String { file == "-" ? "stdin:" : "file:" + file }

    private func answer(_ name: String, _ body: Data, url: String) throws -> FeedAnswer {
        guard let kind = FeedRegistry.all.first(where: { $0.kind.name == name }) else { throw ExitStatus.internalError }
        var settings = SourceSettings(name: "decode", kind: name, url: url)
        for option in kind.kind.options { settings.options[option.key] = option.defaultValue }
        for text in option {
            let equals = text.firstIndex(of: "=") ?? text.endIndex
            guard equals < text.endIndex, let known = kind.kind.options.first(where: { $0.key == text[..<equals] })
            else {
                let keys = kind.kind.options.map { $0.key }.joined(separator: ", ")
                let fault =
                    equals < text.endIndex ? "unknown key '\(text[..<equals])'" : "takes KEY=VALUE, found '\(text)'"
                throw ValidationError(
                    "--option: \(fault); "
                        + (keys.isEmpty ? "\(name) has no options" : "the keys of \(name) are \(keys)"))
            }
            let value = String(text[text.index(after: equals)...])
            settings.options[known.key] = try known.value(value)
        }
        let feed: any Feed
        do throws(FeedSettingsError) {
            feed = try kind.init(settings)
        } catch {
            throw ValidationError("--option \(error.key): found \(error.found), accepted \(error.accepted)")
        }
        let request = FeedRequest(url: url)
        return try feed.decode(FeedResponse(request: request, body: body), for: PollContext(now: Date()))
    }

    private func showLastFailure(of source: String) throws {
        let store = try database.store()
        let records = try store.sources()
        guard let record = records.first(where: { $0.name == source }) else {
            let names = records.map(\.name).sorted()
            let known = names.isEmpty ? "none" : names.joined(separator: ", ")
            let hint = NearestWord.hint(for: source, among: names)
            throw ValidationError("the database has no source named '\(source)'; it has \(known)\(hint)")
        }
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
        case .integer: if let number = Int(text) { return .integer(number) }
        case .number: if let number = Double(text) { return .number(number) }
        case .flag: if let flag = Bool(text) { return .flag(flag) }
        case .texts: return .texts(text.split(separator: ",").map(String.init))
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
        case .text, .texts, .secretFile: "a text"
        }
    }
}
