/// An element of a document; a light handle.
///
/// A node of an item is valid only within the call that delivers it; nodes of the rest keep the document alive. Strings
/// are created on access.
public struct XMLNode {
    /// The owner of the tree. It is nil for nodes of items, which are numerous and need no reference counting.
    let owner: XMLContents?
    let tree: XMLTree
    let index: Int

    /// Passes the tree to `body` and keeps it alive meanwhile.
    @inline(__always) func look<Answer>(_ body: (XMLTree) -> Answer) -> Answer {
        withExtendedLifetime(owner) { body(tree) }
    }

    /// The local name, such as `pubDate`, with its prefix (`georss:point`) if the document does not declare it.
    public var name: String { look { $0.name(of: index).local } }

    /// The namespace URI, a known one in its usual spelling (`XMLNamespaces`); "" without a namespace.
    public var namespace: String { look { $0.name(of: index).namespace } }

    /// The number of name and namespace within the document. Numbers are small and dense from 0; attributes share them.
    /// Elements with the same number have the same `name` and `namespace`.
    public var nameNumber: Int { look { $0.nameNumber(of: index) } }

    /// The line in the document at which the start tag ends, from 1.
    public var line: Int { look { $0.line(of: index) } }

    // MARK: Text

    /// All character data of the element and its descendants, in order and untrimmed, with entities decoded; "" if
    /// there is none.
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

    /// Passes the bytes of `text`, well-formed UTF-8, without creating a `String`; they are valid only within the call.
    @inlinable public func withText<Answer>(_ body: (UnsafeBufferPointer<UInt8>) -> Answer) -> Answer {
        withExtendedLifetime(self) { body(textBytes) }
    }

    @usableFromInline var textBytes: UnsafeBufferPointer<UInt8> { look { $0.text(of: index) } }

    // MARK: Attributes

    /// Whether the element has attributes other than namespace declarations.
    public var hasAttributes: Bool { look { !$0.attributes(of: index).isEmpty } }

    /// The value of an attribute by local name and namespace, references decoded; nil when it is missing, "" when it is
    /// empty. Attributes without prefix have no namespace, which is the default.
    ///
    /// The first of repeated attributes counts.
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

    /// The child elements in order, created one by one; empty without any.
    public var children: XMLChildren {
        XMLChildren(owner: owner, tree: tree, position: index + 1, end: look { $0.end(of: index) })
    }

    /// The first child element with that local name, in that namespace, or in any if it is nil (the default); nil when
    /// there is none.
    ///
    /// An undeclared prefix that this element has, too, is ignored: `<rss:channel><rss:title>`.
    public func child(_ name: String, in namespace: String? = nil) -> XMLNode? {
        children.first { isNamed($0, name, in: namespace) }
    }

    /// All child elements with that local name, in that namespace, or in any if it is nil (the default); chosen as by
    /// `child(_:in:)`, in order.
    public func children(_ name: String, in namespace: String? = nil) -> [XMLNode] {
        children.filter { isNamed($0, name, in: namespace) }
    }

    /// All elements below this one with that local name, in any namespace and at any depth, in document order; matches
    /// inside matches are listed, too.
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

/// The child elements of an element, in order; valid as long as their parent.
public struct XMLChildren: Sequence, IteratorProtocol {
    let owner: XMLContents?
    let tree: XMLTree
    var position: Int
    let end: Int

    /// The next child element; nil after the last.
    public mutating func next() -> XMLNode? {
        guard position < end else { return nil }
        let node = XMLNode(owner: owner, tree: tree, index: position)
        position = node.look { $0.end(of: node.index) }
        return node
    }
}
