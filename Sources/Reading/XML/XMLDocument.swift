/// What a document held beside its items.
public struct XMLDocument {
    /// The root element with everything that is not in an item.
    public let root: XMLNode
    /// What was wrong and has been mended or left out, in the order of lines; at most 100.
    public let problems: [XMLProblem]
    /// Items that were not passed on, all of them, in the order of lines; `problems` does not name them.
    public let lostItems: [XMLProblem]
    /// How the bytes were read: `utf-8`, `utf-16le`, `windows-1252` or another name in lower case.
    public let encoding: String
    /// Whether the document ended before its root element was closed; items that were complete have been passed on.
    public let isTruncated: Bool
}

/// Something in a document that was mended or left out.
public struct XMLProblem: Sendable, Hashable, CustomStringConvertible {
    /// Line in the document, from 1.
    public let line: Int
    /// One sentence for people.
    public let message: String
    /// `bad_xml` for markup; for an item that was lost `too_large`, or `truncated_item` when the document ends within.
    public let code: String

    init(line: Int, message: String, code: String = "bad_xml") {
        self.line = line
        self.message = message
        self.code = code
    }

    public var description: String { "line \(line): \(message)" }

    /// A document that ends within markup that is not a tag.
    static func unfinishedSection(line: Int) -> XMLProblem {
        let message = "the document ends within a comment, CDATA section or processing instruction"
        return XMLProblem(line: line, message: message)
    }

    /// A document that ends within an element.
    static func unfinishedElement(_ name: String, from start: Int, line: Int) -> XMLProblem {
        XMLProblem(line: line, message: "the document ends within <\(name)>, which begins in line \(start)")
    }

    /// What is said of an attribute that is given twice.
    static func repeated(_ name: String) -> String {
        "the attribute \(name) is given twice, and the first counts"
    }

    static func misplacedColon(_ name: String) -> String { "the name \(name) has a colon out of place" }

    /// A name for messages: at most 100 bytes of it.
    static func quoted(_ name: some Collection<UInt8>) -> String {
        name.count <= 100
            ? String(decoding: name, as: UTF8.self) : String(decoding: name.prefix(100), as: UTF8.self) + "…"
    }
}
