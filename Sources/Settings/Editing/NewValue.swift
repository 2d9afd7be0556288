import Model

/// A value that an edit writes.
package struct NewValue {
    /// What the parser makes of it.
    let content: YAMLNode.Content
    /// The value as it is written on one line.
    let written: String
    /// The items of a list as they are written; empty for another value.
    let items: [String]

    /// - Parameter isList: Whether `[a, b]` is a list; otherwise it is a text.
    init(_ value: String, asList isList: Bool) {
        if isList, let texts = Self.texts(in: value) {
            let scalars = texts.map { Self.scalar($0) }
            items = scalars.map { $0.written }
            content = .list(
                scalars.map { YAMLNode(content: $0.content, position: SettingsPosition(line: 1, column: 1)) })
            written = "[" + items.joined(separator: ", ") + "]"
        } else {
            items = []
            (content, written) = Self.scalar(value)
        }
    }

    /// The texts of a list in brackets; nil for other text, and for a list of anything but texts.
    package static func texts(in text: String) -> [String]? {
        guard text.hasPrefix("[") else { return nil }
        let faults = FaultList(file: "")
        var composer = YAMLComposer(faults: faults)
        guard let node = composer.compose(quotingSets(in: text)), faults.faults.isEmpty,
            case .list(let items) = node.content
        else { return nil }
        let texts = items.compactMap { $0.text }
        return texts.count == items.count ? texts : nil
    }

    /// A list with quotes around the items that begin with `@`, as word sets do; YAML allows no text to do so.
    private static func quotingSets(in list: String) -> String {
        guard list.hasSuffix("]"), list.contains("@") else { return list }
        let items = items(of: list.dropFirst().dropLast()).map { item in
            var name = item.drop { $0 == " " }
            while name.last == " " { name.removeLast() }
            return name.hasPrefix("@") ? "\"\(name)\"" : String(item)
        }
        return "[" + items.joined(separator: ",") + "]"
    }

    /// The parts of a text between commas that stand outside of quotes.
    private static func items(of text: Substring) -> [Substring] {
        var items: [Substring] = []
        var (start, quote): (Substring.Index, Character?) = (text.startIndex, nil)
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if let open = quote {
                if character == open { quote = nil }
                isEscaped = open == "\"" && character == "\\"
            } else if character == "," {
                items.append(text[start..<index])
                start = text.index(after: index)
            } else if character == "\"" || character == "'", text[start..<index].allSatisfy({ $0 == " " }) {
                quote = character
            }
        }
        return items + [text[start...]]
    }

    /// A list in the form that an edit takes.
    static func list(_ texts: [String]) -> String {
        "[" + texts.map { scalar($0).written }.joined(separator: ", ") + "]"
    }

    private static func scalar(_ text: String) -> (content: YAMLNode.Content, written: String) {
        let isPlain = isPlain(text)
        return (.scalar(text, isPlain: isPlain), isPlain ? text : quoted(text))
    }

    /// Whether the text may stand without quotes, also between brackets. Quotes are never wrong for a text, and numbers
    /// and flags have none of the signs that need them.
    private static func isPlain(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, scalars.last != " ", !["null", "Null", "NULL"].contains(text) else {
            return false
        }
        let isSigned = "+-.".unicodeScalars.contains(first) && scalars.dropFirst().first.map { isDigit($0) } == true
        return (isSigned || isWordPart(first))
            && scalars.allSatisfy { isWordPart($0) || " _-./+*%()".unicodeScalars.contains($0) }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        isDigit(scalar) || scalar.properties.isAlphabetic
    }

    /// The text in double quotes, on one line (YAML 1.1 §9.1.1).
    private static func quoted(_ text: String) -> String {
        let quoted = text.replacing { scalar, quoted in
            switch scalar.value {
            case 0x22: quoted += "\\\"".utf8
            case 0x5C: quoted += "\\\\".utf8
            case 0x0A: quoted += "\\n".utf8
            case 0..<0x20, 0x7F...0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: quoted.append(jsonEscaping: scalar)
            default: return false
            }
            return true
        }
        return "\"\(quoted)\""
    }
}
