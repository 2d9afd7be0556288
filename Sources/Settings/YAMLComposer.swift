import Yams

/// Makes nodes of the text of a file, and notes what is not YAML, not bounded or given twice.
struct YAMLComposer {
    /// Most values a file may have once its aliases are resolved.
    static let maximumNodes = 50_000
    /// Most levels of lists and mappings.
    static let maximumDepth = 32

    /// Where each key and list item stands, by its path.
    private(set) var positions: [String: SettingsPosition] = [:]

    private let faults: FaultList
    private var nodes = 0
    private var isTooLarge = false
    private var duplicates: [Duplicate] = []

    /// A key that is given twice in one mapping: the first occurrence, masked so that the others can be read.
    private struct Duplicate {
        var key: String
        var position: SettingsPosition
        var isNoted = false
    }

    init(faults: FaultList) { self.faults = faults }

    /// The root of the document; nil when a fault left nothing to go on with.
    mutating func compose(_ text: String) -> YAMLNode? {
        var root: YAMLNode?
        if let document = parse(text) { root = convert(document, path: "", depth: 0) }
        for duplicate in duplicates where !duplicate.isNoted {
            note("", duplicate.position, "the key \(shown(duplicate.key)) is given twice in one mapping")
        }
        return isTooLarge ? nil : root
    }

    private func note(_ path: String, _ position: SettingsPosition?, _ found: String, accepted: String = "") {
        faults.note(path, at: position, found, accepted: accepted)
    }
}

// MARK: - Parsing

extension YAMLComposer {
    /// The document's root; nil after a fault.
    private mutating func parse(_ text: String) -> Node? {
        guard AliasBudget.expandedBytes(of: text) <= AliasBudget.limit else {
            note("", nil, "the aliases (*name) would expand beyond all bounds", accepted: "fewer aliases, not nested")
            return nil
        }
        var text = text
        while true {
            do {
                // The basic resolver tells no numbers from texts: that needs regular expressions, and is done later.
                let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
                return try parser.singleRoot() ?? Node("", .implicit, .plain)
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                let position = SettingsPosition(line: context.mark.line, column: context.mark.column)
                // Yams has no order for such keys, nor for those that differ in their tags (!!str) alone, so what else
                // it says depends on chance.
                let isNested = keys.contains("<uncovertable>")
                guard !isNested, Set(keys).count == keys.count else {
                    let kind = isNested ? "that is a list or mapping" : "with a tag (!…)"
                    note("", nil, "a key \(kind) is given twice", accepted: "words as keys, each once")
                    return nil
                }
                guard let key = keys.first, let masked = mask(key, at: position, in: text) else {
                    let names = keys.map { shown($0) }.joined(separator: ", ")
                    note("", position, "given twice in one mapping: \(names)", accepted: "each key once")
                    return nil
                }
                text = masked
            } catch {
                noteSyntax(error, in: text)
                return nil
            }
        }
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
            // What is missing at the end is found behind the last line.
            let lines = text.split(omittingEmptySubsequences: false) { $0.endsLine }
            let position = SettingsPosition(line: min(mark.line, lines.count), column: mark.column)
            let start = context.map { SettingsPosition(line: $0.mark.line, column: $0.mark.column) } ?? position
            let advice = YAMLAdvice(
                context: context?.text ?? "", problem: problem, start: min(start, position), end: position,
                lines: lines)
            note("", position, found + problem, accepted: advice.accepted)
        case YamlError.reader(let problem, let offset, _, _):
            var position = SettingsPosition(line: 1, column: 1)
            for character in text.prefix(offset ?? 0) {
                position.column += 1
                if character.endsLine { position = SettingsPosition(line: position.line + 1, column: 1) }
            }
            note("", position, "not YAML: \(problem)", accepted: "UTF-8 text without control characters")
        default:
            note("", nil, "not YAML", accepted: YAMLAdvice.oneDocument)
        }
    }

    /// Overwrites a key with a character of the private use area, as often as the key is long so that columns stay.
    ///
    /// Yams stops at the first mapping with a key given twice; with the first occurrence masked it goes on to what else
    /// is wrong. Nil when the key does not stand there letter by letter (escapes, anchors).
    private mutating func mask(_ key: String, at position: SettingsPosition, in text: String) -> String? {
        var scalars = Array(text.unicodeScalars)
        let letters = Array(key.unicodeScalars)
        guard duplicates.count < 50, !letters.isEmpty, var index = Self.index(of: position, in: scalars),
            let mask = Unicode.Scalar(UInt32(0xE000 + duplicates.count))
        else { return nil }
        if index < scalars.count, scalars[index] == "\"" || scalars[index] == "'" { index += 1 }
        let end = index + letters.count
        guard end <= scalars.count, scalars[index..<end].elementsEqual(letters) else { return nil }
        for place in index..<end { scalars[place] = mask }
        duplicates.append(Duplicate(key: key, position: position))
        var masked = String.UnicodeScalarView()
        masked.append(contentsOf: scalars)
        return String(masked)
    }

    private static func index(of position: SettingsPosition, in scalars: [Unicode.Scalar]) -> Int? {
        var line = 1
        var index = 0
        while line < position.line, index < scalars.count {
            switch scalars[index] {
            case "\r" where index + 1 < scalars.count && scalars[index + 1] == "\n": break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": line += 1
            default: break
            }
            index += 1
        }
        index += position.column - 1
        return line == position.line && index < scalars.count ? index : nil
    }

    /// Which duplicate a key masks.
    private func duplicateIndex(of key: String) -> Int? {
        guard let first = key.unicodeScalars.first, first.value >= 0xE000 else { return nil }
        let index = Int(first.value) - 0xE000
        return index < duplicates.count ? index : nil
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
            if let index = duplicateIndex(of: key) {
                note(twice: index, path: path, in: mapping)
            } else if key == "<<", scalar.style == .plain {
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
        // Converting what was merged has noted its own places under this path.
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

    /// Notes a key that is given twice, at its last occurrence.
    private mutating func note(twice index: Int, path: String, in mapping: Node.Mapping) {
        guard !duplicates[index].isNoted else { return }
        duplicates[index].isNoted = true
        let duplicate = duplicates[index]
        let last = mapping.map { $0.key }.last { $0.scalar?.string == duplicate.key }
        let position = last.flatMap { Self.position(of: $0) } ?? duplicate.position
        note(
            Self.join(path, duplicate.key), position,
            "given twice in one mapping, first on line \(duplicate.position.line)", accepted: "each key once")
    }

    private func check(_ tag: Tag, path: String, _ position: SettingsPosition) {
        // The parser itself tags what it compares as keys, and what stands in quotes.
        let known = ["str", "int", "float", "bool", "null", "merge", "value", "map", "seq"]
        let name = tag.rawValue
        if !name.isEmpty, name != "!", !known.contains(where: { name == "tag:yaml.org,2002:\($0)" }) {
            note(path, position, "found the tag \(shown(name))", accepted: "a value without a tag")
        }
    }

    private static func join(_ path: String, _ key: String) -> String {
        // Cut, so that hostile keys cannot make paths that fill the memory.
        let key = key.unicodeScalars.count > 64 ? String(key.prefix(64)) + "…" : key
        return path.isEmpty ? key : "\(path).\(key)"
    }

    private static func position(of node: Node) -> SettingsPosition? {
        node.mark.map { SettingsPosition(line: $0.line, column: $0.column) }
    }
}

/// How large aliases could make a document, before it is composed: a few nested ones stand for more values than fit in
/// any memory ("billion laughs"), and comparing them as keys would take for ever.
enum AliasBudget {
    /// Most bytes a document may stand for.
    static let limit = 16e6

    /// An upper estimate: an anchored value ends before its first alias, so it is no larger than all that lies between.
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

extension Character {
    /// Whether editors count it as the end of a line; a vertical tab or a form feed is none.
    var endsLine: Bool { self == "\n" || self == "\r\n" || self == "\r" }
}
