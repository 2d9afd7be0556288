// Lists of mappings whose items have names, such as those of base maps and watches.

extension MappingReader {
    /// The items of a list of mappings; nothing without the key. Items beyond the most are noted and left out.
    func mappings(_ key: String, most: Int = .max) -> [MappingReader] {
        let accepted = "a list: - name: …"
        accepts(key, accepted)
        guard let member = member(key) else { return [] }
        guard case .list(let items) = member.value.content else {
            note(key, member.value.foundType, accepted: accepted)
            return []
        }
        if items.count > most { note(key, "found \(items.count) items", accepted: "at most \(most)") }
        return items.prefix(most).enumerated().compactMap { index, item in
            MappingReader(item, path: "\(path(of: key))[\(index)]", faults: faults)
        }
    }

    /// Whether the key is there; notes that it is missing.
    func has(_ key: String, accepted: String) -> Bool {
        if member(key) != nil { return true }
        note(key, "missing", accepted: accepted)
        return false
    }

    /// A text that must be there.
    func required(_ key: String, accepted: String) -> String? { has(key, accepted: accepted) ? text(key) : nil }

    /// The values of a list that must have one, as `values`.
    func requiredValues<Value>(
        _ key: String, accepted: String, suggest: (String) -> String? = { _ in nil }, read: (String) -> Value?
    ) -> [Value] {
        guard has(key, accepted: accepted) else { return [] }
        if case .list(let items)? = member(key)?.value.content, items.isEmpty {
            note(key, "found an empty list", accepted: accepted)
        }
        return values(key, accepted: accepted, suggest: suggest, read: read) ?? []
    }

    /// The item's `name`, which no other one of the list has.
    func name(taken: inout Set<String>) -> String? {
        guard let name = required("name", accepted: SourceReader.acceptedName) else { return nil }
        guard SourceReader.isName(name) else {
            note("name", "found \(shown(name))", accepted: SourceReader.acceptedName)
            return nil
        }
        guard taken.insert(name).inserted else {
            note("name", "found \(shown(name)), which is taken", accepted: "a name of its own")
            return nil
        }
        return name
    }
}
