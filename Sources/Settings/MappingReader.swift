import Model

/// Reads one mapping key by key and notes the faults; a faulty key reads as a missing one.
struct MappingReader {
    /// Path of the mapping in the file's structure; empty at the top.
    let path: String
    /// Position of the mapping in the file.
    let position: SettingsPosition
    let faults: FaultList
    private let members: [YAMLMember]
    private let byKey: [String: YAMLMember]

    /// Nil when the value is no mapping, which is noted; an empty value is an empty mapping.
    init?(_ node: YAMLNode, path: String, faults: FaultList) {
        switch node.content {
        case .mapping(let members): self.members = members
        case .nothing: members = []
        default:
            faults.note(
                path, at: node.position, node.foundType,
                accepted: path.isEmpty ? "keys with values, such as sources:" : "keys with values")
            return nil
        }
        self.path = path
        self.faults = faults
        position = node.position
        byKey = Dictionary(members.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The keys in the order of the file.
    var keys: [String] { members.map { $0.key } }

    func path(of key: String) -> String {
        let key = key.isEmpty ? "\"\"" : key
        return path.isEmpty ? key : "\(path).\(key)"
    }

    /// The position of a key; of the mapping when the key is missing.
    func position(of key: String) -> SettingsPosition { byKey[key]?.position ?? position }

    func member(_ key: String) -> YAMLMember? { byKey[key] }

    /// Notes a fault at the position of a key.
    func note(_ key: String, _ found: String, accepted: String = "", suggestion: String? = nil) {
        faults.note(path(of: key), at: position(of: key), found, accepted: accepted, suggestion: suggestion)
    }

    /// Records what a key accepts, more exactly than the function that reads it.
    func accepts(_ key: String, _ words: String) {
        if faults.listsAccepted { faults.note(path(of: key), accepts: words) }
    }

    /// Notes every key outside `known`. `homes` holds hints for misplaced keys; the top of a file has its own besides.
    func refuseUnknown(
        known: [String], of owner: String = "", homes: @autoclosure () -> [String: String] = [:]
    ) {
        for key in members.map({ $0.key }) where !known.contains(key) {
            let suggestion = NearestWord.to(key, among: known)
            var accepted = suggestion == nil ? known.joined(separator: ", ") : ""
            if suggestion == nil, let home = homes()[key] ?? (path.isEmpty ? KeyHome.besideTop[key] : nil) {
                accepted = home
            } else if !Self.isSlip(key, for: suggestion), looksSecret(key) {
                accepted = "secrets by reference only: a key ending in _file with \(SecretPlace.accepted)"
            }
            note(key, "unknown key\(owner)", accepted: accepted, suggestion: suggestion)
        }
    }

    /// Whether an unknown key is a misspelt `suggestion` and no secret: `keyword` contains `key`.
    private static func isSlip(_ key: String, for suggestion: String?) -> Bool {
        guard let suggestion, !suggestion.hasSuffix("_file") else { return false }
        return abs(suggestion.count - key.count) <= 2
    }

    /// A mapping below a key; nil when it is missing or faulty.
    func mapping(_ key: String) -> MappingReader? {
        byKey[key].flatMap { MappingReader($0.value, path: path(of: key), faults: faults) }
    }
}

// MARK: - Values

extension MappingReader {
    /// A text, quoted or not; a faulty value is not quoted in the message.
    func text(_ key: String) -> String? {
        let isNothing = if case .nothing? = byKey[key]?.value.content { true } else { false }
        return value(key, accepted: Self.accepted(asText: isNothing), hidesValue: true, read: { $0.text })
    }

    /// The value of one of the words.
    /// - Parameter suggest: Returns the word that was probably meant; nil: the nearest word is suggested.
    func choice<Choice>(
        _ key: String, of choices: [(word: String, value: Choice)], suggest: ((String) -> String?)? = nil
    ) -> Choice? {
        let words = choices.map { $0.word }
        return value(
            key, accepted: words.joined(separator: ", "), suggest: suggest ?? { NearestWord.to($0, among: words) },
            read: { node in choices.first { $0.word == node.text }?.value })
    }

    /// The case of an enumeration whose raw value is the word.
    func word<Word: CaseIterable & RawRepresentable>(_ key: String, of type: Word.Type) -> Word?
    where Word.RawValue == String {
        choice(key, of: type.allCases.map { (word: $0.rawValue, value: $0) })
    }

    /// A whole number, written without quotes.
    func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        value(
            key, accepted: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            suggest: { text in
                Quantity.integerSuggestion(for: text).flatMap { range.contains($0) ? String($0) : nil }
            },
            read: { node in
                node.plainText.flatMap { Quantity.integer($0) }.flatMap { range.contains($0) ? $0 : nil }
            })
    }

    /// A number, written without quotes.
    func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
        value(
            key, accepted: "a number from \(range.lowerBound) to \(range.upperBound)",
            suggest: { text in
                let number = Quantity.numberSuggestion(for: text)
                return Quantity.number(number).map { range.contains($0) } == true ? number : nil
            },
            read: { node in
                node.plainText.flatMap { Quantity.number($0) }.flatMap { range.contains($0) ? $0 : nil }
            })
    }

    /// `true` or `false`, written without quotes.
    func flag(_ key: String) -> Bool? {
        value(
            key, accepted: "true or false", suggest: { Self.flagSuggestion(for: $0) },
            read: { node -> Bool? in
                switch node.plainText {
                case "true", "True", "TRUE": return true
                case "false", "False", "FALSE": return false
                default: return nil
                }
            })
    }

    /// A duration such as `90s` or `1h30m`.
    func duration(_ key: String, in range: ClosedRange<Duration>) -> Duration? {
        let bounds = "from \(Quantity.text(range.lowerBound)) to \(Quantity.text(range.upperBound))"
        return value(
            key, accepted: "a duration \(bounds), such as 90s, 15m, 72h or 1h30m",
            suggest: { text in
                // Where that many seconds are out of range, a number without a unit probably means minutes.
                [Quantity.durationSuggestion(for: text), text + "m"].compactMap { $0 }.first { suggestion in
                    Quantity.duration(suggestion).map { range.contains($0) } == true
                }
            },
            read: { node in
                node.text.flatMap { Quantity.duration($0) }.flatMap { range.contains($0) ? $0 : nil }
            })
    }

    /// A size such as `64MiB`, in bytes.
    func bytes(_ key: String, in range: ClosedRange<Int>) -> Int? {
        let bounds = "from \(Quantity.text(bytes: range.lowerBound)) to \(Quantity.text(bytes: range.upperBound))"
        return value(
            key, accepted: "a size \(bounds), such as 500kB or 64MiB",
            suggest: { Quantity.bytesSuggestion(for: $0) },
            read: { node in node.text.flatMap { Quantity.bytes($0) }.flatMap { range.contains($0) ? $0 : nil } })
    }

    /// A list of distinct texts, or a single text; nil if any item is faulty.
    func texts(_ key: String) -> [String]? {
        guard let items = items(key) else { return nil }
        let texts = items.compactMap { $0 }
        return texts.count == items.count ? texts : nil
    }

    /// The items of a list of distinct texts, or a single text. A faulty item is noted and nil.
    func items(_ key: String) -> [String?]? {
        accepts(key, "a list of texts, or one text")
        guard let member = byKey[key] else { return nil }
        let items: [YAMLNode]
        switch member.value.content {
        case .list(let list): items = list
        case .scalar: items = [member.value]
        case .nothing, .mapping:
            note(key, member.value.foundType, accepted: "a list of texts, or one text")
            return nil
        }
        var seen: Set<String> = []
        return items.enumerated().map { index, item -> String? in
            let itemPath = "\(path(of: key))[\(index)]"
            guard let text = item.text, !text.isEmpty else {
                let found = item.text == nil ? item.foundType : "found an empty text"
                let isNothing = if case .nothing = item.content { true } else { false }
                faults.note(itemPath, at: item.position, found, accepted: Self.accepted(asText: isNothing))
                return nil
            }
            guard seen.insert(text).inserted else {
                faults.note(itemPath, at: item.position, "found \(shown(text)) twice", accepted: "each once")
                return nil
            }
            return text
        }
    }

    /// The values of a list, or of a single text; every faulty one is noted at its place. Nil without the key.
    /// - Parameter suggest: Returns the value that was probably meant; default: none is suggested.
    func values<Value>(
        _ key: String, accepted: String, suggest: (String) -> String? = { _ in nil }, read: (String) -> Value?
    ) -> [Value]? {
        accepts(key, "a list of values, or one: " + accepted)
        guard let items = items(key) else { return nil }
        var nodes: [YAMLNode] = []
        if case .list(let list)? = member(key)?.value.content { nodes = list }
        return items.enumerated().compactMap { index, item in
            guard let item else { return nil }
            if let value = read(item) { return value }
            let position = nodes.indices.contains(index) ? nodes[index].position : position(of: key)
            faults.note(
                "\(path(of: key))[\(index)]", at: position, "found \(shown(item))", accepted: accepted,
                suggestion: suggest(item))
            return nil
        }
    }

    /// The path of a file, made absolute.
    func filePath(_ key: String, _ paths: PathResolver) -> String? {
        accepts(key, "the path of a file")
        guard let path = text(key) else { return nil }
        if let accepted = PathResolver.accepted(insteadOf: path) {
            note(key, "found \(shown(path))", accepted: accepted)
            return nil
        }
        return paths.absolute(path)
    }

    /// The reference to a secret; the path of a secret's file is made absolute.
    func secretPlace(_ key: String, _ paths: PathResolver) -> String? {
        accepts(key, SecretPlace.accepted)
        guard let reference = text(key) else { return nil }
        guard let place = SecretPlace(reference) else {
            note(key, "found a place that is not understood", accepted: SecretPlace.accepted)
            return nil
        }
        if case .file(let path) = place, let found = SecretPlace.problem(withFile: path) {
            note(key, found, accepted: SecretPlace.accepted)
            return nil
        }
        return paths.absolute(secret: reference)
    }

    /// A country code in upper case.
    func country(_ key: String) -> String? {
        value(
            key, accepted: "a two-letter country code (ISO 3166-1), such as NZ",
            suggest: { CountryCode.suggestion(for: $0) }, read: { node in node.text.flatMap { CountryCode($0)?.code } })
    }

    /// A country, or a region of it: `US`, `us.LA`. The country is in upper case, the region as written.
    func home(_ key: String) -> PlaceContext? {
        value(
            key, accepted: "a country or region, such as NZ or US.LA (GeoNames' codes)",
            suggest: { CountryCode.suggestion(for: $0) },
            read: { node in
                let parts = node.text?.split(separator: ".", omittingEmptySubsequences: false) ?? []
                guard let country = parts.first.flatMap({ CountryCode(String($0))?.code }), parts.count <= 2 else {
                    return nil
                }
                guard parts.count == 2 else { return PlaceContext(country: country) }
                let isCode =
                    (1...20).contains(parts[1].utf8.count)
                    && parts[1].utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    }
                return isCode ? PlaceContext(country: country, region: String(parts[1])) : nil
            })
    }

    /// The value of a key as `read` returns it; nil when the key is missing, or faulty, which is noted.
    func value<Value>(
        _ key: String, accepted: String, hidesValue: Bool = false, suggest: (String) -> String? = { _ in nil },
        read: (YAMLNode) -> Value?
    ) -> Value? {
        accepts(key, accepted)
        guard let node = byKey[key]?.value else { return nil }
        if let value = read(node) { return value }
        note(
            key, hidesValue ? node.foundType : node.found, accepted: accepted,
            suggestion: node.text.flatMap { suggest($0) })
        return nil
    }

    /// The phrase for an accepted text. An unquoted text that begins with # or & is read as nothing.
    private static func accepted(asText isNothing: Bool) -> String {
        isNothing ? "a text, in quotes where it begins with # or &" : "a text"
    }

    private static func flagSuggestion(for text: String) -> String? {
        switch text.lowercased() {
        case "yes", "y", "on", "1", "true": "true"
        case "no", "n", "off", "0", "false": "false"
        default: nil
        }
    }
}
