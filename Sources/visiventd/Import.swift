import ArgumentParser
import Files
import Foundation
import Model
import Operations
import Reading
import SQLite
import Settings

/// `visiventd import`
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make sources of a list of feeds (OPML), as news readers export it.",
        discussion: """
            Prints the sources, or writes them with --output into a new file. In conf.d beside the configuration they \
            take effect as an edit does; the file gets the mode and, from root, the owner of the configuration. Each \
            feed becomes a source of kind rss, with a name made from its title; headings and categories become \
            comments. Feeds that are configured already, and addresses that no source can have, are left out and named \
            on standard error. What is made is validated with the configuration first. Where there is no configuration \
            yet, nothing is compared.

            Look through the list before you use it: the daemon asks whatever addresses it has.

            Examples:
              visiventd import feeds.opml
              visiventd import feeds.opml --output /etc/visiventd/conf.d/newsroom.yaml
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(name: .shortAndLong, help: "The file to make, in place of standard output.", completion: .file())
    var output: String?

    @Argument(help: "The OPML document: a file, a URL, or - for standard input.", completion: .file())
    var file: String

    func validate() throws {
        try mustBeInput(file)
        guard let output else { return }
        if output == "-" || output.isEmpty {
            throw ValidationError(
                "--output takes a file, found '\(output)'; without it, sources go to standard output")
        }
        if isFragment(output), !output.hasSuffix(".yaml") {
            throw ValidationError("--output takes a name that ends in .yaml in conf.d, found '\(output)'")
        }
    }

    func run() async throws {
        try await reporting(configuration.hints) {
            let list = try await Self.list(wholeInput(file, limit: FeedList.maximumBytes))
            let environment = ProcessInfo.processInfo.environment
            var files = try configured()
            let known = try SettingsReader.parse(files, environment: environment, needsSources: false).settings
            let name = file == "-" ? "standard input" : DatabasePath.name(of: file.withoutQuery)
            let made = FeedImport(list, besides: known.sources, from: name)
            for words in made.leftOut { Terminal.printError("left out: \(words)") }
            guard made.count > 0 else { return Terminal.printError("\(file.withoutQuery): nothing to add") }
            // As it will be read, so that nothing is made that would be refused.
            let place = output ?? SettingsFiles.folder(beside: configuration.config) + "/import.yaml"
            files.fragments.append(SettingsFile(path: place, text: made.text))
            _ = try SettingsReader.parse(files, environment: environment)
            guard let output else {
                var standard = Output()
                return standard.add(Data(made.text.utf8))
            }
            try write(made.text, to: output)
            let left = made.leftOut.isEmpty ? "" : ", \(made.leftOut.count) left out"
            Terminal.print("\(output) is written: \(made.count.counted("source"))\(left)")
        }
    }

    /// Whether a path is in the `conf.d` of the configuration.
    private func isFragment(_ path: String) -> Bool {
        let folder = SettingsFiles.folder(beside: configuration.config)
        return DatabasePath.resolved(DatabasePath.folder(of: path)) == DatabasePath.resolved(folder)
    }

    /// The files of the configuration; an empty one where the default one is missing.
    private func configured() throws(SettingsErrors) -> SettingsFiles {
        let path = configuration.config
        if path == ConfigurationOptions.standardPath, access(path, F_OK) != 0, errno == ENOENT {
            Terminal.printError("there is no \(path), so nothing is compared with what is configured")
            return SettingsFiles(main: SettingsFile(path: path, text: ""))
        }
        return try SettingsFiles(reading: path, files: .ordinary)
    }

    private static func list(_ data: Data) throws(Failure) -> FeedList {
        do throws(ReadingError) {
            return try FeedList(opml: data)
        } catch {
            throw Failure(.feed, error.code, error.description)
        }
    }

    /// Makes the file, and `conf.d` for it; a file that is there stays as it is.
    private func write(_ text: String, to path: String) throws(FileError) {
        let destination = try PartialFile.destination(path)
        let taken = FileError(.cannotCreate, "\(path) is there already and stays as it is; name another file")
        guard access(destination, F_OK) != 0 else { throw taken }
        if isFragment(path) { mkdir(DatabasePath.folder(of: destination), 0o755) }
        let file = try PartialFile(of: destination, mode: 0o644)
        var status = stat()
        if stat(configuration.config, &status) == 0 {
            // Who may read the configuration may read this; without the right to give it away it stays one's own.
            _ = fchown(file.descriptor, status.st_uid, status.st_gid)
            fchmod(file.descriptor, status.st_mode & 0o666)
        }
        do {
            try FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
        } catch {
            throw FileError(.full, "\(path) cannot be written: \(error.localizedDescription)")
        }
        try file.sync()
        guard try file.putInPlace(destination, isReplacing: false) else { throw taken }
    }
}
