/// A name, prepared for the search.
struct MatchedName {
    /// The words of the text.
    let text: String
    /// The key of the folded name.
    let key: NameKey
    /// The folded name; may be shorter than `text`.
    let folded: [UInt8]
}
