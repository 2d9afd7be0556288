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
    /// Whether there may be more homonyms than were read.
    let isCut: Bool
    /// Whether words of the name were left out to find them.
    let isShortened: Bool
    /// Areas after the name, each after a comma or an opening bracket.
    let qualifiers: [AreaHit]
    /// What the text around it says; nil: the caller gives the name.
    let scanned: MentionScan.Mention?
    /// The areas after it.
    var areaBehind = AreaBehind.none

    /// Key of the mentions that share a meaning; names of two or three letters must be written alike.
    var group: String { name.folded.utf8.count <= 3 ? "\(name.folded) \(name.isAbbreviation)" : name.folded }

    /// Whether no rule refuses it as a place.
    var isPlace: Bool { scanned.map { $0.refusal == nil } ?? true }
}

/// A candidate with what is known of it.
public struct ScoredCandidate {
    /// The possible place.
    public let place: Place
    let form: PlaceCandidate.Form
    let features: PlaceFeatures
    /// Probability that the mention means it.
    public var probability = 0.0

    /// The features that are not 0, with the part of the score that each is.
    public var shares: [(name: String, value: Double, share: Double)] {
        PlaceFeature.allCases.filter { features[$0] != 0 }.map {
            ("\($0)", features[$0], features[$0] * PlaceScorer.weights[$0.rawValue])
        }
    }
}
