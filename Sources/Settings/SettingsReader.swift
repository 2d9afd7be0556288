public import Foundation
public import Model

/// Reads a YAML configuration into validated settings, or reports all its faults. `docs/configuration.md` has the keys.
public enum SettingsReader {
    /// Largest size of the file in bytes: 1 MiB; a larger one is a fault of the whole file.
    public static let maximumFileBytes = 1 << 20

    /// Reads and validates a file with its fragments (`SettingsFiles`); blocks its thread.
    /// - Parameters:
    ///   - path: The file; relative paths in it and in its fragments start from its folder.
    ///   - kinds: The known kinds of feed, for the keys and defaults of their sources.
    ///   - environment: The process's environment; `STATE_DIRECTORY` and `RUNTIME_DIRECTORY` give default paths.
    ///   - files: How files are read; default: from the disk. Secrets are not read.
    ///   - check: Validates the settings that only the kind of feed can judge; nil, as by default: no fault.
    /// - Throws: `SettingsErrors` with all faults. An unreadable file, text that is not UTF-8, a syntax error or a
    ///   duplicate key is reported alone.
    public static func read(
        path: String, kinds: [FeedKind], environment: [String: String], files: FileReading = .disk,
        check: (SourceSettings) -> FeedSettingsError? = { _ in nil }
    ) throws(SettingsErrors) -> Settings {
        try parse(SettingsFiles(reading: path, files: files), kinds: kinds, environment: environment, check: check)
    }

    /// Reads the bytes of a file; blocks its thread.
    /// - Throws: `SettingsErrors` if it cannot be read.
    public static func data(ofFile path: String, files: FileReading) throws(SettingsErrors) -> Data {
        do {
            return try files.contents(path)
        } catch {
            let accepted = "a readable YAML file; --config names another"
            throw SettingsErrors(faults: [SettingsFault(reading: path, error, accepted: accepted)])
        }
    }

    /// The bytes of a file as text, with its byte order mark if it has one.
    /// - Throws: `SettingsErrors` for other bytes than UTF-8.
    public static func text(of data: Data, file: String) throws(SettingsErrors) -> String {
        guard let text = String(validating: data, as: UTF8.self) else {
            // The decoder replaces the first byte that is not UTF-8 by U+FFFD.
            let before = String(decoding: data, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
            let isWide = data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
            throw SettingsErrors(faults: [
                SettingsFault(
                    file: file, position: SettingsPosition(after: before),
                    found: isWide ? "found UTF-16" : "found a byte that is not UTF-8", accepted: "UTF-8 text")
            ])
        }
        return text
    }

    /// Validates the text of a file without fragments, as `parse(_:kinds:environment:needsSources:check:)`.
    /// - Parameters:
    ///   - text: YAML of at most `maximumFileBytes`; a byte order mark is ignored.
    ///   - file: Its path, for messages and relative paths.
    public static func parse(
        _ text: String, file: String, kinds: [FeedKind], environment: [String: String],
        check: (SourceSettings) -> FeedSettingsError? = { _ in nil }
    ) throws(SettingsErrors) -> Settings {
        try parse(
            SettingsFiles(main: SettingsFile(path: file, text: text)), kinds: kinds, environment: environment,
            check: check)
    }

    /// Validates the files of a configuration, without reading any.
    /// - Parameters:
    ///   - files: The files. The paths are for messages; relative paths start from the folder of the main file.
    ///   - kinds: As for `read`, like `environment` and `check`.
    ///   - needsSources: Whether a configuration without a source has a fault; default true.
    /// - Throws: `SettingsErrors` with all faults of all files. Of one file, too large a text, other bytes than UTF-8,
    ///   a syntax error or a duplicate key is reported alone.
    public static func parse(
        _ files: SettingsFiles, kinds: [FeedKind], environment: [String: String], needsSources: Bool = true,
        check: (SourceSettings) -> FeedSettingsError? = { _ in nil }
    ) throws(SettingsErrors) -> Settings {
        try parsed(files, kinds: kinds, environment: environment, needsSources: needsSources, check: check).settings
    }

    /// Validates the files of a configuration as `parse`, and lists the values that are in effect by them: those of the
    /// top level and the sections first, then those of each source.
    /// - Throws: As `parse`.
    public static func values(
        in files: SettingsFiles, kinds: [FeedKind], environment: [String: String],
        check: (SourceSettings) -> FeedSettingsError? = { _ in nil }
    ) throws(SettingsErrors) -> [SettingsValue] {
        let read = try parsed(files, kinds: kinds, environment: environment, listing: true, check: check)
        return read.settings.values(kinds: kinds, main: read.main, fragments: read.fragments)
    }

    private static func parsed(
        _ files: SettingsFiles, kinds: [FeedKind], environment: [String: String], needsSources: Bool = true,
        listing: Bool = false, check: (SourceSettings) -> FeedSettingsError?
    ) throws(SettingsErrors) -> (settings: Settings, main: ParsedFile, fragments: [ParsedFile]) {
        let main = ParsedFile(files.main, listing: listing)
        var fragments: [ParsedFile] = []
        var nodes = main.nodes
        for file in files.fragments {
            let fragment = ParsedFile(file, nodesBefore: nodes, listing: listing)
            fragment.top?.refuseUnknown(
                known: ["sources"], of: " in conf.d", homes: KeyHome.besideSources(of: files.main.path))
            nodes = fragment.nodes
            fragments.append(fragment)
        }
        let paths = PathResolver(file: files.main.path)
        let read = main.top.map { Self.settings(from: $0, environment: environment, paths: paths) }
        let sources = Self.sources(
            in: main, fragments, kinds: kinds, paths: paths, needsSources: needsSources, check: check)
        let names = ([main] + fragments).flatMap { $0.names(of: "sources") }
        let watches = main.top.map {
            WatchReader(top: $0, sources: names, targets: main.names(of: "deliver")).watches()
        }
        let faults = ([main] + fragments).flatMap { $0.faults.faults }
        guard faults.isEmpty, var settings = read else { throw SettingsErrors(faults: faults) }
        settings.sources = sources
        settings.watches = watches ?? []
        settings.fragments = fragments.map { fragment in
            Settings.Fragment(file: fragment.faults.file, sources: fragment.items?.count ?? 0)
        }
        return (settings, main, fragments)
    }

    /// The text without a byte order mark, which some editors write.
    static func withoutMark(_ text: String) -> String {
        text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}

// MARK: - Sections

extension SettingsReader {
    private static let minute = Duration.seconds(60)
    private static let hour = Duration.seconds(3_600)
    private static let day = Duration.seconds(86_400)

    /// The settings of the main file, without its sources.
    private static func settings(
        from top: MappingReader, environment: [String: String], paths: PathResolver
    ) -> Settings {
        top.refuseUnknown(known: KeyHome.top)
        let named =
            top.filePath("database", paths) ?? folder("STATE_DIRECTORY", environment).map { "\($0)/visiventd.sqlite" }
        let database = named ?? paths.beside("visiventd.sqlite")
        let socket =
            top.filePath("control_socket", paths)
            ?? folder("RUNTIME_DIRECTORY", environment).map { "\($0)/control.sock" }
            ?? Settings.controlSocket(of: database)
        if socket.utf8.count > 107 {
            let isDerived = top.member("control_socket") == nil && top.member("database") != nil
            top.note(
                isDerived ? "database" : "control_socket", "the control socket's path has \(socket.utf8.count) bytes",
                accepted: "a control_socket of at most 107 bytes (unix(7))")
        }
        if socket == database {
            top.note("control_socket", "found the path of the database", accepted: "a path of its own")
        }
        var settings = Settings(file: top.faults.file, database: database, controlSocket: socket, sources: [])
        settings.isDatabaseBeside = named == nil
        settings.contact = contact(in: top)
        settings.hasFullText = top.flag("full_text") ?? settings.hasFullText
        settings.reloadsOnEdit = top.flag("reload_on_edit") ?? settings.reloadsOnEdit
        settings.log = log(in: top)
        settings.fetch = fetch(in: top)
        settings.truncation = truncation(in: top)
        settings.disk = disk(in: top)
        settings.gazetteer = gazetteer(in: top, database: database, environment: environment, paths: paths)
        settings.geocoding = GeocodingReader(top: top, paths: paths).geocoding()
        settings.pictures = PictureReader(top: top).pictures()
        settings.serve = ServeReader(top: top, paths: paths).serve()
        settings.deliver = DeliveryReader(top: top, paths: paths).deliveries()
        return settings
    }

    private static func log(in top: MappingReader) -> LogSettings {
        var log = LogSettings()
        guard let section = top.mapping("log") else { return log }
        section.refuseUnknown(known: KeyHome.log)
        log.level = section.word("level", of: LogSettings.Level.self) ?? log.level
        log.format = section.word("format", of: LogSettings.Format.self) ?? log.format
        return log
    }

    private static func fetch(in top: MappingReader) -> FetchSettings {
        var fetch = FetchSettings()
        guard let section = top.mapping("fetch") else { return fetch }
        section.refuseUnknown(known: KeyHome.fetch)
        let sizes = 1 << 10...2 << 30
        let shortest = Duration.milliseconds(100)
        fetch.concurrency = section.integer("concurrency", in: 1...1024) ?? fetch.concurrency
        fetch.perHostConcurrency = section.integer("per_host_concurrency", in: 1...64) ?? fetch.perHostConcurrency
        fetch.perHostGap = section.duration("per_host_gap", in: Duration.zero...hour) ?? fetch.perHostGap
        fetch.connectTimeout =
            section.duration("connect_timeout", in: shortest...minute * 10) ?? fetch.connectTimeout
        fetch.totalTimeout = section.duration("total_timeout", in: shortest...day) ?? fetch.totalTimeout
        fetch.stallTimeout = section.duration("stall_timeout", in: shortest...hour) ?? fetch.stallTimeout
        fetch.maximumBodyBytes = section.bytes("maximum_body", in: sizes) ?? fetch.maximumBodyBytes
        fetch.maximumTransferBytes = section.bytes("maximum_transfer", in: sizes) ?? fetch.maximumTransferBytes
        fetch.maximumRedirects = section.integer("maximum_redirects", in: 0...20) ?? fetch.maximumRedirects
        return fetch
    }

    private static func truncation(in top: MappingReader) -> TruncationSettings {
        var truncation = TruncationSettings()
        guard let section = top.mapping("truncation") else { return truncation }
        section.refuseUnknown(known: KeyHome.truncation)
        truncation.first = section.duration("first", in: Duration.zero...day * 30) ?? truncation.first
        truncation.interval =
            section.duration("interval", in: Duration.seconds(10)...day * 30) ?? truncation.interval
        return truncation
    }

    private static func disk(in top: MappingReader) -> DiskSettings {
        var disk = DiskSettings()
        guard let section = top.mapping("disk") else { return disk }
        section.refuseUnknown(known: ["minimum_free"])
        disk.minimumFreeBytes = section.bytes("minimum_free", in: 0...1 << 40) ?? disk.minimumFreeBytes
        return disk
    }

    private static func gazetteer(
        in top: MappingReader, database: String, environment: [String: String], paths: PathResolver
    ) -> GazetteerSettings {
        let section = top.mapping("gazetteer")
        section?.refuseUnknown(known: ["least_confidence", "path"])
        let path =
            section?.filePath("path", paths) ?? folder("STATE_DIRECTORY", environment).map { "\($0)/cities.sqlite" }
        if path == database {
            section?.note("path", "found \(shown(database)), which is the database", accepted: "a file of its own")
        }
        var settings = path.map { GazetteerSettings(path: $0) } ?? GazetteerSettings(database: database)
        settings.leastConfidence = section?.number("least_confidence", in: 0...1) ?? settings.leastConfidence
        return settings
    }

    /// The sources of all files, those of the main file first.
    private static func sources(
        in main: ParsedFile, _ fragments: [ParsedFile], kinds: [FeedKind], paths: PathResolver, needsSources: Bool,
        check: (SourceSettings) -> FeedSettingsError?
    ) -> [SourceSettings] {
        main.noteSources(areMissing: needsSources && fragments.allSatisfy { $0.items?.isEmpty == true })
        for fragment in fragments { fragment.noteSources(areMissing: false) }
        var sources: [SourceSettings] = []
        var names: [String: (file: ParsedFile, index: Int)] = [:]
        for file in [main] + fragments {
            for (index, item) in (file.items ?? []).enumerated() {
                guard let keys = MappingReader(item, path: "sources[\(index)]", faults: file.faults) else { continue }
                let name = keys.member("name")?.value.text
                if let name, let first = names[name] {
                    let line = first.file.positions["sources[\(first.index)].name"].map { " on line \($0.line)" } ?? ""
                    let place = first.file.faults === file.faults ? "" : " of \(first.file.faults.file)"
                    keys.note(
                        "name", "found \(shown(name)), which is the name of sources[\(first.index)]\(line)\(place)",
                        accepted: "a name of its own")
                } else if let name {
                    names[name] = (file, index)
                }
                guard let source = SourceReader(keys: keys, kinds: kinds, paths: paths).source() else { continue }
                if let error = check(source), !file.faults.speaks(of: keys.path(of: error.key)) {
                    let found = error.found.isEmpty ? "missing" : "found \(shown(error.found))"
                    keys.note(error.key, found, accepted: error.accepted)
                }
                sources.append(source)
            }
        }
        return sources
    }
}

// MARK: - Single keys

extension SettingsReader {
    /// The first folder in a variable of systemd, which separates folders by colons (systemd.exec(5)).
    private static func folder(_ variable: String, _ environment: [String: String]) -> String? {
        environment[variable]?.split(separator: ":").first.map { String($0) }
    }

    private static func contact(in top: MappingReader) -> String? {
        let accepted = "1 to 200 ASCII characters without parentheses and backslashes"
        top.accepts("contact", accepted)
        guard let contact = top.text("contact") else { return nil }
        // The contact becomes a comment in the User-Agent (RFC 9110 §5.6.5).
        let isComment = contact.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !"()\\".utf8.contains($0) }
        guard isComment, !contact.isEmpty, contact.utf8.count <= 200 else {
            top.note("contact", "found \(shown(contact))", accepted: accepted)
            return nil
        }
        return contact
    }
}
