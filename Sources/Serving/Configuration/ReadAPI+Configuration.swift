import Model
import Operations
import Reading
import Settings
import Store

/// The configuration for people who look at it. Nothing can be changed through these addresses.
extension ReadAPI {
    /// Answers `/configuration`: each value that is in effect with its line, or the faults of the file.
    /// - Throws: `Problem`: 404 where the configuration is not shown.
    func configuration(_ request: APIRequest) throws -> Reply {
        let file = try shownConfiguration()
        try endJSON(request)
        // Reading the file may block, as reading the database may.
        return .read { _ in
            let files = try file.files()
            var values: [SettingsValue] = []
            var faults: [SettingsFault] = []
            do throws(SettingsErrors) {
                values = try SettingsReader.values(in: files, environment: file.environment)
            } catch {
                faults = error.faults
            }
            return APIAnswer(json: [
                "file": file.path, "values": .array(values.map { $0.json }), "faults": .array(faults.map { $0.json }),
            ]).with("cache-control", "no-store")
        }
    }

    /// The most keys of one check: the file is parsed for each.
    private static let mostChanges = 32

    /// Answers `/configuration/check`: the faults that an edit of a source would have, its lines, and the command that
    /// makes it. Parameters other than `source` and `f` are keys with their new values; an empty one takes a key away.
    /// - Throws: `Problem`: 404 where the configuration is not shown, 400 for an unknown source or no key.
    func configurationCheck(_ request: APIRequest) throws -> Reply {
        let file = try shownConfiguration()
        let edit = try self.edit(request)
        return .read { _ in
            let files = try file.files()
            let known = try? SettingsReader.parse(files, environment: file.environment).settings
            if let names = known?.sources.map(\.name), !names.contains(edit.source) {
                throw Problem.parameter("source", found: edit.source, accepted: names.joined(separator: ", "))
            }
            var faults: [SettingsFault] = []
            do throws(SettingsErrors) {
                _ = try edit.validated(files, environment: file.environment)
            } catch {
                faults = error.faults
            }
            let words = [edit.source] + edit.changes.map { "\($0.key)=\($0.value ?? "")" }
            return APIAnswer(json: [
                "faults": .array(faults.map { $0.json }), "yaml": edit.lines,
                "command": ([file.command] + words.map { $0.shellQuoted }).joined(separator: " "),
            ]).with("cache-control", "no-store")
        }
    }

    /// The edit that the parameters describe.
    private func edit(_ request: APIRequest) throws(Problem) -> SettingsEdit {
        var parameters = try Parameters(request)
        _ = try parameters.takeWord("f", OnlyJSON.self)
        guard let source = try parameters.take("source", accepted: "the name of a source") else {
            throw .parameter("source", found: "", accepted: "the name of a source")
        }
        var changes: [SettingsEdit.Change] = []
        for item in parameters.items where item.name != "source" && item.name != "f" {
            guard let change = SettingsEdit.Change("\(item.name)=\(item.value)") else {
                throw .parameter(
                    item.name, found: item.value, accepted: "a key of the source, such as refresh_interval")
            }
            changes.append(change)
        }
        guard (1...Self.mostChanges).contains(changes.count) else {
            throw .parameter(
                "source", found: source,
                accepted: "1 to \(Self.mostChanges) keys beside it, such as refresh_interval=5m")
        }
        return SettingsEdit(source: source, changes: changes)
    }

    private func shownConfiguration() throws(Problem) -> ServedConfiguration {
        switch configurationAccess {
        case .hidden(let reason): throw .missing("the configuration is not shown: \(reason)")
        case .shown(let file): return file
        }
    }
}

extension SettingsValue {
    fileprivate var json: String {
        JSONWriter.object([
            "key": key, "source": source, "value": .raw(value?.jsonQuoted ?? "null"), "file": file, "line": line,
            "default": line == nil, "accepted": accepted,
        ])
    }
}

extension SettingsFault {
    fileprivate var json: String {
        JSONWriter.object([
            "key": key, "found": found, "accepted": accepted, "suggestion": suggestion, "words": description,
        ])
    }
}
