import Foundation
import Model
import Reading

/// Turns alerts into events, withdrawals and issues.
///
/// - Alert: one event for each place; infos that differ only in language are one place (CAP 1.2 §3.2.2). The id is the
///   alert's identifier, or `identifier place` for several places, since an identifier has no spaces (§3.2.1). Reports
///   of the Global Volcanism Program have the identity of `GVPReport`.
/// - Update: the same. It also supersedes the alerts it refers to, and their ids become aliases of the new events.
/// - Cancel: withdraws the alerts it refers to and makes no event.
/// - Ack, Error: only counted, as `ignored`.
///
/// An alert affects only alerts of its own sender: references to others are dropped. The sender is a claim, which holds
/// or not for the source that shows it (`Authority`).
///
/// An Update whose text ends the danger (`Tsunami Cancellation`) is an ordinary event. Warnings of earthquakes,
/// tsunamis and eruptions have the category `alert`, since they are not the event itself.
struct CAPDecoder {
    /// The answer to the alerts so far.
    private(set) var answer = FeedAnswer()
    /// Accepted statuses, in lower case.
    private let statuses: Set<String>
    private var position = ""
    private var reports = GVPNames()

    /// The most references of an alert, more than any real chain of updates has had. The oldest beyond it are dropped
    /// with an issue.
    private static let maximumReferences = 500
    /// The most references that become aliases, the latest ones. Each event of the alert has all of them.
    private static let maximumAliases = 50
    /// The most references of all alerts that withdraw something.
    private static let maximumWithdrawals = 250_000

    /// The bytes of details and aliases so far and their limit. Each event repeats the fields of its alert.
    private var keptBytes = 0
    private static let maximumKeptBytes = 128 << 20

    init(statuses: [String]) {
        self.statuses = Set(statuses.map { $0.lowercased() })
    }

    /// Reports the first 20 faults that the XML reader mended.
    mutating func note(_ problems: [XMLProblem]) {
        for problem in problems.prefix(20) {
            answer.issues.append(FeedIssue("bad_xml", at: "line \(problem.line)", found: problem.message))
        }
    }

    /// Adds all `<alert>` elements of a document. Of alerts with the same sender, identifier and status, the one sent
    /// last counts; among equals the last in the document.
    mutating func add(_ nodes: [XMLNode]) {
        var latest: [Int: (place: Int, sent: Date)] = [:]
        var repeated: Set<Int> = []
        for (place, node) in nodes.enumerated() {
            let name = ["identifier", "sender", "status"].map { node.child($0)?.trimmed ?? "" }
            guard !name[0].isEmpty, !name[1].isEmpty else { continue }
            let key = "\(name[0])\u{0}\(name[1].lowercased())\u{0}\(name[2].lowercased())".byteHash
            let sent = node.child("sent")?.trimmed.flatMap { DateReader.any($0) } ?? Date.distantPast
            if let other = latest[key] {
                repeated.insert(sent >= other.sent ? other.place : place)
                if sent < other.sent { continue }
            }
            latest[key] = (place, sent)
        }
        for (place, node) in nodes.enumerated() where !WorkLimit.isExceeded {
            if repeated.contains(place) {
                position = "line \(node.line)"
                issue("duplicate_id", found: node.child("identifier")?.trimmed ?? "", costsItem: true)
            } else {
                add(node)
            }
        }
    }

    private mutating func add(_ node: XMLNode) {
        let alert = CAPAlert(node)
        position = "line \(node.line)"
        guard let identifier = alert.identifier, let sender = alert.sender else {
            issue("no_id", found: alert.identifier ?? alert.sender ?? "", costsItem: true)
            return
        }
        guard CAPAlert.isSound(identifier), CAPAlert.isSound(sender) else {
            issue("bad_id", found: CAPAlert.isSound(identifier) ? "sender" : "identifier", costsItem: true)
            return
        }
        position = "alert \(identifier)"
        let provider = CAPAlert.provider(sender: sender, identifier: identifier)
        let status = alert.status?.lowercased() ?? "missing"
        guard statuses.contains(status) else {
            let known = ["actual", "exercise", "system", "test", "draft", "missing"].contains(status)
            issue("status_" + (known ? status : "unknown"), found: alert.status ?? "", costsItem: true)
            return
        }
        let sent = date(alert.sent)
        let references = self.references(of: alert, by: sender)

        switch alert.messageType?.lowercased() {
        case "ack", "error":
            answer.tallies["ignored", default: 0] += 1
        case "cancel":
            answer.tallies["cancels", default: 0] += 1
            if alert.references.allSatisfy({ $0.identifier == identifier }) {
                let found = alert.references.isEmpty ? "Cancel" : "Cancel of itself"
                issue("no_references", found: found, costsItem: true)
            }
            let evidence = "Cancel \(identifier)" + (alert.note.map { ": " + $0 } ?? "")
            withdraw(references, by: sender, at: sent, evidence: evidence, replacements: [])
        case "update":
            answer.tallies["updates", default: 0] += 1
            let ids = addEvents(of: alert, identifier, provider, sent: sent, references: references)
            withdraw(references, by: sender, at: sent, evidence: "superseded by \(identifier)", replacements: ids)
        case "alert":
            addEvents(of: alert, identifier, provider, sent: sent, references: [])
        default:
            issue("bad_message_type", found: alert.messageType ?? "")
            addEvents(of: alert, identifier, provider, sent: sent, references: [])
        }
    }

    // MARK: References

    /// The identifiers of the sender's own alerts in `<references>`, each once, without the alert itself.
    private mutating func references(of alert: CAPAlert, by sender: String) -> [String] {
        let own = sender.lowercased()
        var seen: Set<String> = [alert.identifier ?? ""]
        var identifiers: [String] = []
        var foreign: CAPReference?
        for reference in alert.references {
            if let other = reference.sender, other.lowercased() != own {
                foreign = foreign ?? reference
            } else if seen.insert(reference.identifier).inserted {
                identifiers.append(reference.identifier)
            }
        }
        if let foreign { issue("foreign_reference", found: "\(foreign.sender ?? ""),\(foreign.identifier)") }
        if identifiers.count > Self.maximumReferences { issue("too_many_references", found: "\(identifiers.count)") }
        return Array(identifiers.suffix(Self.maximumReferences))
    }

    private mutating func withdraw(
        _ references: [String], by sender: String, at sent: Date?, evidence: String, replacements: [String]
    ) {
        guard answer.withdrawals.count + references.count <= Self.maximumWithdrawals else {
            return issue("too_large", found: "more than \(Self.maximumWithdrawals) references of all alerts")
        }
        for reference in references {
            let provider = CAPAlert.provider(sender: sender, identifier: reference)
            answer.withdrawals.append(
                Withdrawal(
                    provider: provider, id: reference, takesFamily: true, reason: .cancelled, time: sent,
                    evidence: evidence, replacements: replacements))
        }
    }

    // MARK: Events

    /// Adds the alert's events and returns their ids.
    @discardableResult
    private mutating func addEvents(
        of alert: CAPAlert, _ identifier: String, _ provider: String, sent: Date?, references: [String]
    ) -> [String] {
        let groups = CAPInfo.grouped(alert.infos)
        if groups.isEmpty { issue("no_info", costsItem: true) }
        let superseded = references.suffix(Self.maximumAliases).filter {
            CAPAlert.provider(sender: alert.sender ?? "", identifier: $0) == provider
        }
        var keys: [String: Int] = [:]
        var ids: [String] = []
        for (number, group) in groups.enumerated() where !WorkLimit.isExceeded {
            guard let info = group.first else { continue }
            guard keptBytes <= Self.maximumKeptBytes else {
                issue("too_large", found: "more than \(Self.maximumKeptBytes) bytes of details", costsItem: true)
                continue
            }
            position = "alert \(identifier)" + (groups.count > 1 ? ", place \(number + 1)" : "")
            // The second place of the same name gets `name-2`.
            var suffix = ""
            if groups.count > 1 {
                let key = Self.placeKey(of: info)
                let count = keys[key, default: 0] + 1
                keys[key] = count
                suffix = " " + key + (count > 1 ? "-\(count)" : "")
            }
            var event = self.event(of: info, in: alert, sent: sent)
            event.provider = provider
            event.id = identifier + suffix
            var aliases = superseded.map { $0 + suffix }
            var report = JSONWriter()
            if provider == GVPReport.provider, let volcano = info.volcano,
                let week = GVPReport.week(in: info.headline ?? "", near: sent)
                    ?? sent.map({ GVPReport.Week(issued: $0) })
            {
                let number = info.code("Volcano Number").flatMap { Int($0) }
                let identity = reports.identity(
                    volcano: volcano, number: number, week: week, country: info.areas.first?.description,
                    position: event.location?.coordinate)
                aliases = identity.aliases + [event.id] + aliases
                event.id = identity.id
                event.category = .volcano
                report.member("volcano", volcano)
                report.member("week", week.interval)
            }
            var seen: Set<String> = [event.id]
            event.aliases = aliases.filter { seen.insert($0).inserted }
            event.details = details(of: group, in: alert, writer: report)
            keptBytes += event.aliases.reduce(event.details.utf8.count) { $0 + $1.utf8.count }
            ids.append(event.id)
            answer.events.append(event)
        }
        return ids
    }

    /// The key that distinguishes a place within its alert: the volcano, else the area's name, else the event's.
    private static func placeKey(of info: CAPInfo) -> String {
        if let volcano = info.volcano { return GVPReport.slug(volcano) }
        let areas = info.areas.compactMap(\.description).joined(separator: " ")
        for name in [areas, info.event ?? ""] {
            let slug = PlaceSlug.of(name)
            // County lists reach several kilobytes.
            if slug.utf8.count > 80 { return slug.beginning(60) + "-" + FNV64.hex(slug) }
            if !slug.isEmpty { return slug }
        }
        return "place"
    }

    /// The event of one info, without identity and details.
    private mutating func event(of info: CAPInfo, in alert: CAPAlert, sent: Date?) -> Event {
        let onset = date(info.onset)
        let effective = date(info.effective)
        var event = Event(
            provider: "", id: "", time: onset ?? effective ?? sent, updated: sent, expires: date(info.expires),
            category: .alert, title: "", status: alert.status?.lowercased())
        let title = info.headline ?? info.event
        event.title = title ?? alert.identifier ?? ""
        if title == nil { issue("no_title") }
        event.summary = info.description
        event.link = info.web
        event.author = info.senderName.map { Author(name: $0) }
        event.language = info.language
        let areas = info.areas.compactMap(\.description)
        if !areas.isEmpty { event.place = HTMLText.bounded(areas.joined(separator: "; "), 1000) }

        var shapes: [FeedGeometry] = []
        var isCut = false
        for area in info.areas {
            for polygon in area.polygons {
                guard !polygon.isCut else {
                    isCut = true
                    continue
                }
                if let shape = polygon.shape {
                    shapes.append(shape)
                    if event.location == nil { event.location = shape.location }
                }
                if polygon.shape?.isCredible != true { issue("bad_coordinate", found: polygon.text) }
            }
            for text in area.circles {
                if let circle = CAPArea.circle(text) {
                    shapes.append(.point(circle.coordinate))
                    if event.location == nil { event.location = circle }
                } else {
                    issue("bad_coordinate", found: text)
                }
            }
        }
        let shape = FeedGeometry.combined(shapes)
        if isCut {
            issue("too_many_points", found: "more than \(FeedGeometry.mostPoints)")
        } else if let shape, shape.isTooLong {
            issue("too_many_points", found: "\(shape.pointCount)")
        } else {
            event.geometry = shape?.shape
        }
        return event
    }

    // MARK: Helpers

    private mutating func date(_ text: String?) -> Date? {
        guard let text else { return nil }
        return DateReader.date(text) { issue($0, found: $1) }
    }

    private mutating func issue(_ reason: String, found: String = "", costsItem: Bool = false) {
        answer.report(FeedIssue(reason, at: position, found: found, costsItem: costsItem))
    }

    /// The plain text of an element, as `plain(_:_:)` for text; the texts of elements inside it, which CAP does not
    /// foresee, have blanks between them.
    static func plain(_ node: XMLNode?, _ limit: Int = 1000) -> String? {
        node.flatMap { plain($0.spacedHTML, limit) }
    }

    /// The plain text of a field, cut to `limit` characters; nil when nothing is left. CAP requires plain text, but
    /// some senders send HTML.
    static func plain(_ text: String, _ limit: Int = 1000) -> String? {
        let plain = HTMLText.bounded(hasMarkup(text) ? HTMLText.plain(text) : HTMLText.cleaned(text), limit)
        return plain.isEmpty ? nil : plain
    }

    /// Whether a letter or a slash follows a `<`, unlike in `wind <5 kt`.
    private static func hasMarkup(_ text: String) -> Bool {
        var follows = false
        for byte in text.utf8 {
            if follows && (byte == UInt8(ascii: "/") || (0x61...0x7A).contains(byte | 0x20)) { return true }
            follows = byte == UInt8(ascii: "<")
        }
        return false
    }
}
