/// The names of one document's elements and attributes, each made into a `String` once.
///
/// One number stands for one name, whatever the prefix it was written with; two undeclared prefixes make two names.
struct XMLNames {
    /// One name.
    struct Name {
        /// Local name; with its prefix when that is undeclared.
        let local: String
        /// Namespace URI or "".
        let namespace: String
        /// The prefix when it is undeclared, else "".
        let prefix: String
        /// `local` without that prefix.
        let bare: String
    }

    /// By number.
    private(set) var all: [Name] = []
    private let itemNames: Set<String>

    init(itemNames: Set<String>) { self.itemNames = itemNames }

    /// Gives a name the next number, and says whether elements of this name are items.
    /// - Parameters:
    ///   - bare: the name without prefix.
    ///   - prefix: the prefix when it is undeclared, else "".
    ///   - namespace: the namespace's URI or "".
    mutating func add(_ bare: String, prefix: String, namespace: String) -> Bool {
        let local = prefix.isEmpty ? bare : prefix + ":" + bare
        all.append(Name(local: local, namespace: namespace, prefix: prefix, bare: bare))
        return itemNames.contains(bare)
    }
}
