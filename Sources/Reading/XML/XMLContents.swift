import CLibXML2

/// One pass of libxml2 over a document, and the memory of its trees and names. The skeleton's nodes are valid as long
/// as this object.
final class XMLContents {
    /// The target of libxml2's callbacks, behind a pointer that C can store.
    private struct Sink {
        let names: UnsafeMutablePointer<XMLNames>
        let itemBytes: Int
        /// The open item, or the last one.
        var item: XMLTree?
        var lostItems: [XMLProblem] = []
        var onItem: (XMLNode) -> Void = { _ in }

        /// Handles the end of an item.
        mutating func take(line: Int, isLost: Bool) {
            if isLost {
                let message = "an item of more than \(itemBytes) bytes was left out"
                lostItems.append(XMLProblem(line: line, message: message, code: "too_large"))
            } else if let item {
                onItem(XMLNode(owner: nil, tree: item, index: 0))
            }
        }
    }

    /// The names of both trees.
    private let names: UnsafeMutablePointer<XMLNames>
    private let sink: UnsafeMutablePointer<Sink>
    private let reader: OpaquePointer
    /// The content outside items. Open elements have no end before `close`.
    let skeleton: XMLTree

    /// Prepares a pass.
    /// - Parameters:
    ///   - skipped: The number of items at the start that an earlier pass has delivered.
    ///   - firstLine: The line of the root element's first byte.
    /// - Throws: `ReadingError` with code `out_of_memory`.
    init(
        itemNames: Set<String>, limits: XMLLimits, skipping skipped: Int, firstLine: Int
    ) throws(ReadingError) {
        let names = UnsafeMutablePointer<XMLNames>.allocate(capacity: 1)
        names.initialize(to: XMLNames(itemNames: itemNames))
        let sink = UnsafeMutablePointer<Sink>.allocate(capacity: 1)
        sink.initialize(to: Sink(names: names, itemBytes: limits.itemLimit))
        var settings = cxml_settings(
            depth: max(1, limits.depth), item_bytes: limits.itemLimit, skeleton_bytes: limits.skeletonLimit,
            items: max(0, limits.items), skipped_items: skipped,
            first_line: Int32(truncatingIfNeeded: firstLine), context: UnsafeMutableRawPointer(sink),
            on_name: { context, local, prefix, uri in
                context.assumingMemoryBound(to: Sink.self).pointee.names.pointee.add(
                    String(cString: local), prefix: prefix.map { String(cString: $0) } ?? "",
                    namespace: uri.map { String(cString: $0) } ?? "")
            },
            on_item: { context, line, isLost in
                context.assumingMemoryBound(to: Sink.self).pointee.take(line: Int(line), isLost: isLost)
            },
            goes_on: { _ in !WorkLimit.isExceeded },
            named_character: { name, count in
                guard count <= HTMLEntities.longestName else { return 0 }
                return HTMLEntities.scalar(named: UnsafeBufferPointer(start: name, count: count))?.value ?? 0
            },
            numbered_character: { code in HTMLEntities.scalar(numbered: code)?.value ?? 0xFFFD })
        guard let reader = cxml_reader_new(&settings) else {
            XMLContents.release(names, sink)
            throw ReadingError(code: "out_of_memory", message: "there is not enough memory to read the XML")
        }
        sink.pointee.item = XMLTree(cxml_reader_item(reader), names: names)
        skeleton = XMLTree(cxml_reader_skeleton(reader), names: names)
        self.names = names
        self.sink = sink
        self.reader = reader
    }

    deinit {
        cxml_reader_free(reader)
        XMLContents.release(names, sink)
    }

    private static func release(_ names: UnsafeMutablePointer<XMLNames>, _ sink: UnsafeMutablePointer<Sink>) {
        sink.deinitialize(count: 1)
        sink.deallocate()
        names.deinitialize(count: 1)
        names.deallocate()
    }

    // MARK: Reading

    /// Reads an unchanged document that begins with its root element.
    /// - Parameter cut: The size of libxml2's pieces in bytes, for tests; 0 lets libxml2's reader choose.
    func read(
        _ bytes: UnsafeBufferPointer<UInt8>, cut: Int, _ onItem: @escaping (XMLNode) -> Void
    ) -> cxml_state {
        guard let base = bytes.baseAddress else { return CXML_GOING }
        sink.pointee.onItem = onItem
        defer { sink.pointee.onItem = { _ in } }
        return cxml_reader_read(reader, base, bytes.count, cut)
    }

    /// Reads the output of the mender.
    func read(_ mender: inout XMLMender, _ onItem: @escaping (XMLNode) -> Void) -> cxml_state {
        sink.pointee.onItem = onItem
        defer { sink.pointee.onItem = { _ in } }
        var state = CXML_GOING
        while state == CXML_GOING, mender.mend() {
            if WorkLimit.isExceeded { return CXML_TOO_SLOW }
            state = mender.output.withUnsafeBufferPointer { piece in
                piece.baseAddress.map { cxml_reader_feed(reader, $0, piece.count) } ?? CXML_GOING
            }
        }
        return state == CXML_GOING ? cxml_reader_finish(reader) : state
    }

    // MARK: Results

    /// The number of items that have ended.
    var itemCount: Int { cxml_reader_item_count(reader) }

    /// The line that the pass has reached.
    var line: Int { Int(cxml_reader_line(reader)) }

    /// libxml2's error number for a refused document.
    var errorNumber: Int { Int(cxml_reader_error(reader)) }

    /// The end of an unchanged document: its offset, whether it is inside a comment, CDATA section or instruction, and
    /// the last byte of the innermost open element's start tag.
    var end: (offset: Int, isWithinSection: Bool, tagEnd: Int) {
        var isWithinSection = false
        let offset = cxml_reader_end(reader, &isWithinSection)
        return (offset, isWithinSection, cxml_reader_open_tag_end(reader))
    }

    /// The items that were not delivered, including an open one.
    var lostItems: [XMLProblem] {
        let line = Int(cxml_reader_open_item_line(reader))
        guard line > 0 else { return sink.pointee.lostItems }
        let message = "the document ends within this item, which was left out"
        return sink.pointee.lostItems + [XMLProblem(line: line, message: message, code: "truncated_item")]
    }

    /// The faults of names and namespace declarations.
    var problems: [XMLProblem] {
        var count = 0
        let first = cxml_reader_problems(reader, &count)
        return UnsafeBufferPointer(start: first, count: count).map { problem -> XMLProblem in
            let parts = [problem.prefix, problem.local].compactMap { $0.map { String(cString: $0) } }
            let name = XMLProblem.quoted(parts.joined(separator: ":").utf8)
            let message =
                switch problem.fault {
                case CXML_UNDECLARED_PREFIX: "the prefix of \(name) is not declared"
                case CXML_MISPLACED_COLON: XMLProblem.misplacedColon(name)
                case CXML_REPEATED_ATTRIBUTE: XMLProblem.repeated(name)
                default: "a namespace declaration that XML forbids was left out"
                }
            return XMLProblem(line: Int(problem.line), message: message)
        }
    }

    /// Closes the open elements of the skeleton and frees the memory that only reading needs.
    func close() { cxml_reader_close(reader) }
}
