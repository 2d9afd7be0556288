/// One pass over one document: puts what it finds into the item's tree or the skeleton's, and mends on the way what
/// would cost text or items.
///
/// The input is UTF-8. What is mended:
/// - characters that XML forbids are left out (XML 1.0 §2.2);
/// - HTML's named entities become characters; `&` and `<` that begin nothing are text, and so is `]]>`;
/// - an end tag closes all elements inside its own, and one that closes nothing is left out;
/// - a document type is skipped with its entity declarations, so there is nothing to expand;
/// - the text ends with the root element.
///
/// It looks at each byte a fixed number of times, copies nothing but what goes into a tree, and uses the trees again
/// from item to item. State is a value and the trees lie behind pointers, because this is where time goes: checks for
/// exclusive access, which properties of classes need, cost a tenth of it.
struct XMLScanner {
    var input: XMLInput
    /// The next byte to look at.
    var position: Int
    let contents: XMLContents
    let names: UnsafeMutablePointer<XMLNames>
    let skeleton: UnsafeMutablePointer<XMLTree>
    let item: UnsafeMutablePointer<XMLTree>
    let maximumDepth: Int
    let itemLimit: Int
    let itemCountLimit: Int
    /// How many items are passed on at most.
    let lastItem: Int
    var itemCount = 0
    let skeletonLimit: Int

    /// The elements that are open, outermost first.
    var openElements: [OpenElement] = []
    var namespaces = XMLNamespaces()
    /// The attributes of the start tag that is being read, in order.
    var attributes: [FoundAttribute] = []
    /// For each name the last start tag that had an attribute of that name, by `tagCount`.
    var lastTagWithName: [Int] = []
    /// Start tags with attributes so far.
    var tagCount = 0

    /// The depth of the item that is open; 0: none.
    var itemDepth = 0
    /// The line at which the open item began.
    var itemLine = 0
    /// Whether the open item has grown beyond its limit and is skipped.
    var isItemTooLarge = false
    /// Whether an item has just ended, so that white space belongs to its layout.
    var isBehindItem = false

    /// Whether the root element has been closed.
    var isRootClosed = false
    /// Why the rest of the document is not read.
    var failure: ReadingError?
    var problems: [XMLProblem] = []
    var lostItems: [XMLProblem] = []
    var hasNotedForbidden = false
    private var lineNumber = 1
    private var lineOffset = 0

    /// Problems kept for one document.
    static let maximumProblems = 100

    /// An element that is open.
    struct OpenElement {
        /// Where its name stands.
        var name: Range<Int>
        /// How namespaces stood outside of it.
        var mark: XMLNamespaces.Mark
    }

    /// An attribute as it stands in a start tag.
    struct FoundAttribute {
        /// Where its name stands.
        var name: Range<Int>
        /// Where its value stands, without quotes.
        var value: Range<Int>
        /// Whether the value means what stands there.
        var isPlain: Bool
        /// Whether it declares a namespace.
        var isDeclaration = false
    }

    /// Finds the root element of UTF-8 text that stays in place until `finish` is done.
    /// - Throws: `empty`, `html_page` or `not_xml`.
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, itemNames: Set<String>, limits: XMLLimits, upTo lastItem: Int
    ) throws(ReadingError) {
        let input = XMLInput(bytes)
        let prolog = try XMLProlog(input)
        let contents = XMLContents(itemNames: itemNames)
        self.input = input
        self.contents = contents
        names = contents.names
        skeleton = contents.skeleton
        item = contents.item
        position = prolog.root
        maximumDepth = max(1, limits.depth)
        itemCountLimit = limits.items
        self.lastItem = lastItem
        itemLimit = min(limits.itemBytes, 1 << 30)
        skeletonLimit = min(limits.skeletonBytes, 1 << 30)
        if let offset = prolog.entityDeclaration { note("entity declarations are not followed", at: offset) }
    }

    /// Reads the document, once, to its end or as far as it can be read.
    mutating func scan(_ onItem: (XMLNode) -> Void) {
        while position < input.end {
            if input[position] == UInt8(ascii: "<") {
                readMarkup(onItem)
            } else {
                readText()
            }
        }
    }

    /// What the document held beside its items.
    /// - Throws: what made the rest unreadable, or `not_xml` when there is no root element.
    mutating func finish(_ decoded: TextEncoding.Decoded) throws(ReadingError) -> XMLDocument {
        if let failure { throw failure }
        guard !skeleton.pointee.nodes.isEmpty else {
            throw ReadingError(code: "not_xml", message: "the document has no root element")
        }
        if let last = openElements.last {
            let name = input.quoted(last.name)
            let start = 1 + input.lineFeeds(from: 0, to: last.name.lowerBound)
            note("the document ends within <\(name)>, which begins in line \(start)", at: input.end)
        }
        skeleton.pointee.closeAll()
        if itemDepth > 0 { lose("truncated_item", "the document ends within this item, which was left out") }
        var all = problems.sorted { $0.line < $1.line }
        if decoded.hasStrayBytes {
            let message = "bytes that are not \(decoded.name) were read as windows-1252"
            all.insert(XMLProblem(line: 1, message: message), at: 0)
        }
        return XMLDocument(
            root: XMLNode(owner: contents, tree: skeleton, index: 0),
            problems: Array(all.prefix(Self.maximumProblems)), lostItems: lostItems, encoding: decoded.name,
            isTruncated: !isRootClosed)
    }

    // MARK: Ends

    /// The document breaks off at `position`.
    mutating func stop() { input.end = position }

    /// Nothing of the document is wanted after what is at `position`.
    mutating func fail(_ code: String, _ message: String) {
        if failure == nil { failure = ReadingError(code: code, message: message, line: line(of: position)) }
        stop()
    }

    mutating func failForNames() {
        fail("too_large", "the document has more than \(XMLNames.limit) different names")
    }

    mutating func failForSkeleton() {
        fail("too_large", "the document has more than \(skeletonLimit) bytes outside items")
    }

    /// Bytes between a fault within a tag and the tag's end beyond which the end's line stands for it.
    private static let longestStepBack = 4096

    // MARK: Problems

    /// Whether another problem is kept; messages that take time to write are not written in vain.
    var keepsProblems: Bool { problems.count < Self.maximumProblems }

    /// Notes what was mended or left out.
    mutating func note(_ message: String, at offset: Int) {
        guard keepsProblems else { return }
        let number = line(of: offset)
        problems.append(XMLProblem(line: number, message: message))
    }

    /// Names the open item among those not passed on. Each takes many bytes of the document, so they are not many.
    mutating func lose(_ code: String, _ message: String) {
        lostItems.append(XMLProblem(line: itemLine, message: message, code: code))
    }

    /// The line of an offset. Lines are counted on from the farthest offset asked for, so that all calls together pass
    /// over the document once; a step back is one within a tag.
    mutating func line(of offset: Int) -> Int {
        guard offset >= lineOffset else {
            // A tag of many lines and many faults would be walked through again and again.
            guard lineOffset - offset <= Self.longestStepBack else { return lineNumber }
            return lineNumber - input.lineFeeds(from: offset, to: lineOffset)
        }
        lineNumber += input.lineFeeds(from: lineOffset, to: offset)
        lineOffset = offset
        return lineNumber
    }
}
