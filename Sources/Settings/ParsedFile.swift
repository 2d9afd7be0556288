/// A file of a configuration while it is validated.
struct ParsedFile {
    /// The faults of the file; its identity is that of the file.
    let faults: FaultList
    /// Positions of keys and list items, by path.
    let positions: [String: SettingsPosition]
    /// The values of this file and of those before.
    let nodes: Int
    /// The keys at the top; nil after a fault of the whole file.
    let top: MappingReader?

    /// - Parameters:
    ///   - nodesBefore: The values of the files before; default none.
    ///   - listing: Whether `faults` lists what keys accept.
    init(_ file: SettingsFile, nodesBefore: Int = 0, listing: Bool) {
        let faults = FaultList(file: file.path, listsAccepted: listing)
        var composer = YAMLComposer(faults: faults, nodesBefore: nodesBefore)
        var root: YAMLNode?
        do throws(SettingsErrors) {
            let text = try SettingsReader.text(of: file.content, file: file.path)
            if text.utf8.count <= SettingsReader.maximumFileBytes {
                root = composer.compose(SettingsReader.withoutMark(text))
            } else {
                faults.note("", at: nil, "larger than 1 MiB", accepted: "a file of at most 1 MiB")
            }
        } catch {
            faults.add(error.faults)
        }
        self.faults = faults
        positions = composer.positions
        nodes = composer.nodes
        top = root.flatMap { MappingReader($0, path: "", faults: faults) }
    }

    /// The items of `sources`, empty where the key is missing or has nothing; nil where they cannot be told.
    var items: [YAMLNode]? {
        guard let top else { return nil }
        switch top.member("sources")?.value.content {
        case .list(let items)?: return items
        case .nothing?, nil: return []
        case .scalar?, .mapping?: return nil
        }
    }

    /// The names of the items of a list, also of those with faults.
    func names(of key: String) -> [String] {
        guard case .list(let items)? = top?.member(key)?.value.content else { return [] }
        return items.compactMap { item in
            guard case .mapping(let members) = item.content else { return nil }
            return members.first { $0.key == "name" }?.value.text
        }
    }

    /// Notes a value of `sources` that is no list, or also that there is no source.
    func noteSources(areMissing: Bool) {
        guard let top, items == nil || (areMissing && items?.isEmpty == true) else { return }
        let value = top.member("sources")?.value
        let isList = if case .list? = value?.content { true } else { false }
        top.note(
            "sources", isList ? "found an empty list" : value?.foundType ?? "missing",
            accepted: "at least one source, as a list: - name: …")
    }
}
