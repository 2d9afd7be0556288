public import Engine
import Foundation
public import Settings
import Store

/// What came of reading the configuration again.
public enum ReloadReport: Sendable {
    /// It is in force.
    case applied(SourceChanges, otherChanges: [String], needingRestart: [String])
    /// It has faults; the one before stays in force.
    case refused([SettingsFault])
    /// It, or a file that it names, cannot be read just now, as where descriptors are short; the one before stays.
    case unread([String])
    /// The store could not take it up; the one before stays. A transient reason may be gone in a moment.
    case failed(reason: String, isTransient: Bool)

    /// Whether it may come into force in a moment although nobody changes it.
    var isTransient: Bool {
        switch self {
        case .applied, .refused: false
        case .unread: true
        case .failed(_, let isTransient): isTransient
        }
    }

    /// What is noted for `status`; nil: it is in force.
    func refusal(at now: Date) -> RefusedConfiguration? {
        switch self {
        case .applied: nil
        case .refused(let faults): RefusedConfiguration(at: now, faults: faults.map(\.description))
        case .unread(let reasons): RefusedConfiguration(at: now, faults: reasons, obstacle: .unread)
        case .failed(let reason, _): RefusedConfiguration(at: now, faults: [reason], obstacle: .unstored)
        }
    }

    /// The report in one line for people, but for faults.
    public var summary: String {
        switch self {
        case .applied(let changes, let others, let needingRestart):
            var parts: [String] = []
            for (word, names) in [
                ("added", changes.added), ("changed", changes.changed + others), ("removed", changes.removed),
                ("in force after a restart", needingRestart),
            ] where !names.isEmpty {
                parts.append("\(word): \(names.joined(separator: ", "))")
            }
            return parts.isEmpty ? "nothing has changed" : parts.joined(separator: "; ")
        case .refused(let faults): return "\(faults.count) \(faults.count == 1 ? "fault" : "faults")"
        case .unread(let reasons): return "\(reasons.joined(separator: "; ")); it is tried again"
        case .failed(let reason, let isTransient):
            return "the configuration cannot be stored: \(reason)\(isTransient ? "; it is tried again" : "")"
        }
    }
}

extension Settings {
    /// Top-level keys, apart from the sources, whose values differ: those that take effect at once, and those that do
    /// only after a restart.
    func changes(since old: Settings) -> (atOnce: [String], afterRestart: [String]) {
        let atOnce = [
            ("contact", contact != old.contact), ("disk", disk != old.disk), ("fetch", fetch != old.fetch),
            ("gazetteer", keepingFixed(of: old).gazetteer != old.gazetteer), ("geocoding", geocoding != old.geocoding),
            ("log.level", log.level != old.log.level), ("truncation", truncation != old.truncation),
        ]
        let afterRestart = [
            ("control_socket", controlSocket != old.controlSocket), ("database", database != old.database),
            ("full_text", hasFullText != old.hasFullText), ("log.format", log.format != old.log.format),
            ("reload_on_edit", reloadsOnEdit != old.reloadsOnEdit),
        ]
        return (atOnce.filter(\.1).map(\.0), afterRestart.filter(\.1).map(\.0))
    }

    /// These settings with those of `old` that only a restart can change.
    func keepingFixed(of old: Settings) -> Settings {
        var settings = self
        settings.controlSocket = old.controlSocket
        settings.database = old.database
        // Where no other path is given, the city table stands beside the database that is in use.
        let isBeside = gazetteer == GazetteerSettings(database: database)
        if isBeside, old.gazetteer == GazetteerSettings(database: old.database) { settings.gazetteer = old.gazetteer }
        settings.hasFullText = old.hasFullText
        settings.log.format = old.log.format
        settings.reloadsOnEdit = old.reloadsOnEdit
        return settings
    }
}
