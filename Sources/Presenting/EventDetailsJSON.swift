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
        writer.add([
            "erased": stored.isErased ? true : nil, "merged_public_ids": mergedIDs, "unlocated": search?.json,
            "correction": correction?.json, "sightings": .raw(sightingsJSON), "history": .raw(historyJSON),
        ])
        return writer.finish()
    }

    /// The sources that show the event or have shown it, as one JSON array on one line.
    public var sightingsJSON: String { Self.array(sources.map(\.json)) }

    /// The changes of each stored revision, oldest first, as one JSON array on one line.
    public var historyJSON: String { Self.array(changes.map { $0.json(of: nil) }) }

    fileprivate static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }
}

extension EventDetails.Sighting {
    fileprivate var json: String {
        JSONWriter.object([
            "source": source, "first_seen": firstSeen.timestamp, "missing_since": missingSince?.timestamp,
        ])
    }
}

extension EventDetails.Search {
    fileprivate var json: RawJSON {
        let asked = misses.map { miss in
            JSONWriter.object([
                "provider": miss.provider, "reason": miss.reason, "at": miss.at.timestamp,
                "until": miss.until.timestamp,
            ])
        }
        return .object([
            "state": state, "since": since.timestamp, "place_text": placeText, "reason": reason,
            "asked": .array(asked),
        ])
    }
}

extension EventDetails.Correction {
    fileprivate var json: RawJSON { .object(["by": user, "at": at.timestamp]) }
}

extension RevisionChanges {
    /// The revision of an event as one JSON object on one line: `public_id`, `category` and `title` of the event as it
    /// is now, unless nil is given, then `revision`, `at`, `source`, `merged_public_id` and `changes` as in
    /// `EventDetails.json`.
    public func json(of stored: StoredEvent?) -> String {
        let fields = changes.map { change -> (String, any JSONMember) in
            (change.name, .object(["from": change.before.written, "to": change.after?.written]))
        }
        return JSONWriter.object([
            "public_id": stored?.publicID, "category": stored?.event.category.rawValue, "title": stored?.event.title,
            "revision": revision, "at": at.timestamp, "source": source, "merged_public_id": mergedID,
            "changes": .object(of: fields),
        ])
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

    fileprivate var written: RawJSON {
        switch self {
        case .missing: .raw("null")
        case .text(let text): .raw(text.jsonQuoted)
        case .json(let json): .raw(json)
        }
    }
}
