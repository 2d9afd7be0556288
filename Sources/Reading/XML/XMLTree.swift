import CLibXML2

/// Elements in document order on libxml2's reused tape; `cxml_tape` describes the layout.
///
/// It is valid as long as its `XMLContents`; an item's tree only until the next item begins.
struct XMLTree {
    let names: UnsafeMutablePointer<XMLNames>
    private let tape: UnsafePointer<cxml_tape>

    init(_ tape: UnsafePointer<cxml_tape>, names: UnsafeMutablePointer<XMLNames>) {
        self.tape = tape
        self.names = names
    }

    var isEmpty: Bool { tape.pointee.node_count == 0 }

    // MARK: Elements

    @inline(__always) func node(_ index: Int) -> cxml_node { tape.pointee.nodes[index] }

    /// The index after a node's last descendant.
    @inline(__always) func end(of index: Int) -> Int { Int(tape.pointee.nodes[index].end) }

    /// The line at which a node's start tag ends, from 1.
    func line(of index: Int) -> Int { Int(tape.pointee.nodes[index].line) }

    @inline(__always) func nameNumber(of index: Int) -> Int { Int(tape.pointee.nodes[index].name) }

    @inline(__always) func name(of index: Int) -> XMLNames.Name { names.pointee.all[nameNumber(of: index)] }

    // MARK: Text

    /// The text of a node and all its descendants.
    func text(of index: Int) -> UnsafeBufferPointer<UInt8> {
        let node = tape.pointee.nodes[index]
        return text(node.text_start, node.text_end)
    }

    /// A range of the text.
    func text(_ start: Int32, _ end: Int32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: tape.pointee.text + Int(start), count: Int(end - start))
    }

    // MARK: Attributes

    /// The indices of a node's attributes.
    func attributes(of index: Int) -> Range<Int> {
        let isLast = index + 1 == tape.pointee.node_count
        let end = isLast ? tape.pointee.attribute_count : Int(tape.pointee.nodes[index + 1].attributes)
        return Int(tape.pointee.nodes[index].attributes)..<end
    }

    /// The number of the name of the attribute at an index.
    func attributeName(_ place: Int) -> Int { Int(tape.pointee.attributes[place].name) }

    /// The value of the attribute at an index.
    func value(_ place: Int) -> UnsafeBufferPointer<UInt8> {
        let attribute = tape.pointee.attributes[place]
        return UnsafeBufferPointer(
            start: tape.pointee.values + Int(attribute.start), count: Int(attribute.end - attribute.start))
    }
}
