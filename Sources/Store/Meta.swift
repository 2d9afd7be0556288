public import Foundation
public import Model
import SQLite

/// The facts that the store keeps in the table `meta`, one a row; `Connection.value(of:)` reads them, `set` writes them.
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
}

/// How far the removal of deleted words is.
enum Erasure: String {
    case clean = "0"
    case asked = "1"
    case begun = "2"
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
        try prepare("SELECT value FROM meta WHERE key = ?", fact.key).first { $0.text(0).flatMap(fact.decoded) }
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
}

// MARK: - Facts that are never absent

extension Connection {
    /// The number of the oldest change kept; 1 before the first truncation of changes.
    func oldestChange() throws -> Int64 { try value(of: Meta.oldestChange) ?? 1 }

    /// When sources were added or changed since all settings were applied, by name; empty: none was.
    func renewals() throws -> [String: Date] { try value(of: Meta.renewed) ?? [:] }

    /// Whether what an earlier version took on the word of documents is still to be judged.
    func isAuthorityPending() throws -> Bool { try value(of: Meta.authorityPending) != nil }

    /// Whether the full-text index is turned on, which is the default.
    func keepsFullText() throws -> Bool { try value(of: Meta.fullText) ?? true }

    /// How far the removal of deleted words is.
    func erasure() throws -> Erasure { try value(of: Meta.erasure) ?? .clean }

    /// When a reset last removed events of a source, in milliseconds, and the number of the last change then; zeros:
    /// none did.
    func lastEmptied(_ source: String) throws -> (at: Int64, change: Int64) {
        try value(of: Meta.emptied(source)) ?? (0, 0)
    }
}

// MARK: - Calls of the store

extension EventStore {
    /// The fact's value in a snapshot of its own; nil without one. Throws `StoreError`.
    private func value<Value>(of fact: Fact<Value>) throws(StoreError) -> Value? { try read { try $0.value(of: fact) } }

    /// Stores the fact's value in a transaction of its own; nil removes it. Throws `StoreError`.
    private func set<Value>(_ fact: Fact<Value>, to value: Value?) throws(StoreError) {
        try transaction { try $0.connection.set(fact, to: value) }
    }

    /// When a truncation run last finished its deletions; nil before the first. Throws `StoreError`.
    public func lastTruncation() throws(StoreError) -> Date? { try value(of: Meta.lastTruncation) }

    /// The last wall time that was trusted; nil before the first. Throws `StoreError`.
    public func lastTrustedTime() throws(StoreError) -> Date? { try value(of: Meta.lastTrustedTime) }

    /// Until when hosts want no documents (`PollStep.documentPauses`), past times included. Throws `StoreError`.
    public func documentPauses() throws(StoreError) -> [String: Date] { try value(of: Meta.documentPauses) ?? [:] }

    /// When all settings were last applied, at a start or by a reload that changed more than sources; nil before the
    /// first start. Throws `StoreError`.
    public func lastReconciliation() throws(StoreError) -> Date? { try value(of: Meta.reconciled) }

    /// When the running daemon added or changed sources since `lastReconciliation`, by name; other sources are left
    /// out. Throws `StoreError`.
    public func renewals() throws(StoreError) -> [String: Date] { try value(of: Meta.renewed) ?? [:] }

    /// Stores the refused configuration for `status`; nil: the file's configuration is in force. Writes only a
    /// difference. Throws `StoreError` if the database cannot be written.
    public func setRefusedConfiguration(_ refused: RefusedConfiguration?) throws(StoreError) {
        guard try refusedConfiguration() != refused else { return }
        try set(Meta.refusedConfiguration, to: refused)
    }

    /// The refused configuration; nil if the file's configuration is in force, or if another version of this program
    /// wrote a note that cannot be read. Throws `StoreError`.
    public func refusedConfiguration() throws(StoreError) -> RefusedConfiguration? {
        try value(of: Meta.refusedConfiguration)
    }

    /// Stores the daemon's plan for `status` in place of the last one; the engine does not read it. Throws
    /// `StoreError`.
    public func setPollPlan(_ plan: PollPlan) throws(StoreError) { try set(Meta.pollPlan, to: plan) }

    /// The last plan of a daemon; nil before the first start, or if another version of this program wrote it. Throws
    /// `StoreError`.
    public func pollPlan() throws(StoreError) -> PollPlan? { try value(of: Meta.pollPlan) }

    /// Stores why a service cannot be asked, in words for people, for `status`; nil: it can. Throws `StoreError`.
    public func setTrouble(_ trouble: String?, of provider: GeocodeProvider) throws(StoreError) {
        try set(Meta.trouble(of: provider), to: trouble)
    }

    /// Replaces the troubles of all services; a service left out has none. Writes only differences, one transaction
    /// each; throws `StoreError` at the first that fails.
    public func setTroubles(_ troubles: [GeocodeProvider: String]) throws(StoreError) {
        for provider in GeocodeProvider.allCases where try trouble(of: provider) != troubles[provider] {
            try setTrouble(troubles[provider], of: provider)
        }
    }

    /// Why a service cannot be asked, in words for people; nil if it can. Throws `StoreError`.
    public func trouble(of provider: GeocodeProvider) throws(StoreError) -> String? {
        try value(of: Meta.trouble(of: provider))
    }

    /// The name of the `not_places` with which the places of a source's events were last compared; nil: it had none.
    /// Throws `StoreError`.
    public func comparedNotPlaces(of source: String) throws(StoreError) -> String? {
        try value(of: Meta.notPlaces(of: source))
    }

    /// Stores the name; nil: the source has no `not_places`. Throws `StoreError`.
    public func setComparedNotPlaces(_ name: String?, of source: String) throws(StoreError) {
        try set(Meta.notPlaces(of: source), to: name)
    }
}
