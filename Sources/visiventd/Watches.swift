import ArgumentParser
import Control
import Foundation
import Model
import Settings
import Store

/// `visiventd watches`
struct Watches: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what is watched, who is told, and what was.",
        discussion: """
            A line for each watch and target: since when, how many events are told, how many messages wait, and how many \
            matched and are not told, by reason (docs/watches.md). Below them is how each target is.
            """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        try await reporting(database.hints) {
            let store = try database.store()
            let watches = try store.watchStates()
            var output = Output()
            guard !watches.isEmpty else { return Terminal.printError("nothing is watched; see docs/watches.md") }
            var table = TextTable(["WATCH", "TARGET", "SINCE", ">TOLD", ">WAITING", "PASSED OVER", "LAST"])
            for watch in watches {
                let passed = watch.passed.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                table.add([
                    watch.watch, watch.target, watch.since.wholeSeconds, "\(watch.told)", "\(watch.waiting)",
                    passed.joined(separator: ", "), watch.last?.wholeSeconds ?? "",
                ])
            }
            output.table(table, width: Terminal.width)
            output.line("")
            for state in try store.targetStates(at: Date()) { output.line(state.words) }
            output.flush()
        }
    }
}

/// `visiventd watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Try a watch.", subcommands: [TestWatch.self, ReplayWatch.self])
}

/// `visiventd watch test`
struct TestWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a message of a watch to its targets, marked as a test.",
        discussion: """
            The running daemon sends the newest event that the watch accepts, past quiet hours and pace, and this command \
            prints what each target answers. Nothing counts as told by it. Exit code 75 if a target does not take it.
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: "Only to this target.")
    var target: String?

    @Argument(help: "Name of the watch.")
    var name: String

    func run() async throws {
        try await reporting(database.hints) {
            let settings = try database.settings()
            var request = ControlRequest(.tryWatch)
            (request.watch, request.target) = (name, target)
            try ControlClient.carryOut(request, to: settings.socket, database: settings.database)
        }
    }
}

/// `visiventd deliveries`
struct Deliveries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List messages to targets, the latest first.",
        discussion: """
            A message is waiting, sending, sent, digested (told in one message with others), superseded (a later state \
            was told), expired, rejected, or passed_over. They are kept 90 days.
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: "How many at the most; 1 or more.")
    var limit = 50

    func validate() throws {
        if limit < 1 { throw ValidationError("--limit takes 1 or more, found \(limit)") }
    }

    func run() async throws {
        try await reporting(database.hints) {
            let found = try database.store().deliveries(limit: limit)
            var output = Output()
            guard !found.isEmpty else { return Terminal.printError("no such message") }
            var table = TextTable(["TIME (UTC)", "TARGET", "KIND", "OUTCOME", "ID", "EVENT", "ANSWER"])
            for delivery in found {
                table.add([
                    delivery.at.wholeSeconds, delivery.target, delivery.kind, delivery.outcome, delivery.id ?? "",
                    delivery.publicID ?? "", delivery.code ?? "",
                ])
            }
            output.table(table, width: Terminal.width)
            output.flush()
        }
    }
}

/// `visiventd resend`
struct Resend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a message again.",
        discussion: """
            ID is that of a message about one event, as visiventd deliveries lists it. It is sent with what is to be \
            said now, under a new id.
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: "Only to this target; by default to all that have had it.")
    var target: String?

    @Argument(help: "The message's id.")
    var id: String

    func run() async throws {
        try await reporting(database.hints) {
            let settings = try database.settings()
            var request = ControlRequest(.resend)
            (request.delivery, request.target) = (id, target)
            try ControlClient.carryOut(request, to: settings.socket, database: settings.database)
        }
    }
}
