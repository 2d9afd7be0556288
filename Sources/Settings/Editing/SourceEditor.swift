import Model
import Yams

/// Changes a key of one source in a text, and makes sure that nothing else changes by it.
struct SourceEditor {
    private let text: YAMLText
    private let file: String
    private let kinds: [FeedKind]
    /// The values of the whole file, aliases and merge keys resolved.
    private let root: YAMLNode
    /// The place of the source in the list.
    private let index: Int
    /// The mapping of the source as it is written, and its offset.
    private let mapping: Node.Mapping
    private let start: Int

    /// Finds the source. Throws `SettingsErrors` for text that is no YAML, and without the source.
    init(_ text: String, source: String, file: String, kinds: [FeedKind]) throws(SettingsErrors) {
        self.text = YAMLText(text)
        self.file = file
        self.kinds = kinds
        root = try Self.root(of: text, file)
        let items = root.member("sources")?.value.items ?? []
        let names = root.names
        guard let index = names.firstIndex(of: source) else {
            let known = names.compactMap { $0 }
            throw SettingsErrors(faults: [
                SettingsFault(
                    file: file, key: "sources", found: "no source is named \(shown(source))",
                    accepted: known.joined(separator: ", "), suggestion: NearestWord.to(source, among: known))
            ])
        }
        self.index = index
        guard let mapping = Self.mapping(of: index, in: text), let start = self.text.offset(of: mapping.mark) else {
            throw SettingsErrors(faults: [
                SettingsFault(
                    file: file, position: items[index].position, key: "sources[\(index)]",
                    found: "found a source that is not written out", accepted: "an edit by hand")
            ])
        }
        self.mapping = mapping
        self.start = start
    }

    /// The names of the sources in a file; empty for one that is no YAML.
    static func names(in file: SettingsFile) -> [String] {
        guard let text = try? SettingsReader.text(of: file.content, file: file.path),
            let root = try? Self.root(of: SettingsReader.withoutMark(text), file.path)
        else { return [] }
        return root.names.compactMap { $0 }
    }

    /// The text with the change. Throws `SettingsErrors` if the change would touch other values.
    func applying(_ change: SettingsEdit.Change) throws(SettingsErrors) -> String {
        let key = change.key
        guard SettingsEdit.isChangeable(key, kinds) else {
            let kind = kinds.first { $0.name == root.source(index)?.member("kind")?.value.text }
            throw refusal(
                key, "found a key that set leaves alone",
                accepted: kind.map { SettingsEdit.keys(of: $0).joined(separator: ", ") + "; others by hand" } ?? "")
        }
        let isList = SettingsEdit.takesList(key, kinds)
        if let value = change.value, isList, value.hasPrefix("["), NewValue.texts(in: value) == nil {
            throw refusal(key, "found \(shown(value))", accepted: "a list such as [a, b], or one text")
        }
        let value = change.value.map { NewValue($0, asList: isList) }
        guard let edit = try self.edit(key, value) else { return String(decoding: text.bytes, as: UTF8.self) }
        let edited = text.replacing(edit.range, with: edit.text)
        let expected = root.replacing(key, of: index, with: value?.content)
        guard let new = try? Self.root(of: edited, file), new.isSame(as: expected) else {
            throw refusal(key, "found a value on which others depend, or an unusual form")
        }
        return edited
    }

    /// The bytes to replace and their replacement; nil if there is nothing to change.
    private func edit(_ key: String, _ value: NewValue?) throws(SettingsErrors) -> (range: Range<Int>, text: String)? {
        let hasBraces = text.hasBraces(at: start)
        let isOnOneLine = mapping.allSatisfy { pair in
            text.offset(of: pair.key.mark).map { text.line(of: $0) == text.line(of: start) } ?? false
        }
        guard !hasBraces || isOnOneLine else { throw refusal(key, "found a source in braces over several lines") }
        if let pair = mapping.first(where: { $0.key.plainOrQuoted == key }) {
            guard let value else { return try removal(of: pair, hasBraces: hasBraces) }
            return try replacement(of: pair, with: value)
        }
        guard root.source(index)?.member(key) == nil else { throw refusal(key, "found a value of a merge key (<<)") }
        guard let value else { return nil }
        return try addition(of: "\(key): \(value.written)", key, hasBraces: hasBraces)
    }

    // MARK: - Edits

    private typealias Pair = (key: Node, value: Node)

    private func replacement(
        of pair: Pair, with value: NewValue
    ) throws(SettingsErrors) -> (range: Range<Int>, text: String) {
        let key = pair.key.plainOrQuoted ?? ""
        guard let start = text.valueStart(of: pair.key) else { throw refusal(key, "found an unusual form") }
        switch text.extent(of: pair.value, after: start) {
        case .inline(let range):
            let needsBlank = range.lowerBound == start
            return (range, (needsBlank ? " " : "") + value.written)
        case .items(let range) where value.items.isEmpty:
            guard text.isGap(start..<range.lowerBound) else { throw refusal(key, "found a comment before the list") }
            return (start..<range.upperBound, " " + value.written)
        case .items(let range):
            let indent = text.lineStart(of: range.lowerBound)..<range.lowerBound
            guard text.isBlank(indent) else { throw refusal(key, "found an unusual form") }
            let separator = text.lineBreak + String(decoding: text.bytes[indent], as: UTF8.self)
            return (range, value.items.map { "- " + $0 }.joined(separator: separator))
        case .unclear(let found): throw refusal(key, found)
        }
    }

    private func addition(
        of words: String, _ key: String, hasBraces: Bool
    ) throws(SettingsErrors) -> (range: Range<Int>, text: String) {
        // Behind the last key whose value stands on its line.
        for pair in mapping.reversed() {
            guard let offset = text.offset(of: pair.key.mark), let start = text.valueStart(of: pair.key),
                case .inline(let range) = text.extent(of: pair.value, after: start),
                text.line(of: offset) == text.line(of: range.upperBound)
            else { continue }
            if hasBraces { return (range.upperBound..<range.upperBound, ", " + words) }
            let rest = text.rest(from: range.upperBound)
            let column = text.bytes[text.lineStart(of: offset)..<offset].count
            let end = rest.line.upperBound
            return (end..<end, text.lineBreak + String(repeating: " ", count: column) + words)
        }
        throw refusal(key, "found a source in an unusual form")
    }

    private func removal(
        of pair: Pair, hasBraces: Bool
    ) throws(SettingsErrors) -> (range: Range<Int>, text: String) {
        let key = pair.key.plainOrQuoted ?? ""
        guard let offset = text.offset(of: pair.key.mark), let start = text.valueStart(of: pair.key) else {
            throw refusal(key, "found an unusual form")
        }
        let end: Int
        switch text.extent(of: pair.value, after: start) {
        case .inline(let range): end = range.upperBound
        case .items(let range):
            guard text.isGap(start..<range.lowerBound) else { throw refusal(key, "found a comment before the list") }
            end = range.upperBound
        case .unclear(let found): throw refusal(key, found)
        }
        if hasBraces {
            let comma = UInt8(ascii: ",")
            let next = text.bytes[end...].firstIndex { !" \t".utf8.contains($0) }
            if let next, text.bytes[next] == comma {
                let following = text.bytes[(next + 1)...].firstIndex { !" \t".utf8.contains($0) } ?? next + 1
                return (offset..<following, "")
            }
            let before = text.bytes[..<offset].lastIndex { !" \t".utf8.contains($0) }
            guard let before, text.bytes[before] == comma else { throw refusal(key, "found an unusual form") }
            return (before..<end, "")
        }
        // The whole line goes, with the comment behind the value.
        let lineStart = text.lineStart(of: offset)
        guard text.isBlank(lineStart..<offset) else {
            throw refusal(key, "found the key on the line of a dash", accepted: "an edit by hand")
        }
        return (lineStart..<text.rest(from: end).lineBreak.upperBound, "")
    }

    // MARK: - Parsing

    private static func root(of text: String, _ file: String) throws(SettingsErrors) -> YAMLNode {
        let faults = FaultList(file: file)
        guard text.utf8.count <= SettingsReader.maximumFileBytes else {
            throw SettingsErrors(faults: [
                SettingsFault(file: file, found: "larger than 1 MiB", accepted: "a file of at most 1 MiB")
            ])
        }
        var composer = YAMLComposer(faults: faults)
        guard let root = composer.compose(text), faults.faults.isEmpty else {
            throw SettingsErrors(faults: faults.faults)
        }
        return root
    }

    /// The source as it is written; the text has been composed, so its aliases are bounded.
    private static func mapping(of index: Int, in text: String) -> Node.Mapping? {
        guard let parser = try? Parser(yaml: text, resolver: .basic, encoding: .utf8),
            case .mapping(let top)? = try? parser.singleRoot(),
            case .sequence(let list)? = top.first(where: { $0.key.plainOrQuoted == "sources" })?.value,
            list.indices.contains(index), case .mapping(let mapping) = list[index]
        else { return nil }
        return mapping
    }

    private func refusal(
        _ key: String, _ found: String, accepted: String = "an edit of this line by hand"
    ) -> SettingsErrors {
        let source = root.source(index)
        return SettingsErrors(faults: [
            SettingsFault(
                file: file, position: source?.member(key)?.position ?? source?.position,
                key: "sources[\(index)].\(key)", found: found, accepted: accepted)
        ])
    }
}

extension Node {
    /// The text of a scalar; nil for other nodes. Yams' `string` would ask the resolver.
    fileprivate var plainOrQuoted: String? { if case .scalar(let scalar) = self { scalar.string } else { nil } }
}

extension YAMLNode {
    /// The items of a list; nil for other values.
    fileprivate var items: [YAMLNode]? { if case .list(let items) = content { items } else { nil } }

    /// The member of a mapping; nil without it, and for other values.
    fileprivate func member(_ key: String) -> YAMLMember? {
        if case .mapping(let members) = content { members.first { $0.key == key } } else { nil }
    }

    /// The names of the sources in the order of the list; nil for one without a name.
    fileprivate var names: [String?] {
        (member("sources")?.value.items ?? []).map { $0.member("name")?.value.text }
    }

    /// The source at a place of the list.
    fileprivate func source(_ index: Int) -> YAMLNode? {
        guard let items = member("sources")?.value.items, items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// The file with another value of a source's key, or without the key.
    fileprivate func replacing(_ key: String, of index: Int, with content: Content?) -> YAMLNode {
        var root = self
        guard case .mapping(var top) = root.content, let place = top.firstIndex(where: { $0.key == "sources" }),
            var items = top[place].value.items, items.indices.contains(index),
            case .mapping(var members) = items[index].content
        else { return self }
        let position = items[index].position
        if let content {
            let value = YAMLNode(content: content, position: position)
            if let member = members.firstIndex(where: { $0.key == key }) {
                members[member].value = value
            } else {
                members.append(YAMLMember(key: key, position: position, value: value))
            }
        } else {
            members.removeAll { $0.key == key }
        }
        items[index].content = .mapping(members)
        top[place].value.content = .list(items)
        root.content = .mapping(top)
        return root
    }

    /// Whether both are the same but for positions and the order of keys.
    fileprivate func isSame(as other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.nothing, .nothing): return true
        case (.scalar(let text, let isPlain), .scalar(let otherText, let isOtherPlain)):
            return isPlain == isOtherPlain && text.utf8.elementsEqual(otherText.utf8)
        case (.list(let items), .list(let others)):
            return items.count == others.count && zip(items, others).allSatisfy { $0.isSame(as: $1) }
        case (.mapping(let members), .mapping(let others)):
            let byKey = Dictionary(others.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            return members.count == others.count
                && members.allSatisfy { member in byKey[member.key].map { member.value.isSame(as: $0) } ?? false }
        default: return false
        }
    }
}
