import ArgumentParser
import Feeds
import Foundation
import Model
import Operations
import Reading
import Serving
import Settings

/// `visiventd export`
struct Export: AsyncParsableCommand {
    /// Output formats.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case opml, ndjson
    }

    static let configuration = CommandConfiguration(
        abstract: "Print the sources as a list of feeds (OPML), or all their keys.",
        discussion: """
            opml has the sources of kind rss, one outline for each topic, as news readers import them. A source whose \
            address has a query that looks like a secret is left out and named on standard error. ndjson has all \
            sources, one JSON object a line, with the values in effect as set takes them: URLs without their query, \
            secrets as their places.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(help: "opml or ndjson.")
    var format: Format = .opml

    func run() async throws {
        try await reporting(configuration.hints) {
            let files = try SettingsFiles(reading: configuration.config)
            let environment = ProcessInfo.processInfo.environment
            var output = Output()
            switch format {
            case .opml:
                let settings = try SettingsReader.parse(files, environment: environment).settings
                output.add(Data(Self.opml(settings.sources).utf8))
            case .ndjson:
                let values = try SettingsReader.values(in: files, environment: environment)
                for line in Self.lines(values) { output.json(line) }
            }
            output.flush()
        }
    }

    /// An OPML 2.0 document of the feeds.
    private static func opml(_ sources: [SourceSettings]) -> String {
        var text = XMLText.declaration
        text += "<opml version=\"2.0\">\n<head><title>Sources of visiventd</title></head>\n<body>\n"
        for source in sources where source.kind == SyndicationFeed.kind.name {
            for (topic, url) in source.urls() {
                guard !looksSecret(URLParts(url)?.query ?? "") else {
                    Terminal.printError("left out: \(source.name): its address looks as if it had a secret")
                    continue
                }
                let name = XMLText.escaped([source.name, topic].compactMap { $0 }.joined(separator: " "))
                text += "<outline type=\"rss\" text=\"\(name)\" title=\"\(name)\" "
                text += "xmlUrl=\"\(XMLText.escaped(url))\"/>\n"
            }
        }
        return text + "</body>\n</opml>\n"
    }

    /// A JSON object for each source, with the keys that have a value.
    private static func lines(_ values: [SettingsValue]) -> [String] {
        var lines: [String] = []
        var object = JSONWriter()
        var source: String?
        for value in values where value.source != nil {
            if value.source != source, !object.isEmpty { lines.append(object.finish()) }
            source = value.source
            object.member(value.key, value.value)
        }
        if !object.isEmpty { lines.append(object.finish()) }
        return lines
    }
}
