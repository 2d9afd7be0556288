/// Elements in document order in a few flat arrays, which are filled again and again without allocating.
///
/// All character data stands in one buffer in the order of the document, so the text of an element with all its
/// descendants is one stretch of it; an element's descendants are the nodes after it up to its `end`.
struct XMLTree {
    /// One element.
    struct Node {
        /// Number of its name.
        var name: Int32
        /// Line at which its start tag ends, from 1.
        var line: Int32
        /// Index after its last descendant; while it is open, the index of its parent, or -1.
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

    /// The names of the document.
    let names: UnsafeMutablePointer<XMLNames>
    private(set) var nodes: [Node] = []
    private(set) var attributes: [Attribute] = []
    /// All character data.
    var text = XMLBytes()
    /// All values of attributes.
    var values = XMLBytes()
    /// The element that is open; -1: none.
    private var openNode: Int32 = -1

    init(names: UnsafeMutablePointer<XMLNames>) { self.names = names }

    /// What the tree holds, in bytes.
    var size: Int { text.count + values.count + nodes.count * 24 + attributes.count * 12 }

    /// Empties the tree and keeps its memory.
    mutating func reset() {
        nodes.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        text.count = 0
        values.count = 0
        openNode = -1
    }

    /// Frees what the tree does not free by itself.
    func deallocate() {
        text.deallocate()
        values.deallocate()
    }

    // MARK: Growing

    /// Opens an element inside the one that is open.
    mutating func openElement(_ name: Int32, line: Int) {
        let start = Int32(truncatingIfNeeded: text.count)
        let index = Int32(truncatingIfNeeded: nodes.count)
        nodes.append(
            Node(
                name: name, line: Int32(truncatingIfNeeded: line), end: openNode,
                attributes: Int32(truncatingIfNeeded: attributes.count), textStart: start, textEnd: start))
        openNode = index
    }

    /// Adds an attribute to the element opened last; its value is what `values` holds from `start` on.
    mutating func addAttribute(_ name: Int32, from start: Int) {
        attributes.append(
            Attribute(
                name: name, start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: values.count)))
    }

    /// Opens an element like another tree's first, with its attributes.
    mutating func openElement(like other: XMLTree) {
        guard let first = other.nodes.first else { return }
        openElement(first.name, line: Int(first.line))
        for attribute in other.attributes[other.attributes(of: 0)] {
            let start = values.count
            values.append(other.value(of: attribute))
            addAttribute(attribute.name, from: start)
        }
    }

    /// Closes the element that is open.
    mutating func closeElement() {
        guard openNode >= 0 else { return }
        let index = Int(openNode)
        openNode = nodes[index].end
        nodes[index].end = Int32(truncatingIfNeeded: nodes.count)
        nodes[index].textEnd = Int32(truncatingIfNeeded: text.count)
    }

    /// Closes all elements.
    mutating func closeAll() {
        while openNode >= 0 { closeElement() }
    }

    // MARK: Reading

    /// The name of a node.
    @inline(__always) func name(of index: Int) -> XMLNames.Name { names.pointee.all[Int(nodes[index].name)] }

    /// The text of a node.
    func text(of index: Int) -> UnsafeBufferPointer<UInt8> {
        text.stretch(nodes[index].textStart, nodes[index].textEnd)
    }

    /// Where in `attributes` those of a node stand.
    func attributes(of index: Int) -> Range<Int> {
        let next = index + 1 < nodes.count ? Int(nodes[index + 1].attributes) : attributes.count
        return Int(nodes[index].attributes)..<next
    }

    /// The value of an attribute.
    func value(of attribute: Attribute) -> UnsafeBufferPointer<UInt8> {
        values.stretch(attribute.start, attribute.end)
    }
}
