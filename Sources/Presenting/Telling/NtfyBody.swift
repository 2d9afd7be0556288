public import Foundation
public import Model
import Reading
import Telling

extension Announcement {
    /// From this magnitude on an event is urgent, and from this severity on.
    private static let (urgentMagnitude, urgentSeverity) = (6.0, Severity.extreme)

    /// The body for an ntfy server (<https://docs.ntfy.sh/publish/#publish-as-json>), without the topic. Later messages
    /// about an event replace earlier ones, by `sequence_id`.
    func ntfyBody(_ words: Words, _ page: String?) -> String {
        let link = event.flatMap { $0.isErased ? nil : $0.event.link }
        return JSONWriter.object([
            "title": words.title, "message": words.body, "priority": priority,
            "tags": kind == .ended ? ["information_source"] : ["warning"],
            "click": page ?? link.flatMap { $0.utf8.count <= EventProperty.longestLink ? $0 : nil },
            "sequence_id": kind == .test ? nil : publicID.map { "vd\($0)" },
        ])
    }

    private var priority: Int {
        switch kind {
        case .announced, .restored, .digest: isUrgent ? 5 : 4
        case .updated, .ended: 3
        case .test: 1
        }
    }

    private var isUrgent: Bool {
        (digest?.events ?? [event].compactMap { $0 }).map(\.event).contains { event in
            event.magnitude ?? 0 >= Self.urgentMagnitude || EventLevel(event).severity == Self.urgentSeverity
        }
    }
}

/// What an ntfy server gets besides the stored body.
public enum Ntfy {
    /// The body with its topic.
    public static func addressed(_ letter: Data, topic: Secret) -> String {
        "{\"topic\":\(topic.value.jsonQuoted)," + String(decoding: letter.dropFirst(), as: UTF8.self)
    }
}
