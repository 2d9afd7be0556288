import CLibXML2

/// Elements in document order on the tape that libxml2 fills again and again; `cxml_tape` says how they lie there.
///
/// It is valid for as long as the `XMLContents` it comes from, and that of an item until the next item begins.
struct XMLTree {
    /// The names of the document.
    let names: UnsafeMutablePointer<XMLNames>
    private let tape: UnsafePointer<cxml_tape>

    init(_ tape: UnsafePointer<cxml_tape>, names: UnsafeMutablePointer<XMLNames>) {
        self.tape = tape
        self.names = names
    }

    /// Whether there is no element.
    var isEmpty: Bool { tape.pointee.node_count == 0 }

    // MARK: Elements

    /// A node.
    @inline(__always) func node(_ index: Int) -> cxml_node { tape.pointee.nodes[index] }

    /// The index after a node's last descendant.
    @inline(__always) func end(of index: Int) -> Int { Int(tape.pointee.nodes[index].end) }

    /// The line at which a node's start tag ends, from 1.
    func line(of index: Int) -> Int { Int(tape.pointee.nodes[index].line) }

    /// The number of a node's name.
    @inline(__always) func nameNumber(of index: Int) -> Int { Int(tape.pointee.nodes[index].name) }

    /// The name of a node.
    @inline(__always) func name(of index: Int) -> XMLNames.Name { names.pointee.all[nameNumber(of: index)] }

    // MARK: Text

    /// The text of a node with all its descendants.
    func text(of index: Int) -> UnsafeBufferPointer<UInt8> {
        let node = tape.pointee.nodes[index]
        return text(node.text_start, node.text_end)
    }

    /// A stretch of the text.
    func text(_ start: Int32, _ end: Int32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: tape.pointee.text + Int(start), count: Int(end - start))
    }

    // MARK: Attributes

    /// The places of a node's attributes.
    func attributes(of index: Int) -> Range<Int> {
        let isLast = index + 1 == tape.pointee.node_count
        let end = isLast ? tape.pointee.attribute_count : Int(tape.pointee.nodes[index + 1].attributes)
        return Int(tape.pointee.nodes[index].attributes)..<end
    }

    /// The number of the name of the attribute at a place.
    func attributeName(_ place: Int) -> Int { Int(tape.pointee.attributes[place].name) }

    /// The value of the attribute at a place.
    func value(_ place: Int) -> UnsafeBufferPointer<UInt8> {
        let attribute = tape.pointee.attributes[place]
        return UnsafeBufferPointer(
            start: tape.pointee.values + Int(attribute.start), count: Int(attribute.end - attribute.start))
    }
}
