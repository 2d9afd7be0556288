import Foundation
import Model

/// The words for people.
public struct Words: Sendable {
    private let message: Announcement
    private var watch: Watch? { message.watches.first }
    /// The event, if the message speaks of one that is there.
    private var stored: StoredEvent? { message.event.flatMap { $0.isErased ? nil : $0 } }
    // The most bytes: ntfy refuses a longer title, and makes an attachment of a longer text.
    private static let longestTitle = 250
    private static let longestBody = 3500
    private static let longestSummary = 500

    /// The words of a message.
    public init(_ message: Announcement) { self.message = message }

    /// The title: one line of 250 bytes at most.
    public var title: String {
        var own = (stored == nil ? nil : watch?.title?.filled(value)) ?? headline
        if own.allSatisfy(\.isWhitespace) { own = headline }
        return (prefix + own).safeToShow.cut(toBytes: Self.longestTitle)
    }

    /// The text: lines of 3500 bytes together at most.
    public var body: String {
        let lines = stored == nil ? nil : watch?.body.map { [$0.filled(value)] }
        let text = (lines ?? facts).flatMap { $0.split(separator: "\n") }.map { String($0).safeToShow }
        return text.joined(separator: "\n").cut(toBytes: Self.longestBody)
    }

    // MARK: - Title

    /// What a message is beyond its first announcement.
    private var prefix: String {
        switch (message.kind, message.reason) {
        case (.digest, _), (_, .resent): ""
        case (.announced, _): message.delay.map { "Late (\($0.compact)): " } ?? ""
        case (.updated, _): "Correction: "
        case (.ended, .noLongerMatches): "No longer: "
        case (.ended, .mended): "Mended: "
        case (.ended, _): "Withdrawn: "
        case (.restored, _): "Again: "
        case (.test, _): "Test: "
        }
    }

    private var headline: String {
        if let words = message.words { return words }
        if let digest = message.digest {
            let largest = digest.events.first.map { ", the largest: " + line(of: $0, age(of: $0)) }
            return "\(digest.count) events" + (largest ?? "")
        }
        let said = message.before?.magnitude.map { "M \(Self.shown($0))" }
        guard let stored else { return "\(said ?? "an event"), no longer there" }
        let own = line(of: stored, age(of: stored))
        guard let said, let now = stored.event.magnitude.map({ "M \(Self.shown($0))" }), said != now else { return own }
        return "\(now) (was \(said))" + own.dropFirst(now.count)
    }

    /// An event on one line: `M 5.4 · 34 km SW of Lisboa · 3 min ago · automatic`.
    private func line(of stored: StoredEvent, _ time: String) -> String {
        let event = stored.event
        let subject = event.magnitude.map { "M \(Self.shown($0)) · \(place(of: event))" } ?? event.title
        return [subject, time, event.status].compactMap { $0 }.joined(separator: " · ")
    }

    // MARK: - Text

    private var facts: [String] {
        if let words = message.words { return [words] }
        if let digest = message.digest {
            let (more, expired) = (digest.count - digest.events.count, digest.expired)
            return digest.events.map { line(of: $0, Self.shown($0.event.time ?? $0.firstSeen)) }
                + (more > 0 ? ["and \(more) more"] : [])
                + (expired > 0 ? ["\(expired) more could not be sent in time"] : [])
        }
        guard let event = stored?.event else {
            return ["The event \(message.publicID ?? "") was removed by its provider."]
        }
        let summary = event.magnitude == nil ? event.summary?.cut(toBytes: Self.longestSummary) : nil
        let origin = [
            value(.time), value(.depth).map { "depth \($0) km" }, event.status, "by \(event.provider)",
            watch.map { "watch \($0.name)" },
        ].compactMap { $0 }.joined(separator: ", ")
        let lines = [ending, event.title, summary, origin, event.link]
        return changes + lines.compactMap { $0 }
    }

    private var changes: [String] {
        message.changes.map { change in
            switch (change.field, change.kilometres) {
            case (.place, let kilometres?): "The place has moved by \(Self.shown(kilometres)) km."
            case (.place, nil): change.to == nil ? "Its place is no longer known." : "A place was found."
            default: "\(change.field.rawValue): \(change.to ?? "none"), was \(change.from ?? "none")"
            }
        }
    }

    private var ending: String? {
        guard message.kind == .ended else { return nil }
        let provider = message.event?.event.provider ?? "its provider"
        return switch message.reason {
        case .noLongerMatches: "It no longer matches the watch."
        case .absent: "\(provider) no longer lists it; it may have fallen below a threshold."
        case .cancelled: "Cancelled by \(provider)."
        default: "Deleted by \(provider)."
        }
    }

    // MARK: - Values

    /// What a template gets for a placeholder; nil: nothing is known.
    private func value(_ placeholder: Placeholder) -> String? {
        guard let stored else { return nil }
        let event = stored.event
        return switch placeholder {
        case .title: event.title
        case .magnitude: event.magnitude.map(Self.shown)
        case .category: event.category.rawValue.replacing("_", with: " ")
        case .place: place(of: event)
        case .time: event.time.map(Self.shown)
        case .depth: event.depth.map(Self.shown)
        case .status: event.status
        case .source: stored.sources.joined(separator: ", ")
        case .provider: event.provider
        case .changes: changes.joined(separator: " ")
        case .reason: message.reason.rawValue.replacing("_", with: " ")
        case .link: event.link
        case .id: stored.publicID
        case .watch: watch?.name
        case .age: age(of: stored)
        }
    }

    /// The place in the words nearest to the reader: by the watched point, else the feed's, else those found.
    private func place(of event: Event) -> String {
        let sure = event.location?.coordinate(sureAtLeast: 0)
        guard let near = watch?.filter.near, let name = near.name, let sure else {
            return event.place ?? event.location?.name ?? event.title
        }
        let distance = near.centre.distance(to: sure)
        guard distance >= 1 else { return "at \(name)" }
        let bearing = Compass.point(near.centre.bearing(to: sure))
        return "\(Int(clamping: distance.rounded())) km \(bearing) of \(name)"
    }

    private func age(of stored: StoredEvent) -> String {
        let seconds = message.at.timeIntervalSince(stored.event.time ?? stored.firstSeen)
        guard abs(seconds) >= 60 else { return "just now" }
        let minutes = Int(clamping: abs(seconds) / 60)
        let length = minutes < 120 ? "\(minutes) min" : minutes < 2880 ? "\(minutes / 60) h" : "\(minutes / 1440) days"
        return seconds > 0 ? "\(length) ago" : "in \(length)"
    }

    private static func shown(_ time: Date) -> String {
        String(time.wholeSeconds.dropLast()).replacing("T", with: " ") + " UTC"
    }

    private static func shown(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
