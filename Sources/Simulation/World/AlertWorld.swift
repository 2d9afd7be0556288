import Foundation
import Model

/// Public warnings behind an index. Each is updated up to twice, under a new identifier that refers to the earlier
/// ones, and either expires or is cancelled.
final class AlertWorld {
    private struct Message {
        let identifier: String
        let sent: Date
        let earlier: [(identifier: String, sent: Date)]
        let isCancel: Bool
        let title: String
        /// When the index stops listing it.
        let end: Date
    }

    static let sender = "river@example.org"
    private var messages: [Message] = []

    init(seed: UInt64, from start: Date, to end: Date) {
        var chance = Chance(seed: seed, purpose: "alerts")
        var time = start.addingTimeInterval(-86_400)
        var number = 0
        while true {
            time = Date(timeIntervalSince1970: (time.timeIntervalSince1970 + chance.within(7200...28_800)).rounded())
            guard time < end else { break }
            var earlier: [(identifier: String, sent: Date)] = []
            var sent = time
            let count = 1 + chance.below(3)
            for version in 1...count {
                let isLast = version == count
                let isCancel = isLast && version > 1 && chance.happens(0.5)
                let next = sent.addingTimeInterval(chance.within(7200...36_000).rounded())
                guard sent <= end else { break }
                let identifier = "RIVER-\(number)-\(version)"
                messages.append(
                    Message(
                        identifier: identifier, sent: sent, earlier: earlier, isCancel: isCancel,
                        title: "Flood warning \(number) (v\(version))", end: next))
                earlier.append((identifier, sent))
                sent = next
            }
            number += 1
        }
        messages.sort { ($0.sent, $0.identifier) < ($1.sent, $1.identifier) }
    }

    private func url(_ message: Message) -> String { "https://alerts.test/doc/\(message.identifier).cap" }

    /// The warnings that the index lists at a time: identifier and time of sending.
    func listed(at time: Date) -> [(identifier: String, sent: Date)] {
        messages.filter { $0.sent <= time && time < $0.end && !$0.isCancel }.map { ($0.identifier, $0.sent) }
    }

    /// The index at a time.
    func index(at time: Date) -> WorldDocument {
        let listed = messages.filter { $0.sent <= time && time < $0.end }
        return WorldDocument(body: Documents.capIndex(listed.map { (url($0), $0.sent) }))
    }

    /// A document by the last part of its path; nil: there is none, or none yet.
    func document(_ name: String, at time: Date) -> WorldDocument? {
        guard let message = messages.first(where: { $0.identifier + ".cap" == name }), message.sent <= time else {
            return nil
        }
        let references = message.earlier.map { "\(Self.sender),\($0.identifier),\($0.sent.rfc3339)" }
        let kind = message.isCancel ? "Cancel" : message.earlier.isEmpty ? "Alert" : "Update"
        let names = message.earlier.map { $0.identifier }
        var document = WorldDocument(
            body: Data(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>\(message.identifier)</identifier>
                <sender>\(Self.sender)</sender><sent>\(message.sent.rfc3339)</sent><status>Actual</status>
                <msgType>\(kind)</msgType><scope>Public</scope>
                \(references.isEmpty ? "" : "<references>\(references.joined(separator: " "))</references>")
                <info><category>Met</category><event>Flood</event><urgency>Expected</urgency>
                <severity>Moderate</severity><certainty>Likely</certainty><headline>\(message.title)</headline>
                <area><areaDesc>Upper Valley</areaDesc><circle>47.5,9.25 12</circle></area></info></alert>
                """.utf8))
        document.expectedEvents = [
            message.isCancel
                ? ExpectedEvent(Self.sender, names, purpose: .cancellation, updated: message.sent)
                : ExpectedEvent(
                    Self.sender, [message.identifier] + names, time: message.sent, updated: message.sent,
                    title: message.title)
        ]
        document.lastModified = message.sent
        return document
    }
}
