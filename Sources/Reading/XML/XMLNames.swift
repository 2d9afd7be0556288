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
        /// Whether elements of this name are items.
        let isItem: Bool
    }

    /// More distinct names than this are no feed but an attack on memory.
    static let limit = 20_000

    /// By number.
    private(set) var all: [Name] = []
    private let itemNames: Set<String>
    private var numbers: [Key: Int32] = [:]
    private var namespaces: [String] = [""]
    private var namespaceNumbers: [String: Int32] = ["": 0]

    private struct Key: Hashable {
        var namespace: Int32
        var local: String
    }

    init(itemNames: Set<String>) { self.itemNames = itemNames }

    /// The number of a namespace; that of "" is 0. To be asked for names only, which limit it, for URIs can be long.
    mutating func namespace(_ uri: String) -> Int32 {
        if let known = namespaceNumbers[uri] { return known }
        let number = Int32(namespaces.count)
        namespaces.append(uri)
        namespaceNumbers[uri] = number
        return number
    }

    /// The number of a name; nil when there are too many names.
    /// - Parameters:
    ///   - bare: the name without prefix.
    ///   - prefix: the prefix when it is undeclared, else "".
    ///   - namespace: the number of the namespace.
    mutating func number(_ bare: String, prefix: String, namespace: Int32) -> Int32? {
        let local = prefix.isEmpty ? bare : prefix + ":" + bare
        let key = Key(namespace: namespace, local: local)
        if let known = numbers[key] { return known }
        guard all.count < Self.limit else { return nil }
        let number = Int32(all.count)
        numbers[key] = number
        all.append(
            Name(
                local: local, namespace: namespaces[Int(namespace)], prefix: prefix, bare: bare,
                isItem: itemNames.contains(bare)))
        return number
    }
}
