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
        var text = event.title
        var titleLength = text.utf8.count
        var bodyStart = titleLength
        if let summary = event.summary, !summary.isEmpty {
            // A title may be the beginning of the text; that of a message always is.
            let opening = text.hasSuffix("…") ? String(text.dropLast()) : text
            if summary.hasPrefix(opening) {
                text = summary
                titleLength = event.category == Category.message.rawValue ? 0 : min(titleLength, text.utf8.count)
                bodyStart = titleLength
            } else {
                text += "\n\n" + summary
                bodyStart += 2
            }
        }
        titleEnd = text.utf8.index(text.startIndex, offsetBy: titleLength)
        body = text.utf8.index(text.startIndex, offsetBy: bodyStart)
        // Long texts name further places later on, where the event is not.
        leadEnd = text.utf8.index(titleEnd, offsetBy: EventPlaces.lead, limitedBy: text.endIndex) ?? text.endIndex
        self.text = text
    }

    /// Whether the title puts the event only somewhere about a place that it names: near or off it, or it is an
    /// earthquake, whose epicentre the text may measure from there.
    func isVague(_ name: Range<String.Index>) -> Bool {
        let title = text[..<titleEnd].split { !$0.isLetter }.map { $0.lowercased() }
        let before = text[..<name.lowerBound].split { !$0.isLetter }.last?.lowercased()
        return ["around", "near", "off", "outside"].contains(before ?? "")
            || title.contains {
                ["earthquake", "quake", "tremor", "aftershock", "epicenter", "epicentre"].contains($0)
            }
    }

    /// The beginning of the text up to the end of the lead, which has the same indices.
    var opening: String { String(text[..<leadEnd]) }
}
