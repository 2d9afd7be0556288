import CLibXML2

/// One pass of libxml2 over a document, and the memory of its trees and names. What holds it may use nodes of the
/// skeleton.
final class XMLContents {
    /// What libxml2's reader calls back to: behind a pointer, which C can hold.
    private struct Sink {
        let names: UnsafeMutablePointer<XMLNames>
        let itemBytes: Int
        /// The item that is open, or the last one.
        var item: XMLTree?
        var lostItems: [XMLProblem] = []
        var onItem: (XMLNode) -> Void = { _ in }

        /// The end of an item.
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
    /// Everything that is not in an item. Elements that are open have no end before `close`.
    let skeleton: XMLTree

    /// Prepares a pass.
    /// - Parameters:
    ///   - skipped: how many items at the beginning have been passed on before.
    ///   - firstLine: the line of the root element's first byte.
    /// - Throws: `out_of_memory`.
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

    /// Reads a document that begins with its root element, as it stands.
    /// - Parameter cut: 0, or in tests after how many bytes libxml2's pieces end.
    func read(
        _ bytes: UnsafeBufferPointer<UInt8>, cut: Int, _ onItem: @escaping (XMLNode) -> Void
    ) -> cxml_state {
        guard let base = bytes.baseAddress else { return CXML_GOING }
        sink.pointee.onItem = onItem
        defer { sink.pointee.onItem = { _ in } }
        return cxml_reader_read(reader, base, bytes.count, cut)
    }

    /// Reads what the mender makes of a document.
    func read(_ mender: inout XMLMender, _ onItem: @escaping (XMLNode) -> Void) -> cxml_state {
        sink.pointee.onItem = onItem
        defer { sink.pointee.onItem = { _ in } }
        var state = CXML_GOING
        while state == CXML_GOING, mender.mend() {
            state = mender.output.withUnsafeBufferPointer { piece in
                piece.baseAddress.map { cxml_reader_feed(reader, $0, piece.count) } ?? CXML_GOING
            }
        }
        return state == CXML_GOING ? cxml_reader_finish(reader) : state
    }

    // MARK: What came of it

    /// How many items have ended.
    var itemCount: Int { cxml_reader_item_count(reader) }

    /// The line that has been reached.
    var line: Int { Int(cxml_reader_line(reader)) }

    /// libxml2's number for what made it refuse the document.
    var errorNumber: Int { Int(cxml_reader_error(reader)) }

    /// Where the document that was read as it stands ends, whether that is within a comment, CDATA section or
    /// instruction, and the last byte of the innermost open element's start tag.
    var end: (offset: Int, isWithinSection: Bool, tagEnd: Int) {
        var isWithinSection = false
        let offset = cxml_reader_end(reader, &isWithinSection)
        return (offset, isWithinSection, cxml_reader_open_tag_end(reader))
    }

    /// Items that were not passed on, with the one that is open.
    var lostItems: [XMLProblem] {
        let line = Int(cxml_reader_open_item_line(reader))
        guard line > 0 else { return sink.pointee.lostItems }
        let message = "the document ends within this item, which was left out"
        return sink.pointee.lostItems + [XMLProblem(line: line, message: message, code: "truncated_item")]
    }

    /// What is wrong with names.
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

    /// Closes what is open in the skeleton, and frees what only reading needs.
    func close() { cxml_reader_close(reader) }
}
