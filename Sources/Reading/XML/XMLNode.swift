/// An element of a document; a light handle.
///
/// A node of an item is valid only within the call that it came with. Strings are made on access.
public struct XMLNode {
    /// What keeps the tree; nil for nodes of items, which are many and copied often, and need not be counted.
    let owner: XMLContents?
    let tree: XMLTree
    let index: Int

    /// The tree, kept for as long as `body` looks at it.
    @inline(__always) func look<Answer>(_ body: (XMLTree) -> Answer) -> Answer {
        withExtendedLifetime(owner) { body(tree) }
    }

    /// Local name, such as `pubDate`; with its prefix (`georss:point`) when the document does not declare that.
    public var name: String { look { $0.name(of: index).local } }

    /// Namespace URI; "" when there is none.
    public var namespace: String { look { $0.name(of: index).namespace } }

    /// Number of name and namespace within the document: small, and dense from 0 together with those of attributes.
    /// Two elements have the same number if and only if they have the same `name` and `namespace`.
    public var nameNumber: Int { look { $0.nameNumber(of: index) } }

    /// Line in the document at which the start tag ends, from 1.
    public var line: Int { look { $0.line(of: index) } }

    // MARK: Text

    /// All character data of the element and its descendants in order, untrimmed; entities are decoded.
    public var text: String { withText { String(decoding: $0, as: UTF8.self) } }

    /// `text` without white space (space, tab, line ends) at both ends; nil when nothing is left.
    public var trimmed: String? {
        withText { bytes in
            var start = 0
            var end = bytes.count
            while start < end, bytes[start].isXMLSpace { start += 1 }
            while end > start, bytes[end - 1].isXMLSpace { end -= 1 }
            return start == end ? nil : String(decoding: bytes[start..<end], as: UTF8.self)
        }
    }

    /// Passes the bytes of `text`, well-formed UTF-8, on without making a `String`; they are valid within the call.
    @inlinable public func withText<Answer>(_ body: (UnsafeBufferPointer<UInt8>) -> Answer) -> Answer {
        withExtendedLifetime(self) { body(textBytes) }
    }

    @usableFromInline var textBytes: UnsafeBufferPointer<UInt8> { look { $0.text(of: index) } }

    // MARK: Attributes

    /// Whether the element has attributes; namespace declarations are none.
    public var hasAttributes: Bool { look { !$0.attributes(of: index).isEmpty } }

    /// The value of an attribute by local name and namespace; an attribute without prefix has none.
    ///
    /// Of an attribute given twice the first counts.
    public func attribute(_ name: String, namespace: String = "") -> String? {
        look { tree in
            for place in tree.attributes(of: index) {
                let number = tree.attributeName(place)
                if tree.names.pointee.all[number].local == name,
                    tree.names.pointee.all[number].namespace == namespace
                {
                    return String(decoding: tree.value(place), as: UTF8.self)
                }
            }
            return nil
        }
    }

    // MARK: Elements inside

    /// Whether the element contains other elements.
    public var containsElements: Bool { look { $0.end(of: index) > index + 1 } }

    /// The child elements in order.
    public var children: XMLChildren {
        XMLChildren(owner: owner, tree: tree, position: index + 1, end: look { $0.end(of: index) })
    }

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
        for below in index + 1..<max(index + 1, look { $0.end(of: index) }) {
            let descendant = XMLNode(owner: owner, tree: tree, index: below)
            if isNamed(descendant, name, in: nil) { found.append(descendant) }
        }
        return found
    }

    private func isNamed(_ other: XMLNode, _ name: String, in namespace: String?) -> Bool {
        look { tree in
            let known = tree.name(of: other.index)
            guard namespace == nil || known.namespace == namespace else { return false }
            if known.local == name { return true }
            return !known.prefix.isEmpty && known.bare == name
                && known.prefix == tree.name(of: index).prefix
        }
    }
}

/// The child elements of an element, in order.
public struct XMLChildren: Sequence, IteratorProtocol {
    let owner: XMLContents?
    let tree: XMLTree
    var position: Int
    let end: Int

    public mutating func next() -> XMLNode? {
        guard position < end else { return nil }
        let node = XMLNode(owner: owner, tree: tree, index: position)
        position = node.look { $0.end(of: node.index) }
        return node
    }
}
