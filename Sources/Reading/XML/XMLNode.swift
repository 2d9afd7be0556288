/// An element of a document; a light handle.
///
/// A node of an item is valid only within the call that it came with. Strings are made on access.
public struct XMLNode {
    let tree: XMLTree
    let index: Int

    private var node: XMLTree.Node { tree.nodes[index] }

    /// Local name, such as `pubDate`; with its prefix (`georss:point`) when the document does not declare that.
    public var name: String { tree.names[node.name].local }

    /// Namespace URI; "" when there is none.
    public var namespace: String { tree.names[node.name].namespace }

    /// Line in the document at which the start tag ends, from 1.
    public var line: Int { Int(node.line) }

    /// All character data of the element and its descendants in order, untrimmed; entities are decoded.
    public var text: String {
        String(decoding: tree.text[Int(node.textStart)..<Int(node.textEnd)], as: UTF8.self)
    }

    /// `text` without white space (space, tab, line ends) at both ends; nil when nothing is left.
    public var trimmed: String? {
        var bytes = tree.text[Int(node.textStart)..<Int(node.textEnd)]
        while let byte = bytes.first, byte.isXMLSpace { bytes = bytes.dropFirst() }
        while let byte = bytes.last, byte.isXMLSpace { bytes = bytes.dropLast() }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The value of an attribute by local name and namespace; an attribute without prefix has none.
    ///
    /// Of an attribute given twice the first counts.
    public func attribute(_ name: String, namespace: String = "") -> String? {
        for attribute in tree.attributes(of: index) {
            let known = tree.names[attribute.name]
            if known.local == name && known.namespace == namespace { return tree.value(of: attribute) }
        }
        return nil
    }

    /// The child elements in order.
    public var children: XMLChildren { XMLChildren(tree: tree, position: index + 1, end: Int(node.end)) }

    /// The first child element of that local name, in that namespace or, with nil, in any.
    ///
    /// An undeclared prefix does not count where this element has the same: `<rss:channel><rss:title>`.
    public func child(_ name: String, in namespace: String? = nil) -> XMLNode? {
        children.first { isNamed($0, name, in: namespace) }
    }

    /// All child elements of that local name, in that namespace or, with nil, in any.
    public func children(_ name: String, in namespace: String? = nil) -> [XMLNode] {
        children.filter { isNamed($0, name, in: namespace) }
    }

    /// All elements of that local name below this one, in order.
    public func descendants(_ name: String) -> [XMLNode] {
        var found: [XMLNode] = []
        for below in index + 1..<max(index + 1, Int(node.end)) {
            let descendant = XMLNode(tree: tree, index: below)
            if isNamed(descendant, name, in: nil) { found.append(descendant) }
        }
        return found
    }

    /// The element's content as XML text, for XHTML text constructs (RFC 4287 §3.1.1.3).
    ///
    /// Elements and attributes are written by local name, without namespaces, comments and processing instructions.
    public var markup: String {
        var out: [UInt8] = []
        writeContent(to: &out, escapesText: true)
        return String(decoding: out, as: UTF8.self)
    }

    /// As `markup`, with the text left as it is: HTML of which a part was not escaped.
    ///
    /// A tag that is none in XML (`<img src=x>`) has been taken as text and is a tag again here.
    public var html: String {
        var out: [UInt8] = []
        writeContent(to: &out, escapesText: false)
        return String(decoding: out, as: UTF8.self)
    }

    private func isNamed(_ other: XMLNode, _ name: String, in namespace: String?) -> Bool {
        let known = tree.names[other.node.name]
        guard namespace == nil || known.namespace == namespace else { return false }
        if known.local == name { return true }
        return !known.prefix.isEmpty && known.bare == name && known.prefix == tree.names[node.name].prefix
    }

    private func writeContent(to out: inout [UInt8], escapesText: Bool) {
        func write(_ text: ArraySlice<UInt8>) {
            if escapesText { out.append(escaping: text) } else { out.append(contentsOf: text) }
        }
        var position = Int(node.textStart)
        for child in children {
            write(tree.text[position..<Int(child.node.textStart)])
            position = Int(child.node.textEnd)
            let name = child.name
            out.append(UInt8(ascii: "<"))
            out.append(contentsOf: name.utf8)
            for attribute in tree.attributes(of: child.index) {
                out.append(UInt8(ascii: " "))
                out.append(contentsOf: tree.names[attribute.name].local.utf8)
                out.append(contentsOf: "=\"".utf8)
                out.append(escaping: tree.values[Int(attribute.start)..<Int(attribute.end)])
                out.append(UInt8(ascii: "\""))
            }
            guard Int(child.node.end) > child.index + 1 || child.node.textEnd > child.node.textStart else {
                out.append(contentsOf: "/>".utf8)
                continue
            }
            out.append(UInt8(ascii: ">"))
            child.writeContent(to: &out, escapesText: escapesText)
            out.append(contentsOf: "</".utf8)
            out.append(contentsOf: name.utf8)
            out.append(UInt8(ascii: ">"))
        }
        write(tree.text[position..<Int(node.textEnd)])
    }
}

/// The child elements of an element, in order.
public struct XMLChildren: Sequence, IteratorProtocol {
    let tree: XMLTree
    var position: Int
    let end: Int

    public mutating func next() -> XMLNode? {
        guard position < end else { return nil }
        defer { position = Int(tree.nodes[position].end) }
        return XMLNode(tree: tree, index: position)
    }
}

extension UInt8 {
    /// Whether it is white space of XML (XML 1.0 §2.3).
    var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D }
}

extension [UInt8] {
    /// Appends text with `&`, `<`, `>` and `"` as references.
    fileprivate mutating func append(escaping text: ArraySlice<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "\""): append(contentsOf: "&quot;".utf8)
            default: append(byte)
            }
        }
    }
}
