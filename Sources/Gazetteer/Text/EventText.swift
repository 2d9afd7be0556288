import Model

/// Title and summary of an event in one text, with an empty line between.
struct EventText {
    let text: String
    /// The end of the title.
    let titleEnd: String.Index
    /// The beginning of the summary.
    let body: String.Index
    /// The end of the lead (`EventPlaces.lead`).
    let leadEnd: String.Index

    init(_ event: UnlocatedEvent) {
        let summary = event.summary ?? ""
        // A title may be the beginning of the text; that of a message always is.
        let opening = event.title.hasSuffix("…") ? String(event.title.dropLast()) : event.title
        if !summary.isEmpty, summary.hasPrefix(opening) {
            text = summary
            // Texts that `hasPrefix` finds equal may differ in length.
            let isMessage = event.category == Category.message.rawValue
            let length = isMessage ? 0 : opening.count
            titleEnd = text.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
            body = titleEnd
        } else {
            text = summary.isEmpty ? event.title : event.title + "\n\n" + summary
            titleEnd = text.utf8.index(text.startIndex, offsetBy: event.title.utf8.count)
            body = text.utf8.index(titleEnd, offsetBy: 2, limitedBy: text.endIndex) ?? text.endIndex
        }
        // Long texts name further places later on, where the event is not.
        leadEnd = text.utf8.index(titleEnd, offsetBy: EventPlaces.lead, limitedBy: text.endIndex) ?? text.endIndex
    }

    /// Whether the title puts the event only somewhere about a place that it names: near or off it, or it is an
    /// earthquake, whose epicentre the text may measure from there.
    func isOnlyAbout(_ name: Range<String.Index>) -> Bool {
        let title = text[..<titleEnd].split { !$0.isLetter }.map { $0.lowercased() }
        let before = text[..<name.lowerBound].split { !$0.isLetter }.last?.lowercased()
        return MeasuredDistance.about.contains(before ?? "") || title.contains { MeasuredDistance.quakes.contains($0) }
    }

    /// The beginning of the text up to the end of the lead, which has the same indices.
    var opening: String { String(text[..<leadEnd]) }
}
