/// A name in a document that is to be resolved.
struct DocumentMention {
    /// Position of the name in the text.
    let range: Range<String.Index>
    /// The name as written and folded.
    let name: MentionName
    /// The possible meanings.
    let candidates: [PlaceCandidate]
    /// Areas after the name, each after a comma or an opening bracket.
    let qualifiers: [AreaHit]
    /// What the text around it says; nil: the caller gives the name.
    let scanned: MentionScan.Mention?
    /// The candidates inside the area after it, none of them if the table lacks the town; nil if no area follows, or name
    /// and area are rather a list.
    var inside: Set<String>?

    /// Key of the mentions that share a meaning; names of two or three letters must be written alike.
    var group: String { name.folded.utf8.count <= 3 ? "\(name.folded) \(name.isAbbreviation)" : name.folded }

    /// Whether its area is the name at this position: `Paris, Texas, …`.
    func isInside(_ area: Range<String.Index>) -> Bool {
        inside != nil && qualifiers.first?.range.lowerBound == area.lowerBound
    }

    /// Whether no rule speaks against a place.
    var isPlace: Bool { scanned.map { $0.refusal == nil } ?? true }
}
