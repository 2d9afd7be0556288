import Reading

/// What the elements of one document's items mean, found out once for each name rather than for each element.
struct ItemNames {
    /// One name, without its text: it is asked for with each element, and a String is counted with each copy.
    struct Name {
        /// What it gives to the event.
        let field: ItemField
        /// Where it comes from.
        let vocabulary: FeedVocabulary
        /// Number of the item's name, on which the meaning depends.
        fileprivate let item: Int
    }

    /// By number of the element's name.
    private var known: [Name?] = []
    /// By the same numbers, the names in their vocabularies.
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

    /// The name of an element in its vocabulary, whose meaning was asked for before.
    func local(of child: XMLNode) -> String { locals[child.nameNumber] }
}
