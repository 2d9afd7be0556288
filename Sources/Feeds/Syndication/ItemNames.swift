import Reading

/// The meanings of element names in one document, looked up once for each name instead of each element.
struct ItemNames {
    /// The meaning of one name. It has no String, since each use would copy it and count references.
    struct Name {
        /// The event field that it fills.
        let field: ItemField
        /// The vocabulary of the name.
        let vocabulary: FeedVocabulary
        /// The number of the enclosing item's name; the meaning depends on it.
        fileprivate let item: Int
    }

    /// Meanings by the number of the element's name.
    private var known: [Name?] = []
    /// Local names by the same numbers.
    private var locals: [String] = []

    /// The meaning of a child element of an item.
    mutating func name(of child: XMLNode, in item: XMLNode) -> Name {
        let number = child.nameNumber
        if number < known.count, let name = known[number], name.item == item.nameNumber { return name }
        let (vocabulary, local) = FeedVocabulary.of(child, in: item)
        let name = Name(field: ItemField(vocabulary, local), vocabulary: vocabulary, item: item.nameNumber)
        while known.count <= number {
            known.append(nil)
            locals.append("")
        }
        known[number] = name
        locals[number] = local
        return name
    }

    /// The local name of an element that was passed to `name(of:in:)` before.
    func local(of child: XMLNode) -> String { locals[child.nameNumber] }
}
