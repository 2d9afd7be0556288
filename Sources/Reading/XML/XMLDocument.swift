/// The parts of a document outside its items, and what was wrong with it.
public struct XMLDocument {
    /// The root element with everything outside items; it and its nodes may be kept, and keep the document in memory.
    public let root: XMLNode
    /// Faults that were mended or left out, in the order of lines; at most 100, the first ones. Empty for a sound
    /// document.
    public let problems: [XMLProblem]
    /// All items that were not delivered, in the order of lines; `problems` excludes them.
    public let lostItems: [XMLProblem]
    /// The encoding used: `utf-8`, `utf-16le`, `windows-1252` or another name in lower case. Bytes that do not fit it
    /// were read as Windows-1252; the first of `problems` then says so.
    public let encoding: String
    /// Whether the document ended before its root element was closed. Complete items have been delivered; one cut off
    /// is in `lostItems`.
    public let isTruncated: Bool
}

/// One fault of a document that was mended or left out.
public struct XMLProblem: Sendable, Hashable, CustomStringConvertible {
    /// The line in the document, from 1; of a lost item that of its start tag.
    public let line: Int
    /// One sentence for people, without the line.
    public let message: String
    /// `bad_xml` for markup. For a lost item `too_large`, or `truncated_item` when the document ends inside it.
    public let code: String

    init(line: Int, message: String, code: String = "bad_xml") {
        self.line = line
        self.message = message
        self.code = code
    }

    /// The problem for people: `line LINE: MESSAGE`.
    public var description: String { "line \(line): \(message)" }

    /// A document that ends inside a comment, CDATA section or instruction.
    static func unfinishedSection(line: Int) -> XMLProblem {
        let message = "the document ends within a comment, CDATA section or processing instruction"
        return XMLProblem(line: line, message: message)
    }

    /// A document that ends inside an element.
    static func unfinishedElement(_ name: String, from start: Int, line: Int) -> XMLProblem {
        XMLProblem(line: line, message: "the document ends within <\(name)>, which begins in line \(start)")
    }

    /// The message for a repeated attribute.
    static func repeated(_ name: String) -> String {
        "the attribute \(name) is given twice, and the first counts"
    }

    static func misplacedColon(_ name: String) -> String { "the name \(name) has a colon out of place" }

    /// The first 100 bytes of a name, for messages.
    static func quoted(_ name: some Collection<UInt8>) -> String {
        name.count <= 100
            ? String(decoding: name, as: UTF8.self) : String(decoding: name.prefix(100), as: UTF8.self) + "…"
    }
}
