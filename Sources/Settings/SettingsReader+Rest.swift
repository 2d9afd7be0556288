import Foundation

extension SettingsReader {
    /// What a file with faults says of its database, control socket and disk, for those who look after a daemon that
    /// has an earlier configuration in force; blocks its thread.
    /// - Parameters:
    ///   - path: The file.
    ///   - environment: The process's environment, for default paths as in `read`.
    ///   - files: How files are read; default: from the disk.
    /// - Returns: Settings with these values and defaults for all others, without sources; nil if the file cannot be
    ///   read, or says nothing usable of its database.
    public static func rest(
        path: String, environment: [String: String], files: FileReading = .disk
    ) -> Settings? {
        guard let data = try? files.contents(path), data.count <= maximumFileBytes,
            let text = String(validating: data, as: UTF8.self).map(withoutMark)
        else { return nil }
        // What is no YAML as a whole may be so in these sections.
        return rest(in: text, file: path, environment)
            ?? rest(in: sections(of: text), file: path, environment, isPart: true)
    }

    private static let keys = ["database", "control_socket", "disk"]

    /// The lines of the sections at the top level that name where the database and its daemon are.
    private static func sections(of text: String) -> String {
        var isWanted = false
        return text.split(whereSeparator: \.endsLine).filter { line in
            // A section ends with the next line that is not indented.
            if let first = line.first, !" \t#".contains(first) {
                isWanted = keys.contains { line.hasPrefix($0 + ":") }
            }
            return isWanted
        }.joined(separator: "\n")
    }

    private static func rest(
        in text: String, file: String, _ environment: [String: String], isPart: Bool = false
    ) -> Settings? {
        let faults = FaultList(file: file)
        var composer = YAMLComposer(faults: faults)
        guard let root = composer.compose(text), let top = MappingReader(root, path: "", faults: faults),
            !isPart || top.member("database") != nil
        else { return nil }
        let paths = PathResolver(file: file)
        func folder(_ variable: String) -> String? {
            environment[variable]?.split(separator: ":").first.map { String($0) }
        }
        let database =
            top.filePath("database", paths) ?? folder("STATE_DIRECTORY").map { "\($0)/visiventd.sqlite" }
            ?? paths.beside("visiventd.sqlite")
        let socket =
            top.filePath("control_socket", paths) ?? folder("RUNTIME_DIRECTORY").map { "\($0)/control.sock" }
            ?? Settings.controlSocket(of: database)
        var disk = DiskSettings()
        disk.minimumFreeBytes =
            top.mapping("disk")?.bytes("minimum_free", in: 0...1 << 40) ?? disk.minimumFreeBytes
        guard !faults.speaks(of: "database") else { return nil }
        var settings = Settings(file: file, database: database, controlSocket: socket, sources: [])
        settings.disk = disk
        return settings
    }
}
