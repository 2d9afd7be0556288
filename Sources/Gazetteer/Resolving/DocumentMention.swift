/// A name in a document that is to be resolved.
struct DocumentMention {
    /// The areas behind a name, as they concern its candidates.
    enum AreaBehind {
        /// None follows.
        case none
        /// These candidates lie in it; none do if the table lacks the town.
        case inside(Set<String>)
        /// These candidates lie in it, but name and area may be a list.
        case listed(Set<String>)
    }

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
    /// The areas after it.
    var areaBehind = AreaBehind.none

    /// Key of the mentions that share a meaning; names of two or three letters must be written alike.
    var group: String { name.folded.utf8.count <= 3 ? "\(name.folded) \(name.isAbbreviation)" : name.folded }

    /// Whether its area is the name at this position: `Paris, Texas, …`.
    func isInside(_ area: Range<String.Index>) -> Bool {
        guard case .inside = areaBehind else { return false }
        return qualifiers.first?.range.lowerBound == area.lowerBound
    }

    /// Whether no rule speaks against a place.
    var isPlace: Bool { scanned.map { $0.refusal == nil } ?? true }
}
