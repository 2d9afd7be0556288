import CLibXML2

/// One pass over one document: takes what libxml2 finds and puts it into the item's tree or the skeleton's.
///
/// Nothing but bytes is copied while an element is built; the trees are used again from item to item.
final class XMLSession {
    private var cleaner: XMLCleaner
    private let names: XMLNames
    private let skeleton: XMLTree
    private let item: XMLTree
    private let itemLimit: Int
    private let skeletonLimit: Int

    private var context: xmlParserCtxtPtr?
    private var onItem: ((XMLNode) -> Void)?
    /// Open elements.
    private var depth = 0
    /// The depth of the item that is open; 0: none.
    private var itemDepth = 0
    /// The line at which the open item began.
    private var itemLine = 0
    /// Whether the open item has grown beyond its limit and is skipped.
    private var isItemTooLarge = false
    /// Whether an item has just ended, so that white space belongs to its layout.
    private var isBehindItem = false
    /// Namespace declarations in force, by open element; libxml2 searches them one by one.
    private var declarations: [Int32] = []
    private var declarationCount = 0
    private var failure: ReadingError?
    private var problems: [XMLProblem] = []
    private var lostItems: [XMLProblem] = []

    private static let maximumDeclarations = 256

    /// Prepares a pass over UTF-8 text that stays in place until `parse` is done.
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, itemNames: Set<String>, limits: XMLLimits
    ) throws(ReadingError) {
        cleaner = try XMLCleaner(bytes, maximumDepth: limits.depth)
        names = XMLNames(itemNames: itemNames)
        skeleton = XMLTree(names: names)
        item = XMLTree(names: names)
        itemLimit = min(limits.itemBytes, 1 << 30)
        skeletonLimit = min(limits.skeletonBytes, 1 << 30)
    }

    /// Parses the document; once only.
    func parse(
        _ decoded: TextEncoding.Decoded, onItem: @escaping (XMLNode) -> Void
    ) throws(ReadingError) -> XMLDocument {
        self.onItem = onItem
        let parser = visivent_xml_create(
            Unmanaged.passUnretained(self).toOpaque(),
            { owner, buffer, capacity in XMLSession.from(owner)?.read(buffer, capacity) ?? 0 },
            { owner, local, prefix, uri, namespaceCount, _, attributeCount, _, attributes in
                XMLSession.from(owner)?.start(local, prefix, uri, namespaceCount, attributeCount, attributes)
            },
            { owner, _, _, _ in XMLSession.from(owner)?.end() },
            { owner, text, count in XMLSession.from(owner)?.add(text, count) },
            { owner, error in XMLSession.from(owner)?.report(error) })
        guard let parser else { throw ReadingError(code: "out_of_memory", message: "no memory for an XML parser") }
        context = parser
        xmlParseDocument(parser)
        context = nil
        self.onItem = nil
        visivent_xml_free(parser)

        if let error = cleaner.failure ?? failure { throw error }
        guard !skeleton.nodes.isEmpty else {
            throw ReadingError(code: "not_xml", message: "the document has no root element")
        }
        skeleton.closeAll()
        if itemDepth > 0 { lose("truncated_item", "the document ends within this item, which was left out") }
        if decoded.hasStrayBytes { note(1, "bytes that are not \(decoded.name) were read as windows-1252") }
        let all = (problems + cleaner.problems).sorted { $0.line < $1.line }
        return XMLDocument(
            root: XMLNode(tree: skeleton, index: 0), problems: Array(all.prefix(XMLCleaner.maximumProblems)),
            lostItems: lostItems, encoding: decoded.name, isTruncated: !cleaner.isRootClosed)
    }

    private static func from(_ owner: UnsafeMutableRawPointer?) -> XMLSession? {
        owner.map { Unmanaged<XMLSession>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: What libxml2 calls

    private func read(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int32) -> Int32 {
        guard let buffer, capacity > 0, failure == nil else { return 0 }
        let output = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: UInt8.self)
        return Int32(truncatingIfNeeded: cleaner.read(into: output, capacity: Int(capacity)))
    }

    private func start(
        _ local: UnsafePointer<UInt8>?, _ prefix: UnsafePointer<UInt8>?, _ uri: UnsafePointer<UInt8>?,
        _ namespaceCount: Int32, _ attributeCount: Int32,
        _ attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    ) {
        guard failure == nil, let local else { return }
        depth += 1
        declarations.append(namespaceCount)
        declarationCount += Int(namespaceCount)
        guard declarationCount <= Self.maximumDeclarations else {
            return fail("more than \(Self.maximumDeclarations) namespace declarations are in force at once")
        }
        guard let name = names.number(local: local, prefix: prefix, uri: uri) else { return failForNames() }
        let line = currentLine
        if itemDepth == 0, names[name].isItem {
            itemDepth = depth
            itemLine = Int(line)
            isItemTooLarge = false
            item.reset()
            if depth == 1 { openElement(name, line, attributeCount, attributes, in: skeleton) }
        }
        isBehindItem = false
        if itemDepth == 0 {
            openElement(name, line, attributeCount, attributes, in: skeleton)
            if skeleton.size > skeletonLimit { failForSkeleton() }
        } else if !isItemTooLarge {
            openElement(name, line, attributeCount, attributes, in: item)
            isItemTooLarge = item.size > itemLimit
        }
    }

    /// Puts an element into a tree. libxml2 gives five pointers an attribute: name, prefix, URI, value and its end.
    private func openElement(
        _ name: Int32, _ line: Int32, _ attributeCount: Int32,
        _ attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, in tree: XMLTree
    ) {
        tree.openElement(name, line: line)
        guard let attributes else { return }
        for index in 0..<Int(attributeCount) {
            let parts = attributes + index * 5
            guard let local = parts[0], let start = parts[3], let end = parts[4] else { continue }
            guard let name = names.number(local: local, prefix: parts[1], uri: parts[2]) else { return failForNames() }
            tree.addAttribute(name, UnsafeBufferPointer(start: start, count: end - start))
        }
    }

    private func end() {
        guard failure == nil, depth > 0 else { return }
        declarationCount -= Int(declarations.popLast() ?? 0)
        if itemDepth == 0 {
            skeleton.closeElement()
            isBehindItem = false
        } else {
            if !isItemTooLarge { item.closeElement() }
            if depth == itemDepth { endItem() }
        }
        depth -= 1
    }

    private func endItem() {
        itemDepth = 0
        isBehindItem = true
        if depth == 1 { skeleton.closeElement() }
        if isItemTooLarge {
            lose("too_large", "an item of more than \(itemLimit) bytes was left out")
        } else {
            onItem?(XMLNode(tree: item, index: 0))
        }
    }

    private func add(_ text: UnsafePointer<UInt8>?, _ count: Int32) {
        guard failure == nil, let text, depth > 0 else { return }
        let bytes = UnsafeBufferPointer(start: text, count: Int(count))
        if itemDepth == 0 {
            // Line ends between a million items are no part of the rest.
            if isBehindItem && bytes.allSatisfy(\.isXMLSpace) { return }
            guard skeleton.size + bytes.count <= skeletonLimit else { return failForSkeleton() }
            skeleton.addText(bytes)
        } else if !isItemTooLarge {
            isItemTooLarge = item.size + bytes.count > itemLimit
            if !isItemTooLarge { item.addText(bytes) }
        }
    }

    private func report(_ error: UnsafeMutablePointer<xmlError>?) {
        guard let error, visivent_xml_is_warning(error) == 0 else { return }
        if visivent_xml_lost_start_tag(error) != 0 { end() }
        if let message = error.pointee.message {
            note(Int(error.pointee.line), HTMLText.cleaned(String(cString: message)))
        }
    }

    // MARK: Trouble

    private var currentLine: Int32 { context.map { visivent_xml_line($0) } ?? 0 }

    private func note(_ line: Int, _ message: String) {
        guard problems.count < XMLCleaner.maximumProblems else { return }
        problems.append(XMLProblem(line: line, message: message))
    }

    /// Names the open item among those not passed on. Each takes many bytes of the document, so they are not many.
    private func lose(_ code: String, _ message: String) {
        lostItems.append(XMLProblem(line: itemLine, message: message, code: code))
    }

    private func failForNames() {
        fail("the document has more than \(XMLNames.limit) different names")
    }

    private func failForSkeleton() {
        fail("the document has more than \(skeletonLimit) bytes outside items")
    }

    private func fail(_ message: String) {
        failure = failure ?? ReadingError(code: "too_large", message: message, line: Int(currentLine))
        if let context { xmlStopParser(context) }
    }
}
