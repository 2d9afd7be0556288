import CLibXML2

/// The passes over one document. libxml2 reads it unchanged; if libxml2 refuses it, a second pass reads the mender's
/// output.
///
/// A truncated document is not refused. Content after the root element is ignored.
struct XMLPasses {
    private let input: XMLInput
    /// The offset of the root element. libxml2 starts there, so it sees no document type.
    private let root: Int
    private let itemNames: Set<String>
    private let limits: XMLLimits
    /// The problems before the root element.
    private var problems: [XMLProblem] = []

    /// The most problems recorded for one document.
    static let maximumProblems = 100

    /// Finds the root element of UTF-8 text. The text must stay in place until it has been read.
    /// - Throws: `ReadingError` with code `empty`, `html_page` or `not_xml`.
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, itemNames: Set<String>, limits: XMLLimits
    ) throws(ReadingError) {
        let input = XMLInput(bytes)
        let prolog = try XMLProlog(input)
        self.input = input
        root = prolog.root
        self.itemNames = itemNames
        self.limits = limits
        if let offset = prolog.entityDeclaration {
            problems.append(
                XMLProblem(line: input.line(of: offset), message: "entity declarations are not followed"))
        }
    }

    /// Reads the document to its end, or as far as possible.
    /// - Parameters:
    ///   - decoded: The decoded text, for its encoding and faults.
    ///   - cut: The size of libxml2's pieces in bytes; 0 lets libxml2's reader choose.
    /// - Throws: The error that made the rest unreadable, or `not_xml` without a root element.
    func read(
        _ decoded: TextEncoding.Decoded, cut: Int, _ onItem: @escaping (XMLNode) -> Void
    ) throws(ReadingError) -> XMLDocument {
        let strict = try pass(skipping: 0)
        let state = strict.read(input.stretch(root..<input.end), cut: cut, onItem)
        guard state == CXML_REFUSED else {
            let ends = state == CXML_GOING ? endProblems(strict) : []
            return try document(of: strict, state, problems + strict.problems + ends, decoded)
        }
        strict.close()
        // Items are not delivered twice.
        let loose = try pass(skipping: strict.itemCount)
        var mender = XMLMender(input, from: root, maximumTagBytes: limits.tagLimit)
        let outcome = loose.read(&mender, onItem)
        if outcome == CXML_GOING {
            if let failure = mender.failure { throw failure }
            mender.finish()
        }
        return try document(of: loose, outcome, problems + mender.problems + loose.problems, decoded)
    }

    private func pass(skipping skipped: Int) throws(ReadingError) -> XMLContents {
        try XMLContents(itemNames: itemNames, limits: limits, skipping: skipped, firstLine: input.line(of: root))
    }

    private func document(
        of contents: XMLContents, _ state: cxml_state, _ problems: [XMLProblem], _ decoded: TextEncoding.Decoded
    ) throws(ReadingError) -> XMLDocument {
        if let refusal = refusal(of: contents, state) { throw refusal }
        guard !contents.skeleton.isEmpty else {
            throw ReadingError(code: "not_xml", message: "the document has no root element")
        }
        var all = problems.sorted { $0.line < $1.line }
        if decoded.hasStrayBytes {
            let message = "bytes that are not \(decoded.name) were read as windows-1252"
            all.insert(XMLProblem(line: 1, message: message), at: 0)
        }
        let lostItems = contents.lostItems
        contents.close()
        return XMLDocument(
            root: XMLNode(owner: contents, tree: contents.skeleton, index: 0),
            problems: Array(all.prefix(Self.maximumProblems)), lostItems: lostItems, encoding: decoded.name,
            isTruncated: state != CXML_CLOSED)
    }

    /// The problems of a document that ends before its root element does.
    private func endProblems(_ contents: XMLContents) -> [XMLProblem] {
        let (offset, isWithinSection, tagEnd) = contents.end
        guard tagEnd > 0 else { return [] }
        let line = input.line(of: root + offset)
        // No tag that libxml2 accepts contains a second `<`.
        var start = root + tagEnd
        while start > root, input[start] != UInt8(ascii: "<") { start -= 1 }
        let name = start + 1..<input.nameEnd(from: start + 1)
        let section = isWithinSection ? [XMLProblem.unfinishedSection(line: line)] : []
        return section + [XMLProblem.unfinishedElement(input.quoted(name), from: input.line(of: start), line: line)]
    }

    /// The reason why a pass has failed; nil when it has not.
    private func refusal(of contents: XMLContents, _ state: cxml_state) -> ReadingError? {
        if state == CXML_GOING || state == CXML_CLOSED { return nil }
        let code =
            switch state {
            case CXML_TOO_DEEP: "too_deep"
            case CXML_OUT_OF_MEMORY: "out_of_memory"
            case CXML_TOO_SLOW: "too_slow"
            case CXML_REFUSED: "not_xml"
            default: "too_large"
            }
        let message =
            switch state {
            case CXML_TOO_DEEP: "the XML is nested more than \(limits.depth) elements deep"
            case CXML_TOO_MANY_ITEMS: "the document has more than \(limits.items) items"
            case CXML_TOO_MANY_NAMES: "the document has more than \(cxml_most_names) different names"
            case CXML_NAMES_TOO_LARGE: "the document's names take more than \(cxml_most_name_bytes) bytes"
            case CXML_TOO_MANY_NAMESPACES:
                "more than \(cxml_most_namespaces) namespace declarations are in force at once"
            case CXML_TOO_MANY_ATTRIBUTES: XMLMender.tooManyAttributes
            case CXML_TAG_TOO_LARGE: XMLMender.tagTooLarge(limits.tagLimit)
            case CXML_SKELETON_TOO_LARGE:
                "the document has more than \(limits.skeletonLimit) bytes outside items"
            case CXML_TOO_SLOW: "the document takes too much CPU time"
            case CXML_OUT_OF_MEMORY: "there is not enough memory to read the XML"
            // libxml2 accepts everything that the mender writes.
            default: "libxml2 refuses the mended XML with its error \(contents.errorNumber)"
            }
        return ReadingError(code: code, message: message, line: contents.line)
    }
}
