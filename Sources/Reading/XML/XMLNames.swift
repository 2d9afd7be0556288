/// The names of one document's elements and attributes, each converted to a `String` once.
///
/// A name has one number, whatever prefix it is written with. Two undeclared prefixes make two names, and so do two
/// spellings of a namespace.
struct XMLNames {
    struct Name {
        /// The local name, with its prefix if that is undeclared.
        let local: String
        /// The namespace URI in its usual spelling (`XMLNamespaces`), or "".
        let namespace: String
        /// The prefix if it is undeclared, else "".
        let prefix: String
        /// `local` without that prefix.
        let bare: String
    }

    /// The names by number.
    private(set) var all: [Name] = []
    private let itemNames: Set<String>

    init(itemNames: Set<String>) { self.itemNames = itemNames }

    /// Assigns the next number to a name and returns whether elements of this name are items.
    /// - Parameters:
    ///   - bare: The name without prefix.
    ///   - prefix: The prefix if it is undeclared, else "".
    ///   - namespace: The namespace URI as written, or "".
    mutating func add(_ bare: String, prefix: String, namespace: String) -> Bool {
        let local = prefix.isEmpty ? bare : prefix + ":" + bare
        let namespace = namespace.isEmpty ? "" : XMLNamespaces.usual(namespace)
        all.append(Name(local: local, namespace: namespace, prefix: prefix, bare: bare))
        return itemNames.contains(bare)
    }
}
