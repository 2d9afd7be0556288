import Foundation
import SQLite
package import Settings

/// An installed unit of this program, by what systemd itself shows of it. What systemd does not show, or shows in a
/// form that is not understood, is not known.
package struct InstalledUnit: Sendable {
    /// The properties to ask for (systemd.exec(5), systemd.resource-control(5)).
    package static let properties = [
        "LoadState", "FragmentPath", "DropInPaths", "ExecStart", "User", "DynamicUser",
        "RootDirectory", "RootImage", "BindPaths", "TemporaryFileSystem", "StateDirectory", "RuntimeDirectory",
        "ProtectSystem", "ProtectHome", "ReadWritePaths", "ReadOnlyPaths", "InaccessiblePaths", "SocketBindAllow",
        "SocketBindDeny",
    ]

    /// Its name, such as `visiventd.service`.
    package let name: String
    /// The values of each property that has some, a line of systemd's each.
    private let values: [String: [String]]
    /// The credentials that its files name; nil: not known.
    private let credentials: Set<String>?

    /// Takes the answer of `systemctl show`.
    /// - Parameters:
    ///   - name: The unit's name.
    ///   - shown: Lines `PROPERTY=VALUE`.
    ///   - configuration: The configuration that is looked at.
    ///   - files: How the unit's files are read; default: from the disk.
    /// - Returns: Nil if the unit is not installed, or runs with another configuration.
    package init?(_ name: String, shown: String, configuration: String, files: FileReading = .ordinary) {
        self.name = name
        var values: [String: [String]] = [:]
        for line in shown.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0]), default: []].append(String(parts[1])) }
        }
        guard values["LoadState"] == ["loaded"], let command = values["ExecStart"]?.first,
            DatabasePath.isOneFile(Self.configuration(of: command), configuration)
        else { return nil }
        self.values = values
        let paths = ["FragmentPath", "DropInPaths"].flatMap { values[$0] ?? [] }
            .flatMap { $0.components(separatedBy: " ") }
        credentials = Self.credentials(in: paths.map { try? files.contents($0) })
    }

    /// The configuration of a command as systemd shows it: `{ path=… ; argv[]=… ; …`.
    private static func configuration(of command: String) -> String {
        let words = command.components(separatedBy: "argv[]=").last?.components(separatedBy: " ;").first ?? ""
        let arguments = words.split(separator: " ")
        for (index, word) in arguments.enumerated() {
            if word.hasPrefix("--config=") { return String(word.dropFirst("--config=".count)) }
            if ["--config", "-c"].contains(word), arguments.indices.contains(index + 1) {
                return String(arguments[index + 1])
            }
        }
        return "/etc/visiventd/visiventd.yaml"
    }

    // MARK: - Credentials

    /// The names in unit files, in the order in which they count; an empty value takes back those before it. Nil if a
    /// file cannot be read, or imports credentials by patterns.
    private static func credentials(in files: [Data?]) -> Set<String>? {
        var names: [String: Set<String>] = [:]
        let keys = ["LoadCredential", "LoadCredentialEncrypted", "SetCredential", "SetCredentialEncrypted"]
        for file in files {
            guard let file else { return nil }
            for line in String(decoding: file, as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                let key = parts[0]
                if key == "ImportCredential" { return nil }
                guard parts.count == 2, keys.contains(key) else { continue }
                let name = parts[1].prefix { $0 != ":" }
                if name.isEmpty { names[key] = [] } else { names[key, default: []].insert(String(name)) }
            }
        }
        return names.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    }

    /// Whether the unit passes a credential; nil: not known. A folder's files have the folder's name before theirs.
    package func passes(_ credential: String) -> Bool? {
        credentials.map { names in names.contains { credential == $0 || credential.hasPrefix($0 + "_") } }
    }

    // MARK: - Folders

    /// The user as whom it runs; nil: root, or one that is made for each start.
    package var user: String? {
        values["DynamicUser"]?.first == "yes" ? nil : values["User"]?.first
    }

    /// Whether a missing folder is made with each start.
    package func makes(_ folder: String) -> Bool { ownFolders.contains(folder) }

    /// Whether systemd lets the unit write in a folder, as far as its mode allows; nil: not known. Below `/tmp` and
    /// `/dev` it is not known either.
    /// - Parameter folder: An absolute path without links.
    package func leavesWritable(_ folder: String) -> Bool? {
        let others = ["RootDirectory", "RootImage", "BindPaths", "TemporaryFileSystem"]
        let lists = ["ReadWritePaths", "ReadOnlyPaths", "InaccessiblePaths", "StateDirectory", "RuntimeDirectory"]
        // Quoted and escaped paths, and "[unprintable]".
        let isPlain = lists.allSatisfy { key in !(values[key] ?? []).contains { $0.contains { "\"\\[".contains($0) } } }
        guard isPlain, others.allSatisfy({ values[$0] == nil }) else { return nil }
        var rules: [(path: String, isWritable: Bool?)] = []
        func add(_ paths: [String], _ isWritable: Bool?) {
            for path in paths { rules.append((path, isWritable)) }
        }
        add(["/tmp", "/var/tmp", "/dev", "/proc", "/sys"], nil)
        let system: [String] =
            switch values["ProtectSystem"]?.first {
            case "strict": ["/"]
            case "full": ["/usr", "/boot", "/efi", "/etc"]
            case "yes": ["/usr", "/boot", "/efi"]
            default: []
            }
        let seesHomes = ["no", nil].contains(values["ProtectHome"]?.first)
        add(system + (seesHomes ? [] : ["/home", "/root", "/run/user"]), false)
        add(paths("ReadOnlyPaths") + paths("InaccessiblePaths"), false)
        add(paths("ReadWritePaths") + ownFolders, true)
        let deepest = rules.filter { folder == $0.path || folder.hasPrefix($0.path == "/" ? "/" : $0.path + "/") }
            .max { $0.path.utf8.count < $1.path.utf8.count }
        guard let deepest else { return true }
        return deepest.isWritable
    }

    /// The folder that the unit names in `STATE_DIRECTORY`, the first one; nil: none.
    package var stateFolder: String? { list("StateDirectory").first.map { "/var/lib/\($0)" } }

    private var ownFolders: [String] {
        list("StateDirectory").map { "/var/lib/\($0)" } + list("RuntimeDirectory").map { "/run/\($0)" }
    }

    /// The paths of a property, without the signs before them.
    private func paths(_ property: String) -> [String] {
        list(property).map { String($0.drop { "-+".contains($0) }) }
    }

    private func list(_ property: String) -> [String] {
        (values[property] ?? []).flatMap { $0.split(separator: " ").map { String($0) } }
    }

    // MARK: - Ports

    /// Whether the unit may listen at a TCP port; nil: not known.
    package func allows(port: Int) -> Bool? {
        guard let denied = Self.names(values["SocketBindDeny"] ?? [], port),
            let allowed = Self.names(values["SocketBindAllow"] ?? [], port)
        else { return nil }
        return allowed || !denied
    }

    /// Whether one of the rules, such as `any`, `tcp:8423` or `ipv4:tcp:8000-8010`, names the port; nil if one is not
    /// understood.
    private static func names(_ rules: [String], _ port: Int) -> Bool? {
        var isNamed = false
        for rule in rules {
            // systemd 252 leaves out the colon before the port: `ipv4:tcp8423`.
            var parts = rule.replacing(/(tcp|udp):?/) { "\($0.1):" }.split(separator: ":")
            guard let last = parts.popLast(), parts.allSatisfy({ ["ipv4", "ipv6", "tcp", "udp"].contains($0) }) else {
                return nil
            }
            let ends = last == "any" ? [0, 65_535] : last.split(separator: "-").map { Int($0) ?? -1 }
            guard let first = ends.first, let end = ends.last, first >= 0, end >= 0 else { return nil }
            if !parts.contains("udp"), first <= port, port <= end { isNamed = true }
        }
        return isNamed
    }
}
