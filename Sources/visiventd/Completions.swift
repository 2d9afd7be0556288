import ArgumentParser
import Feeds
import Foundation
import Model
import Operations
import Settings

/// Completions for words that a shell does not know itself; it completes files.
enum Completions {
    static let kinds = CompletionKind.list(FeedRegistry.kinds.map(\.name))

    static let categories = CompletionKind.list(FeedRegistry.categories)

    static let countries = CompletionKind.list(CountryCode.known.sorted())

    static let providers = CompletionKind.list(FeedRegistry.providers)

    static let precisions = CompletionKind.list(Location.Precision.allCases.map(\.rawValue))

    static let evidence = CompletionKind.list(PlaceEvidence.allCases.map(\.rawValue))

    /// Names of the configured sources; none if the configuration of the command line cannot be read.
    static let sources = CompletionKind.custom { words, _, _ in
        let config = Completions.configuration(in: words)
        let environment = ProcessInfo.processInfo.environment
        let read = try? SettingsReader.read(
            path: config.map(Completions.plain) ?? ConfigurationOptions.standardPath, environment: environment)
        return read?.settings.sources.map(\.name) ?? []
    }

    /// The value of the last --config on a command line; bash splits --config=FILE into three words.
    private static func configuration(in words: [String]) -> String? {
        let words = words.prefix { $0 != "--" }.filter { $0 != "=" }
        let index = words.lastIndex { $0 == "-c" || $0 == "--config" || $0.hasPrefix("--config=") }
        guard let index else { return nil }
        let parts = words[index].split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : words.dropFirst(index + 1).first
    }

    /// A word without quotes and backslashes and with `~/` expanded, much as a shell would pass it on.
    private static func plain(_ word: String) -> String {
        let text = word.filter { !"'\"\\".contains($0) }
        guard text.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"] else { return text }
        return home + text.dropFirst()
    }
}
