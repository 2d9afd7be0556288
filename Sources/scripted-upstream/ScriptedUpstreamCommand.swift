import ArgumentParser

/// The program `scripted-upstream`.
@main
struct ScriptedUpstreamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scripted-upstream",
        abstract: "Play recorded feeds on this machine, for demonstrations and tests.",
        subcommands: [Serve.self])
}
