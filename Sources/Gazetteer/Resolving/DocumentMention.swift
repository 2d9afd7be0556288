/// A name in a document that is to be resolved.
struct DocumentMention {
    /// Position of the name in the text.
    let range: Range<String.Index>
    /// The name as written and folded.
    let name: MentionName
    /// The possible meanings.
    let candidates: [PlaceCandidate]
    /// Whether there may be more homonyms than were read.
    let isCut: Bool
    /// Areas after the name, each after a comma or an opening bracket.
    let qualifiers: [AreaHit]

    /// Key of the mentions that share a meaning; names of two or three letters must be written alike.
    var group: String { name.folded.utf8.count <= 3 ? "\(name.folded) \(name.isAbbreviation)" : name.folded }

    /// The meaning of a mention.
    enum Verdict {
        /// The place and its confidence (`Confidence`).
        case place(Place, Double)
        /// No place, and why.
        case nothing(Abstention)
    }
}
