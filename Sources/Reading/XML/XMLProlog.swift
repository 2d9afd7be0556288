/// The part before the root element: XML declaration, comments, processing instructions, document type.
///
/// A document type is skipped with its entity declarations, so no entity is ever expanded.
struct XMLProlog {
    /// The offset of the root element.
    private(set) var root = 0
    /// The offset of the first entity declaration; nil without one.
    private(set) var entityDeclaration: Int?

    private let input: XMLInput
    private var end: Int { input.end }

    /// Finds the root element.
    /// - Throws: `ReadingError` with code `empty`, `html_page` or `not_xml`.
    init(_ input: XMLInput) throws(ReadingError) {
        self.input = input
        var index = 0
        while true {
            index = blankEnd(from: index)
            guard index < end else { break }
            if input.has("<?", at: index), let after = input.find("?>", from: index) {
                index = after
            } else if input.has("<!--", at: index), let after = input.find("-->", from: index + 4) {
                index = after
            } else if input.has("<!doctype", at: index, ignoringCase: true) {
                guard !input.has("html", at: input.spaceEnd(from: index + 9), ignoringCase: true) else {
                    throw Self.htmlPage
                }
                guard let after = documentTypeEnd(from: index + 9) else {
                    throw ReadingError(code: "not_xml", message: "the document type does not end")
                }
                index = after
            } else {
                break
            }
        }
        guard index < end else {
            throw index == 0 || input.bytes.allSatisfy({ $0 <= 0x20 })
                ? ReadingError(code: "empty", message: "the document is empty")
                : ReadingError(code: "not_xml", message: "the document has no root element")
        }
        let name = index + 1..<input.nameEnd(from: index + 1)
        guard input[index] == UInt8(ascii: "<"), !name.isEmpty else {
            let start = HTMLText.cleaned(input.text(index..<min(end, index + 60)))
            throw ReadingError(code: "not_xml", message: "found no XML; the document begins with \"\(start)\"")
        }
        guard !(name.count == 4 && input.has("html", at: name.lowerBound, ignoringCase: true)) else {
            throw Self.htmlPage
        }
        root = index
    }

    private static let htmlPage = ReadingError.htmlPage("found an HTML page in place of XML")

    /// The end of white space, control characters and byte order marks from `start` on.
    private func blankEnd(from start: Int) -> Int {
        var index = start
        while index < end {
            if input[index] <= 0x20 {
                index += 1
            } else if end - index >= 3, input[index] == 0xEF, input[index + 1] == 0xBB, input[index + 2] == 0xBF {
                index += 3
            } else {
                break
            }
        }
        return index
    }

    /// The end of a document type whose name begins at `start`; nil when it has none.
    private mutating func documentTypeEnd(from start: Int) -> Int? {
        var index = start
        var isInSubset = false
        while index < end {
            switch input[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let close = input.find(input[index], from: index + 1, to: end) else { return nil }
                index = close
            case UInt8(ascii: "<"):
                if input.has("<!--", at: index) {
                    guard let after = input.find("-->", from: index + 4) else { return nil }
                    index = after - 1
                } else if entityDeclaration == nil, input.has("<!ENTITY", at: index) {
                    entityDeclaration = index
                }
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">"): if !isInSubset { return index + 1 }
            default: break
            }
            index += 1
        }
        return nil
    }
}
