import Model
import Reading
import Telling

extension Announcement {
    /// The body of a webhook: below 20 kB, of one object with `type`, `timestamp` and `data` (Standard Webhooks 1.0).
    func webhookBody(_ words: Words, _ page: String?) -> String {
        var data: [(String, any JSONMember)] = [
            ("id", id), ("watches", watches.prefix(20).map(\.name)), ("target", target.name),
            ("reason", reason.rawValue),
        ]
        if let digest {
            let events = Self.within(digest.events, hasSummary: false)
            data += [
                ("events", .array(events)), ("more", digest.count - events.count), ("expired", digest.expired),
            ]
        } else if self.words == nil {
            data += [
                ("late", delay != nil), ("message", message), ("first_id", firstID), ("change_seq", Int(sequence)),
                ("changes", .array(changes.map(\.json))),
            ]
            let bare = publicID.map { JSONWriter.object(["public_id": $0]) }
            if let told = Self.within([event].compactMap { $0 }).first ?? bare { data.append(("event", .raw(told))) }
            data.append(("link", page))
        }
        data.append(("text", .object(["title": words.title, "body": words.body])))
        return JSONWriter.object([
            "type": "visiventd.\(type)", "timestamp": at.timestamp, "data": .object(of: data),
        ])
    }

    private var type: String {
        if kind == .test || kind == .digest { return kind.rawValue }
        return words == nil ? "event.\(kind.rawValue)" : "health"
    }

    /// Events as JSON, as many as have room.
    private static func within(_ events: [StoredEvent], hasSummary: Bool = true) -> [String] {
        var room = 10_000
        return Array(
            events.lazy.map { $0.toldJSON(hasSummary: hasSummary) }.prefix { event in
                room -= event.utf8.count
                return room >= 0
            })
    }
}

extension StoredEvent {
    /// The event as a message tells it: the members of `json` without shape and details, long texts cut. Of an erased
    /// one its public id alone.
    fileprivate func toldJSON(hasSummary: Bool) -> String {
        guard !isErased else { return JSONWriter.object(["public_id": publicID]) }
        var writer = JSONWriter()
        for property in EventProperty.all where property.kind != .object && (hasSummary || property.name != "summary") {
            writer.write(property.told(of: self), as: property.key)
        }
        return writer.finish()
    }
}

extension EventProperty {
    /// The longest link in a message, in bytes; a longer one is left out.
    static let longestLink = 1000
    /// The longest summary, and the longest other texts, in bytes.
    private static let (longestSummary, longestText) = (1500, 600)

    /// The value within the bounds of a message.
    fileprivate func told(of stored: StoredEvent) -> Value? {
        switch value(of: stored) {
        case .text(let text)? where format == "uri": text.utf8.count > Self.longestLink ? nil : .text(text)
        case .text(let text)?: .text(text.cut(toBytes: name == "summary" ? Self.longestSummary : Self.longestText))
        case .texts(let texts)?: .texts(texts.prefix(10).map { $0.cut(toBytes: 100) })
        case let other: other
        }
    }
}

extension SaidChange {
    /// `field`, `from`, `to` and, of a place, `kilometres`; magnitudes are numbers.
    fileprivate var json: String {
        func value(_ text: String?) -> any JSONMember {
            if field == .magnitude { return text.flatMap { Double($0) } }
            return text
        }
        return JSONWriter.object([
            "field": field.rawValue, "from": value(from), "to": value(to),
            "kilometres": kilometres.map { ($0 * 10).rounded() / 10 },
        ])
    }
}
