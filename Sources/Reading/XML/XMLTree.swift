/// Elements in document order in a few flat arrays, which are filled again and again without allocating.
///
/// All character data stands in one buffer in the order of the document, so the text of an element with all its
/// descendants is one stretch of it; an element's descendants are the nodes after it up to its `end`.
final class XMLTree {
    /// One element.
    struct Node {
        /// Number of its name.
        var name: Int32
        /// Line at which its start tag ends, from 1.
        var line: Int32
        /// Index after its last descendant.
        var end: Int32
        /// Index of its first attribute; they end where the next node's begin.
        var attributes: Int32
        /// Where its text begins in `text`.
        var textStart: Int32
        /// Where its text ends.
        var textEnd: Int32
    }

    /// One attribute.
    struct Attribute {
        /// Number of its name.
        var name: Int32
        /// Where its value begins in `values`.
        var start: Int32
        /// Where it ends.
        var end: Int32
    }

    let names: XMLNames
    private(set) var nodes: [Node] = []
    private(set) var attributes: [Attribute] = []
    private(set) var text: [UInt8] = []
    private(set) var values: [UInt8] = []
    private var openNodes: [Int32] = []

    init(names: XMLNames) { self.names = names }

    /// What the tree holds, in bytes.
    var size: Int { text.count + values.count + nodes.count * 24 + attributes.count * 12 }

    /// Empties the tree and keeps its memory.
    func reset() {
        nodes.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        openNodes.removeAll(keepingCapacity: true)
    }

    /// Opens an element inside the one that is open.
    func openElement(_ name: Int32, line: Int32) {
        let start = Int32(truncatingIfNeeded: text.count)
        openNodes.append(Int32(truncatingIfNeeded: nodes.count))
        nodes.append(
            Node(
                name: name, line: line, end: 0, attributes: Int32(truncatingIfNeeded: attributes.count),
                textStart: start, textEnd: start))
    }

    /// Adds an attribute to the element opened last.
    func addAttribute(_ name: Int32, _ value: UnsafeBufferPointer<UInt8>) {
        let start = Int32(truncatingIfNeeded: values.count)
        values.append(contentsOf: value)
        attributes.append(Attribute(name: name, start: start, end: Int32(truncatingIfNeeded: values.count)))
    }

    /// Adds character data to the open element.
    func addText(_ bytes: UnsafeBufferPointer<UInt8>) {
        text.append(contentsOf: bytes)
    }

    /// Closes the element that is open.
    func closeElement() {
        guard let index = openNodes.popLast() else { return }
        nodes[Int(index)].end = Int32(truncatingIfNeeded: nodes.count)
        nodes[Int(index)].textEnd = Int32(truncatingIfNeeded: text.count)
    }

    /// Closes all elements.
    func closeAll() {
        while !openNodes.isEmpty { closeElement() }
    }

    /// The attributes of a node.
    func attributes(of index: Int) -> ArraySlice<Attribute> {
        let next = index + 1 < nodes.count ? Int(nodes[index + 1].attributes) : attributes.count
        return attributes[Int(nodes[index].attributes)..<next]
    }

    /// The value of an attribute.
    func value(of attribute: Attribute) -> String {
        String(decoding: values[Int(attribute.start)..<Int(attribute.end)], as: UTF8.self)
    }
}
