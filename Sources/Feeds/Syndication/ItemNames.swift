import Reading

/// What the elements of one document's items mean, found out once for each name rather than for each element.
struct ItemNames {
    /// One name.
    struct Name {
        /// What it gives to the event.
        let field: ItemField
        /// Where it comes from.
        let vocabulary: FeedVocabulary
        /// The name in its vocabulary.
        let local: String
        /// Number of the item's name, on which the meaning depends.
        fileprivate let item: Int
    }

    /// By number of the element's name.
    private var known: [Name?] = []

    /// The meaning of a child element of an item.
    mutating func name(of child: XMLNode, in item: XMLNode) -> Name {
        let number = child.nameNumber
        if number < known.count, let name = known[number], name.item == item.nameNumber { return name }
        let (vocabulary, local) = FeedVocabulary.of(child, in: item)
        let name = Name(
            field: ItemField(vocabulary, local), vocabulary: vocabulary, local: local, item: item.nameNumber)
        while known.count <= number { known.append(nil) }
        known[number] = name
        return name
    }
}
