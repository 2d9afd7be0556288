import ArgumentParser
import Feeds
import Foundation
import Model
import Operations
import Settings

/// What a shell offers for words that it cannot know by itself; files it finds.
enum Completions {
    /// Kinds of feed.
    static let kinds = CompletionKind.list(FeedRegistry.kinds.map(\.name))

    /// Categories of events.
    static let categories = CompletionKind.list(FeedRegistry.categories)

    /// Codes of countries.
    static let countries = CompletionKind.list(CountryCode.known.sorted())

    /// Providers of events.
    static let providers = CompletionKind.list(FeedRegistry.providers)

    /// How exactly events are located.
    static let precisions = CompletionKind.list(Location.Precision.allCases.map(\.rawValue))

    /// Texts by which events are located.
    static let evidence = CompletionKind.list(PlaceEvidence.allCases.map(\.rawValue))

    /// Names of the configured sources; none where the configuration that the command line names cannot be read.
    static let sources = CompletionKind.custom { words, _, _ in
        let config = Completions.configuration(in: words)
        let environment = ProcessInfo.processInfo.environment
        let read = try? SettingsReader.read(
            path: config.map(Completions.plain) ?? ConfigurationOptions.standardPath, environment: environment)
        return read?.settings.sources.map(\.name) ?? []
    }

    /// The value of the last --config among the words of a command line; bash parts --config=FILE into three words.
    private static func configuration(in words: [String]) -> String? {
        let words = words.prefix { $0 != "--" }.filter { $0 != "=" }
        let index = words.lastIndex { $0 == "-c" || $0 == "--config" || $0.hasPrefix("--config=") }
        guard let index else { return nil }
        let parts = words[index].split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : words.dropFirst(index + 1).first
    }

    /// A word as the shell would hand it on, as far as that matters to paths.
    private static func plain(_ word: String) -> String {
        let text = word.filter { !"'\"\\".contains($0) }
        guard text.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"] else { return text }
        return home + text.dropFirst()
    }
}
