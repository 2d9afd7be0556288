import Yams

/// Parses the text of a file into nodes. A syntax error or duplicate key is noted alone, since the parser stops there.
struct YAMLComposer {
    /// Most values in the files of a configuration after their aliases are resolved.
    static let maximumNodes = 50_000
    /// Most levels of nested lists and mappings.
    static let maximumDepth = 32

    /// Positions of keys and list items, by path.
    private(set) var positions: [String: SettingsPosition] = [:]

    /// The values so far, with those of the files before.
    private(set) var nodes: Int

    private let faults: FaultList
    private var isTooLarge = false

    /// - Parameter nodesBefore: The values of the files before; default none.
    init(faults: FaultList, nodesBefore: Int = 0) {
        self.faults = faults
        nodes = nodesBefore
    }

    /// The root of the document; nil after a syntax error, or when the document is too large or too deep.
    mutating func compose(_ text: String) -> YAMLNode? {
        guard let document = parse(text) else { return nil }
        let root = convert(document, path: "", depth: 0)
        return isTooLarge ? nil : root
    }

    private func note(_ path: String, _ position: SettingsPosition?, _ found: String, accepted: String = "") {
        faults.note(path, at: position, found, accepted: accepted)
    }
}

// MARK: - Parsing

extension YAMLComposer {
    /// The document's root; nil after a fault.
    private func parse(_ text: String) -> Node? {
        guard AliasBudget.expandedBytes(of: text) <= AliasBudget.limit else {
            note("", nil, "the aliases (*name) would expand beyond all bounds", accepted: "fewer aliases, not nested")
            return nil
        }
        do {
            // The basic resolver does not tell numbers from texts, which takes regular expressions; `MappingReader`
            // does.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            return try parser.singleRoot() ?? Node("", .implicit, .plain)
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            noteDuplicate(of: keys, at: context.mark)
        } catch {
            noteSyntax(error, in: text)
        }
        return nil
    }

    /// Notes the first of the keys, at its first occurrence.
    private func noteDuplicate(of keys: [String], at mark: Mark) {
        // Yams orders the keys, except lists, mappings (all `<uncovertable>`) and keys that differ only in their tags:
        // the first of those is random.
        guard let key = keys.first, !keys.contains("<uncovertable>"), Set(keys).count == keys.count else {
            return note("", nil, "a key is given twice in one mapping", accepted: "words as keys, each once")
        }
        let position = SettingsPosition(line: mark.line, column: mark.column)
        note(Self.join("", key), position, "given twice in one mapping", accepted: "each key once")
    }

    private func noteSyntax(_ error: any Error, in text: String) {
        switch error {
        case YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _):
            var found = "not YAML: "
            if let context, !context.text.isEmpty {
                found += context.text
                if context.mark.line != mark.line { found += " (from line \(context.mark.line))" }
                found += ", "
            }
            // The parser reports a missing end behind the last line.
            let lines = text.split(omittingEmptySubsequences: false) { $0.endsLine }
            let line = min(mark.line, lines.count)
            // The parser gives the position of the sign that it refuses.
            let isSign = line > 0 && lines[line - 1].unicodeScalars.dropFirst(max(0, mark.column - 1)).first == "@"
            note(
                "", SettingsPosition(line: line, column: mark.column), found + problem,
                accepted: isSign ? "quotes around a text that begins with @" : "")
        case YamlError.reader(let problem, let offset, _, _):
            note("", SettingsPosition(after: text.prefix(offset ?? 0)), "not YAML: \(problem)")
        default:
            note("", nil, "not YAML", accepted: "one YAML document")
        }
    }
}

// MARK: - Converting

extension YAMLComposer {
    private mutating func convert(_ node: Node, path: String, depth: Int) -> YAMLNode {
        let position = Self.position(of: node) ?? SettingsPosition(line: 1, column: 1)
        nodes += 1
        if nodes > Self.maximumNodes || depth > Self.maximumDepth {
            if !isTooLarge {
                isTooLarge = true
                note(
                    "", position, "too large, or too deeply nested",
                    accepted: "at most \(Self.maximumNodes) values, aliases resolved, and \(Self.maximumDepth) levels")
            }
            return YAMLNode(content: .nothing, position: position)
        }
        switch node {
        case .scalar(let scalar):
            check(scalar.tag, path: path, position)
            let isPlain = scalar.style == .plain
            let isNothing = isPlain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            return YAMLNode(
                content: isNothing ? .nothing : .scalar(scalar.string, isPlain: isPlain), position: position)
        case .sequence(let sequence):
            check(sequence.tag, path: path, position)
            var items: [YAMLNode] = []
            for item in sequence {
                guard !isTooLarge else { break }
                let itemPath = "\(path)[\(items.count)]"
                let converted = convert(item, path: itemPath, depth: depth + 1)
                positions[itemPath] = converted.position
                items.append(converted)
            }
            return YAMLNode(content: .list(items), position: position)
        case .mapping(let mapping):
            check(mapping.tag, path: path, position)
            return YAMLNode(content: .mapping(members(of: mapping, path: path, depth: depth)), position: position)
        case .alias:
            return YAMLNode(content: .nothing, position: position)  // the parser has resolved them
        }
    }

    private mutating func members(of mapping: Node.Mapping, path: String, depth: Int) -> [YAMLMember] {
        var members: [YAMLMember] = []
        var merged: [YAMLMember] = []
        for (keyNode, valueNode) in mapping {
            guard !isTooLarge else { break }
            let position = Self.position(of: keyNode) ?? SettingsPosition(line: 1, column: 1)
            guard case .scalar(let scalar) = keyNode else {
                note(path, position, "found a key that is no text", accepted: "keys that are texts")
                continue
            }
            let key = scalar.string
            if key == "<<", scalar.style == .plain {
                merged += mergedMembers(of: valueNode, path: path, position, depth: depth)
            } else {
                let memberPath = Self.join(path, key)
                let value = convert(valueNode, path: memberPath, depth: depth + 1)
                positions[memberPath] = position
                members.append(YAMLMember(key: key, position: position, value: value))
            }
        }
        guard !merged.isEmpty else { return members }
        var keys = Set(members.map { $0.key })
        for member in merged where keys.insert(member.key).inserted { members.append(member) }
        // Converting merged members recorded their own positions under this path.
        for member in members { positions[Self.join(path, member.key)] = member.position }
        return members
    }

    /// The members of the mapping, or list of mappings, after a merge key (`<<: *defaults`).
    private mutating func mergedMembers(
        of node: Node, path: String, _ position: SettingsPosition, depth: Int
    ) -> [YAMLMember] {
        let value = convert(node, path: path, depth: depth + 1)
        switch value.content {
        case .mapping(let members): return members
        case .list(let items):
            return items.flatMap { item -> [YAMLMember] in
                if case .mapping(let members) = item.content { members } else { [] }
            }
        default:
            note(path, position, "found a merge key (<<) without a mapping", accepted: "an alias of a mapping")
            return []
        }
    }

    private func check(_ tag: Tag, path: String, _ position: SettingsPosition) {
        // The parser itself tags quoted values, and keys that it compares.
        let known = ["str", "int", "float", "bool", "null", "merge", "value", "map", "seq"]
        let name = tag.rawValue
        if !name.isEmpty, name != "!", !known.contains(where: { name == "tag:yaml.org,2002:\($0)" }) {
            note(path, position, "found the tag \(shown(name))", accepted: "a value without a tag")
        }
    }

    private static func join(_ path: String, _ key: String) -> String {
        // The cut stops hostile keys from making paths that exhaust the memory.
        let key = key.unicodeScalars.count > 64 ? String(key.prefix(64)) + "…" : key
        return path.isEmpty ? key : "\(path).\(key)"
    }

    private static func position(of node: Node) -> SettingsPosition? {
        node.mark.map { SettingsPosition(line: $0.line, column: $0.column) }
    }
}

/// Bounds the size of a document after alias expansion, before it is composed: a few nested aliases can stand for more
/// values than fit in memory ("billion laughs"), and comparing those as keys would not end.
enum AliasBudget {
    /// Most bytes after expansion.
    static let limit = 16e6

    /// An upper bound: an anchored value ends before its first alias, so it is at most the text in between.
    static func expandedBytes(of text: String) -> Double {
        let bytes = Array(text.utf8)
        var anchors: [ArraySlice<UInt8>: (start: Double, size: Double?)] = [:]
        var total = 0.0
        var index = 0
        while index < bytes.count {
            let sign = bytes[index]
            index += 1
            total += 1
            guard sign == UInt8(ascii: "&") || sign == UInt8(ascii: "*") else { continue }
            let start = index
            while index < bytes.count, isNamePart(bytes[index]) { index += 1 }
            let name = bytes[start..<index]
            total += Double(name.count)
            guard !name.isEmpty else { continue }
            if sign == UInt8(ascii: "&") {
                anchors[name] = (start: total, size: nil)
            } else if let anchor = anchors[name] {
                let size = anchor.size ?? total - anchor.start
                anchors[name] = (start: anchor.start, size: size)
                total += size
            }
        }
        return total
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
