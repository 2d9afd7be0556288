/// A name in a document that was asked for.
struct DocumentMention {
    /// Where it stands.
    let range: Range<String.Index>
    /// The name.
    let name: MentionName
    /// What it may mean.
    let candidates: [PlaceCandidate]
    /// Whether there may be more homonyms than were read.
    let isCut: Bool
    /// Areas behind it, each after a comma or an opening bracket.
    let qualifiers: [AreaHit]

    /// Names of two or three letters are one name only if written alike.
    var group: String { name.folded.utf8.count <= 3 ? "\(name.folded) \(name.isAbbreviation)" : name.folded }

    /// What it means.
    enum Verdict {
        /// The place, and how sure that is (`Confidence`).
        case place(Place, Double)
        /// No place.
        case nothing(Abstention)
    }
}
