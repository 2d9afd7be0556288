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
            // The title of a message is the beginning of its text.
            let opening = text.hasSuffix("…") ? String(text.dropLast()) : text
            if summary.hasPrefix(opening) {
                text = summary
                titleLength = 0
                bodyStart = 0
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

    /// The beginning of the text up to the end of the lead, which has the same indices.
    var opening: String { String(text[..<leadEnd]) }
}
