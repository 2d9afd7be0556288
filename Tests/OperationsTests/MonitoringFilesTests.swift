import Foundation
import Model
import Settings
import Store
import TestSupport
import Testing

@testable import Operations

/// The files for Prometheus and Grafana name only metrics that the program tells, and the documentation names them all.
@Suite struct MonitoringFilesTests {
    private static let now = Date(timeIntervalSince1970: 1_772_323_200)
    private static let stat =
        "4711 (visiventd) S 1 4711 4711 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 9 0 360000 1000 2000 18"
    private let directory = TemporaryDirectory()

    private static func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The metrics of `visiventd health --prometheus` and of `/metrics`, with nothing left out.
    private func metrics() throws -> Set<String> {
        let now = Self.now
        let text = """
            geocoding:
              mapquest:
                key_file: /srv/mapquest.key
            sources:
              - name: messages
                kind: twitter
                enabled: true
                query: volcano
                bearer_token_file: /srv/token
            """
        let (settings, _) = try SettingsReader.parse(text, file: "/srv/visiventd.yaml", environment: [:])
        var record = SourceRecord(name: "messages", kind: "twitter")
        (record.nextDue, record.lastAttempt, record.lastSuccess, record.lastNew) = (now, now, now, now)
        (record.refused, record.paidReads) = (["expired": 2], 3)
        record.issues = ["bad_date": IssueCount(items: 7, sample: "item 1")]
        var counters = StoreCounters(
            events: ["message": 7], shown: ["messages": 7], polls: ["messages": 3], changes: 8)
        counters.failedPolls = ["messages": 1]
        counters.pollTime = ["messages": .milliseconds(1500)]
        counters.receivedBytes = ["messages": 4096]
        var stored = HealthFacts.Stored(
            sources: [record], begun: now, lastTruncation: now, lastTrusted: now,
            usage: [.mapquest: ProviderUsage(lastRequest: now, today: 4, thisMonth: 5)], counters: counters)
        stored.targets = (1...2).map { number in
            var state = TargetState(target: "desk d\(number)@example.org", name: "desk")
            (state.trouble.failingSince, state.outcomes) = (now, ["sent": 1, "waiting": number])
            return state
        }
        var facts = HealthFacts(
            now: now, settings: settings, isRunning: true, stored: .success(stored), freeBytes: 1 << 40)
        var process = try #require(ProcessFigures(stat: Self.stat, booted: now, pageBytes: 4096))
        process.openFiles = 12
        facts.process = process
        try Data().write(to: URL(fileURLWithPath: directory.path + "/copy.sqlite"))
        facts.backup = HealthFacts.Backup(newestIn: directory.path)
        let lines =
            HealthReport(facts).metrics(of: facts, program: "1")
            + HealthReport(ofRecord: stored, at: now).metrics(
                ofRecord: stored, at: now, program: "1", databaseBytes: 1, walBytes: 1, requests: [200: 6, 503: 1],
                process: process)
        for line in [
            "visiventd_source_failed_polls_total{source=\"messages\"} 1",
            "visiventd_source_poll_seconds_total{source=\"messages\"} 1.5",
            "visiventd_source_received_bytes_total{source=\"messages\"} 4096",
            "visiventd_source_paid_reads{source=\"messages\"} 3",
            "visiventd_source_paid_reads_limit{source=\"messages\"} 10000",
            "visiventd_geocode_requests_day{service=\"mapquest\"} 4",
            "visiventd_geocode_requests_month{service=\"mapquest\"} 5",
            "visiventd_geocode_limit_requests_day{service=\"mapquest\"} 500",
            "visiventd_configuration_last_reload_successful 1", "visiventd_last_backup_size_bytes 0",
            "visiventd_process_cpu_seconds_total 3", "visiventd_process_resident_memory_bytes 8192000",
            "visiventd_deliveries{target=\"desk\",outcome=\"sent\"} 2",
            "visiventd_deliveries{target=\"desk\",outcome=\"waiting\"} 3",
            "process_open_fds 12", "visiventd_serve_requests_total{code=\"503\"} 1",
        ] {
            #expect(lines.contains("\n\(line)\n"), "\(line)")
        }
        return Set(
            lines.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) })
    }

    /// The names in a text that look like metrics of this program.
    private static func names(in text: String) -> Set<String> {
        let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { String($0) }
        // No names of packages, such as visiventd_0.2.0.
        return Set(
            words.filter { word in
                ["visiventd_", "process_"].contains {
                    word.hasPrefix($0) && word.dropFirst($0.count).first?.isLetter == true
                }
            })
    }

    /// All texts of these members, however deep.
    private static func members(_ keys: Set<String>, of value: Any) -> [String] {
        if let list = value as? [Any] { return list.flatMap { members(keys, of: $0) } }
        guard let object = value as? [String: Any] else { return [] }
        return object.flatMap { key, value in
            (keys.contains(key) ? (value as? String).map { [$0] } : nil) ?? members(keys, of: value)
        }
    }

    @Test func eachExpressionOfTheDashboardNamesMetricsThatAreTold() throws {
        let told = try metrics()
        let data = Data(try Self.text("config/monitoring/grafana-dashboard.json").utf8)
        let dashboard = try JSONSerialization.jsonObject(with: data)
        let expressions = Self.members(["expr"], of: dashboard)
        #expect(expressions.count >= 25)
        for expression in expressions + Self.members(["definition"], of: dashboard) {
            let names = Self.names(in: expression)
            #expect(!names.isEmpty && names.isSubset(of: told), "\(expression)")
        }
    }

    @Test func theAlertsNameMetricsThatAreTold() throws {
        let told = try metrics()
        let lines = try Self.text("config/monitoring/rules.yaml").split(separator: "\n")
        let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("#") }.joined(separator: "\n")
        let names = Self.names(in: code)
        #expect(names.count >= 10)
        #expect(names.isSubset(of: told), "\(names.subtracting(told))")
    }

    @Test func everyMetricIsDocumented() throws {
        let documented = Self.names(in: try Self.text("docs/operations.md"))
        let told = try metrics()
        #expect(told.isSubset(of: documented), "\(told.subtracting(documented))")
        let gone = documented.filter { $0.hasPrefix("visiventd_") }.subtracting(told)
        #expect(gone.isEmpty, "\(gone)")
    }

    @Test func theFiguresAreThoseOfThisProgramAlone() throws {
        let figures = try #require(ProcessFigures(stat: Self.stat, booted: Self.now, pageBytes: 4096))
        #expect(figures.processorSeconds == 3)
        #expect(figures.residentBytes == 2000 * 4096)
        #expect(figures.started == Self.now + 3600)
        for other in [
            "", "4711", ") (visiventd S", "4711 (visiventd) S 1 2", Self.stat.replacing("visiventd", with: "other"),
            Self.stat.replacing("visiventd", with: "a) (visiventd"), Self.stat.replacing("250", with: "many"),
        ] {
            #expect(ProcessFigures(stat: other, booted: Self.now, pageBytes: 4096) == nil, "\(other)")
        }
        #expect(ProcessFigures(of: "0", now: Self.now) == nil)
    }

    @Test func theNewestWholeBackupCounts() throws {
        #expect(HealthFacts.Backup(newestIn: directory.path) == nil)
        #expect(HealthFacts.Backup(newestIn: directory.path + "/missing") == nil)
        let files = [
            ("1.sqlite", 60.0, 10), ("2.sqlite", 120, 20), ("3.sqlite.partial-7", 180, 30), ("4.txt", 240, 40),
        ]
        for (name, age, size) in files {
            let path = directory.path + "/" + name
            try Data(count: size).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.modificationDate: Self.now + age], ofItemAtPath: path)
        }
        try FileManager.default.createDirectory(
            atPath: directory.path + "/5.sqlite", withIntermediateDirectories: true)
        let backup = try #require(HealthFacts.Backup(newestIn: directory.path))
        #expect(backup.made == Self.now + 120)
        #expect(backup.bytes == 20)
    }
}
