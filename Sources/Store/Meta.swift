import Foundation
import Model
import SQLite

/// The facts that the store keeps in the table `meta`, one a row.
enum Meta {
    /// The refused configuration; absent while the file's configuration is in force.
    static let refusedConfiguration = Fact<RefusedConfiguration>.json("refused_configuration")
    /// The oldest change kept.
    static let oldestChange = Fact<Int64>(key: "oldest_change", decoded: { Int64($0) }, encoded: { "\($0)" })
    /// The last trusted wall time.
    static let lastTrustedTime = Fact.date("last_sound_time")
    /// When a truncation run last finished its deletions.
    static let lastTruncation = Fact.date("last_truncation")
    /// Until when hosts want no documents.
    static let documentPauses = Fact.dates("document_pauses")
    /// When all settings were last applied.
    static let reconciled = Fact.date("reconciled")
    /// The time since which the history knows all states: the first start with this file, or the last change before the
    /// history had numbers.
    static let numberedSince = Fact.date("numbered_since")
    /// When sources were added or changed since all settings were last applied, by name.
    static let renewed = Fact.dates("renewed")
    /// The daemon's planned polls.
    static let pollPlan = Fact<PollPlan>.json("poll_plan")
    /// Set while what an earlier version took on the word of documents is not judged yet (`AuthorityUpgrade`).
    static let authorityPending = Fact.bool("authority_pending")
    /// Whether the full-text index is turned on; absent: it is.
    static let fullText = Fact.bool("full_text")
    /// Whether index segments and WAL frames may hold words that a provider deleted; truncation cleans them. Absent:
    /// they are clean.
    static let erasure = Fact<Erasure>(
        key: "erasure_pending", decoded: { Erasure(rawValue: $0) ?? .asked }, encoded: { $0.rawValue })

    /// When a reset last removed events of a source, in milliseconds, and the number of the last change then.
    static func emptied(_ source: String) -> Fact<(at: Int64, change: Int64)> {
        Fact(key: "emptied \(source)") { text in
            let numbers = text.split(separator: " ").map { Int64($0) ?? 0 }
            return (numbers.first ?? 0, numbers.dropFirst().first ?? 0)
        } encoded: {
            "\($0.at) \($0.change)"
        }
    }

    /// The remark of a source's last poll: what its documents held in place of events.
    static func remark(on source: String) -> Fact<String> { .text("remark \(source)") }

    /// The name of the `not_places` with which the places of a source's events were last compared.
    static func notPlaces(of source: String) -> Fact<String> { .text("not_places \(source)") }

    /// Why a service cannot be asked, in words for people; absent: it can.
    static func trouble(of provider: GeocodeProvider) -> Fact<String> { .text("trouble_\(provider.rawValue)") }

    /// How far the removal of deleted words is.
    enum Erasure: String {
        case clean = "0"
        case asked = "1"
        case begun = "2"
    }
}

/// A fact's key, and the form of its value in the table.
struct Fact<Value>: Sendable {
    let key: String
    /// Nil: the text cannot be read, as if it were absent.
    let decoded: @Sendable (String) -> Value?
    /// Nil: the value cannot be written, and the row goes.
    let encoded: @Sendable (Value) -> String?
}

extension Fact<String> {
    static func text(_ key: String) -> Fact { Fact(key: key, decoded: { $0 }, encoded: { $0 }) }
}

extension Fact<Bool> {
    static func bool(_ key: String) -> Fact { Fact(key: key, decoded: { $0 != "0" }, encoded: { $0 ? "1" : "0" }) }
}

extension Fact<Date> {
    /// In milliseconds.
    static func date(_ key: String) -> Fact {
        Fact(key: key, decoded: { Int64($0).map { Date(milliseconds: $0) } }, encoded: { "\($0.milliseconds)" })
    }
}

extension Fact<[String: Date]> {
    /// In milliseconds by name.
    static func dates(_ key: String) -> Fact {
        Fact(
            key: key,
            decoded: { StoredJSON.decoded([String: Int64].self, from: $0)?.mapValues { Date(milliseconds: $0) } },
            encoded: { try? StoredJSON.encoded($0.mapValues(\.milliseconds)) })
    }
}

extension Fact where Value: Codable & Sendable {
    static func json(_ key: String) -> Fact {
        Fact(key: key, decoded: { StoredJSON.decoded(Value.self, from: $0) }, encoded: { try? StoredJSON.encoded($0) })
    }
}

extension Connection {
    /// The fact's value; nil without one.
    func value<Value>(of fact: Fact<Value>) throws -> Value? {
        let find = try prepare("SELECT value FROM meta WHERE key = ?")
        find.bind(fact.key)
        return try find.step() ? find.text(0).flatMap(fact.decoded) : nil
    }

    /// Stores the fact's value; nil removes it.
    func set<Value>(_ fact: Fact<Value>, to value: Value?) throws {
        guard let text = value.flatMap(fact.encoded) else {
            return try run("DELETE FROM meta WHERE key = ?", fact.key)
        }
        try run(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            fact.key, text)
    }

    /// Whether the full-text index is turned on, which is the default.
    func keepsFullText() throws -> Bool { try value(of: Meta.fullText) ?? true }
}

extension EventStore {
    /// The fact's value in a snapshot of its own; nil without one. Throws `StoreError`.
    func value<Value>(of fact: Fact<Value>) throws(StoreError) -> Value? { try read { try $0.value(of: fact) } }

    /// Stores the fact's value in a transaction of its own; nil removes it. Throws `StoreError`.
    func set<Value>(_ fact: Fact<Value>, to value: Value?) throws(StoreError) {
        try transaction { try $0.connection.set(fact, to: value) }
    }
}
