/// A name with what the search needs of it.
struct MatchedName {
    /// The text that it comes from.
    let text: String
    /// The key of the folded name.
    let key: NameKey
    /// The folded name, which may be less than the text says.
    let folded: [UInt8]
}
