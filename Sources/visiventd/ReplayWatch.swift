import ArgumentParser
import Foundation
import Model
import Operations
import Settings
import Store
import Telling

/// `visiventd watch replay`
struct ReplayWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show what a watch would have told of past changes, and send nothing.",
        discussion: """
            The changes in the log (30 days) are judged at their own times, as if the watch had begun at --since and its \
            first target had taken every message at once.

            Example:
              visiventd watch replay lisbon --since 7d
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(parsing: .unconditional, help: "From when on: a time or an age, as for visiventd events. (default: 30d)")
    var since: String?

    @Argument(help: "Name of the watch.")
    var name: String

    func run() async throws {
        try await reporting(configuration.hints) {
            let now = Date()
            let start = try EventOptions.date(since ?? "30d", "--since", now)
            let settings = try configuration.load().settings
            let plan = settings.tellingPlan
            guard let watch = plan.watches.first(where: { $0.name == name && !$0.isHealth }),
                let first = plan.targets.first(where: { watch.targets.contains($0.name) })
            else {
                let hint = NearestWord.hint(for: name, among: plan.watches.map(\.name))
                throw ValidationError("there is no watch '\(name)' of events\(hint)")
            }
            let store = try EventStore(path: settings.database, mode: .readOnly)
            var replay = try WatchReplay(TellingPlan(watches: [watch], targets: [first]), from: start)
            var cursor: Int64?
            repeat {
                let page = try store.replaySteps(after: cursor, limit: 1000)
                for step in page.steps { try replay.take(step) }
                cursor = page.cursor
            } while cursor != nil
            try replay.advance(to: now)
            var output = Output()
            for message in replay.messages {
                let kind = message.kind.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
                output.line("\(message.at.wholeSeconds) \(kind) \(Words(message).title)")
            }
            let kinds = [MessageKind.announced, .updated, .ended, .restored, .digest].map { kind in
                "\(replay.messages.count(where: { $0.kind == kind })) \(kind.rawValue)"
            }
            output.line(kinds.joined(separator: ", "))
            output.flush()
        }
    }
}
