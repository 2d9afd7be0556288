import ArgumentParser
import Foundation
import Model
import SQLite
import Settings

/// `visiventd init`
struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a configuration to begin with.",
        discussion: """
            It has a few sources with comments, and runs as it stands. A file that is there stays as it is. The database \
            will be visiventd.sqlite beside it.

            Examples:
              visiventd init
              visiventd init quakes/visiventd.yaml
            """)

    @Argument(help: "The file to make.", completion: .file())
    var file = "visiventd.yaml"

    func validate() throws {
        if file == "-" { throw ValidationError("init makes a file, found '-'; ./- is a file of that name") }
    }

    func run() async throws {
        try await reporting {
            let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw refusal(errno) }
            let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            // If the current folder has such a file, the configuration must name its database (`refuseEarlierDefault`).
            let beside = DatabasePath.folder(of: file) + "/" + Settings.earlierDefault
            let isNamed = Settings.isEarlierDefault(insteadOf: beside)
            let key = "database: "
            let text = isNamed ? Self.starter.replacingOccurrences(of: "# \(key)", with: key) : Self.starter
            do {
                try output.write(contentsOf: Data(text.utf8))
                try output.synchronize()
            } catch {
                unlink(file)
                Terminal.printError("visiventd: \(file) cannot be written: \(error.localizedDescription)")
                throw ExitStatus.cannotCreate
            }
            let option = "--config \(file.shellQuoted)"
            let why = "The current folder has another \(Settings.earlierDefault), so database in it names its own."
            for line in [
                "\(file): made.\(isNamed ? " \(why)" : "") Set contact in it, choose the sources, then:",
                "  visiventd check \(option)",
                "  visiventd run \(option)", "  visiventd events \(option)     # in another terminal",
            ] {
                Terminal.print(line)
            }
        }
    }

    /// Prints why the file cannot be created and returns the exit code.
    private func refusal(_ error: Int32) -> ExitCode {
        let reason = String(cString: strerror(error))
        Terminal.printError(
            error == EEXIST
                ? "visiventd: \(file) is there already and stays as it is; name another file"
                : "visiventd: \(file) cannot be made: \(reason)")
        return ExitStatus.cannotCreate
    }

    /// The text of the new file.
    private static let starter = """
        # Configuration of visiventd. `visiventd check --config FILE` validates a change before it is used; the daemon takes
        # it up by itself. All keys: visiventd.yaml(5), docs/configuration.md. Relative paths belong to this file's folder.

        # Whom a server's operator can write to, should the polling be a burden; goes into the User-Agent.
        # contact: you@example.org

        # The SQLite file that holds everything. The city table, which `visiventd seed cities` makes, is beside it.
        # database: visiventd.sqlite

        sources:
          # Earthquakes of the last day, worldwide, from the US Geological Survey.
          - name: quakes                  # a name of your own; it appears in logs and queries
            kind: usgs                    # usgs, cap, kml, rss, sitemap or twitter
            period: all_day               # significant, 4.5, 2.5, 1.0 or all, with _hour, _day, _week or _month
            refresh_interval: 5m          # from one poll to the next
            max_age: 72h                  # how long an event is kept
            # minimum_magnitude: 2.5

          # Volcanic activity of the week, from the Smithsonian's Global Volcanism Program.
          - name: volcanoes
            kind: cap
            url: https://volcano.si.edu/news/WeeklyVolcanoCAP.xml
            refresh_interval: 2h48m
            offset: 2m                    # from the start of the daemon to the first poll
            max_age: 120d

          # News that mention one of the keywords: whole words, in any case; * at the end is any ending.
          - name: world-news
            kind: rss                     # any RSS or Atom feed
            url: https://feeds.bbci.co.uk/news/{topic}/rss.xml
            topics: [world, science_and_environment]
            refresh_interval: 1h
            offset: 3m
            max_age: 72h
            keywords: [volcan*, earthquake*, erupt*]

        """
}
