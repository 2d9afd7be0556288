public import Model
import Reading

extension EventDetails {
    /// The details as one JSON object on one line: the members of `StoredEvent.json`, then `erased`,
    /// `merged_public_ids`, `unlocated` and `correction` where they apply, `sightings` and `history`.
    ///
    /// A change has `from` and `to`, which are null for no value. It has no `to` if the new value is not known.
    public var json: String {
        var writer = JSONWriter()
        writer.members(of: stored)
        if stored.isErased { writer.member("erased", true) }
        writer.member("merged_public_ids", mergedIDs)
        if let search { writer.member("unlocated", raw: search.json) }
        if let correction { writer.member("correction", raw: correction.json) }
        writer.member("sightings", raw: sightingsJSON)
        writer.member("history", raw: historyJSON)
        return writer.finish()
    }

    /// The sources that show the event or have shown it, as one JSON array on one line.
    public var sightingsJSON: String { Self.array(sources.map(\.json)) }

    /// The changes of each stored revision, oldest first, as one JSON array on one line.
    public var historyJSON: String { Self.array(changes.map(\.json)) }

    fileprivate static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }
}

extension EventDetails.Sighting {
    fileprivate var json: String {
        var writer = JSONWriter()
        writer.member("source", source)
        writer.member("first_seen", firstSeen.timestamp)
        writer.member("missing_since", missingSince?.timestamp)
        return writer.finish()
    }
}

extension EventDetails.Search {
    fileprivate var json: String {
        var writer = JSONWriter()
        writer.member("state", state)
        writer.member("since", since.timestamp)
        writer.member("place_text", placeText)
        writer.member("reason", reason)
        let asked = misses.map { miss in
            var writer = JSONWriter()
            writer.member("provider", miss.provider)
            writer.member("reason", miss.reason)
            writer.member("at", miss.at.timestamp)
            writer.member("until", miss.until.timestamp)
            return writer.finish()
        }
        writer.member("asked", raw: EventDetails.array(asked))
        return writer.finish()
    }
}

extension EventDetails.Correction {
    fileprivate var json: String {
        var writer = JSONWriter()
        writer.member("by", user)
        writer.member("at", at.timestamp)
        return writer.finish()
    }
}

extension RevisionChanges {
    fileprivate var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.finish()
    }

    /// The revision of an event as one JSON object on one line: `public_id`, `category` and `title` of the event as it
    /// is now, then `revision`, `at`, `source`, `merged_public_id` and `changes` as in `EventDetails.json`.
    public func json(of stored: StoredEvent) -> String {
        var writer = JSONWriter()
        writer.member("public_id", stored.publicID)
        writer.member("category", stored.event.category.rawValue)
        writer.member("title", stored.event.title)
        write(to: &writer)
        return writer.finish()
    }

    private func write(to writer: inout JSONWriter) {
        writer.member("revision", revision)
        writer.member("at", at.timestamp)
        writer.member("source", source)
        writer.member("merged_public_id", mergedID)
        var fields = JSONWriter()
        for change in changes {
            var values = JSONWriter()
            values.member("from", raw: change.before.written)
            if let after = change.after { values.member("to", raw: after.written) }
            fields.member(change.name, raw: values.finish())
        }
        writer.member("changes", raw: fields.finish())
    }

    /// The columns of `cells(of:)`.
    public static let columns = "public_id,category,title,revision,at,source,field,from,to"

    /// The revision of an event as records of CSV, one for each changed field. The values are those of `json`, texts
    /// without quotes; an empty cell is no value, and in `to` also one that is not known. A merge is the field
    /// `merged_public_id`.
    public func cells(of stored: StoredEvent) -> [[String?]] {
        let beginning: [String?] = [
            stored.publicID, stored.event.category.rawValue, stored.event.title, revision.description, at.timestamp,
            source,
        ]
        let merge: [[String?]] = mergedID.map { [beginning + ["merged_public_id", nil, $0]] } ?? []
        return merge + changes.map { beginning + [$0.name, $0.before.cell, $0.after?.cell] }
    }
}

extension RevisionChanges.Value {
    fileprivate var cell: String? {
        switch self {
        case .missing: nil
        case .text(let text), .json(let text): text
        }
    }

    fileprivate var written: String {
        switch self {
        case .missing: "null"
        case .text(let text): text.jsonQuoted
        case .json(let json): json
        }
    }
}
