import Foundation
import Model
import Settings
import Store
import Testing

@testable import Operations

/// Metrics in Prometheus' text exposition format 0.0.4.
@Suite struct HealthMetricsTests {
    private let now = Date(timeIntervalSince1970: 1_772_323_200)

    private func lines(_ name: String = "quakes", isRunning: Bool? = true, isReadable: Bool = true) -> [String] {
        let settings = Settings(
            database: "/srv/v/events.sqlite",
            sources: [SourceSettings(name: name, kind: "usgs", url: "https://example.org/")])
        var record = SourceRecord(name: name, kind: "usgs")
        (record.nextDue, record.lastAttempt, record.lastSuccess) = (now + 60.5, now - 60, now - 60)
        record.refused = ["expired": 2]
        record.shortfalls = [Shortfall(part: "documents", since: now, words: "a.test answered 503")]
        record.issues = ["bad_date": IssueCount(items: 7, sample: "item 1")]
        record.use = SourceUse(
            total: StoredAmount(rows: 9, bytes: 900), ofDay: StoredAmount(rows: 2, bytes: 200),
            day: SourceUse.day(of: now))
        let stored = HealthFacts.Stored(
            sources: [record], begun: now - 60, usage: [.nominatim: ProviderUsage(lastRequest: now)],
            counters: StoreCounters(
                events: ["earthquake": 7, "news": 1], shown: [name: 8, "gone": 1], polls: [name: 3], changes: 1 << 40))
        let facts = HealthFacts(
            now: now, settings: settings, isRunning: isRunning,
            stored: isReadable ? .success(stored) : .failure(StoreError(.corrupt, "damaged")), freeBytes: 1 << 40,
            databaseBytes: 4096)
        let text = HealthReport(facts).metrics(of: facts, program: "0.2.0+git1")
        #expect(text.hasSuffix("\n"))
        return text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    @Test func eachMetricHasItsHelpAndTypeRightBeforeItsSamples() throws {
        var families: [String] = []
        var lines = self.lines()[...]
        while let help = lines.popFirst() {
            let words = help.split(separator: " ")
            try #require(words.count > 3 && words[0] == "#" && words[1] == "HELP", "\(help)")
            let name = String(words[2])
            #expect(name.hasPrefix("visiventd_") && name.allSatisfy { $0 == "_" || ("a"..."z").contains($0) })
            #expect(lines.popFirst() == "# TYPE \(name) \(name.hasSuffix("_total") ? "counter" : "gauge")")
            var samples = 0
            while let sample = lines.first, !sample.hasPrefix("#") {
                lines.removeFirst()
                samples += 1
                let rest = sample.dropFirst(name.count)
                #expect(sample.hasPrefix(name) && (rest.hasPrefix(" ") || rest.hasPrefix("{")), "\(sample)")
                #expect(rest.split(separator: " ").last.flatMap { Double($0) } != nil, "\(sample)")
            }
            #expect(samples > 0)
            families.append(name)
        }
        #expect(Set(families).count == families.count, "a metric's samples stand together")
    }

    @Test func timesAreSecondsAndVerdictsNumbers() {
        let lines = lines()
        for line in [
            "visiventd_up 1", "visiventd_build_info{version=\"0.2.0+git1\"} 1",
            "visiventd_check_status{check=\"daemon\"} 0",
            "visiventd_source_status{source=\"quakes\"} 0",
            "visiventd_source_last_success_timestamp_seconds{source=\"quakes\"} 1772323140",
            "visiventd_source_next_poll_timestamp_seconds{source=\"quakes\"} 1772323260.5",
            "visiventd_source_shortfalls{source=\"quakes\"} 1",
            "visiventd_source_failures{source=\"quakes\"} 0", "visiventd_disk_free_floor_bytes 268435456",
            "visiventd_database_size_bytes 4096", "visiventd_events{category=\"earthquake\"} 7",
            "visiventd_changes_total 1099511627776", "visiventd_source_events{source=\"quakes\"} 8",
            "visiventd_source_polls_total{source=\"quakes\"} 3",
            "visiventd_source_refused_items_total{source=\"quakes\",reason=\"expired\"} 2",
            "visiventd_source_issues{source=\"quakes\",code=\"bad_date\"} 7",
            "visiventd_source_stored_rows{source=\"quakes\"} 9", "visiventd_source_stored_bytes{source=\"quakes\"} 900",
            "visiventd_source_stored_limit_rows{source=\"quakes\"} 5000000",
            "visiventd_source_today_bytes{source=\"quakes\"} 200",
            "visiventd_source_today_limit_bytes{source=\"quakes\"} 536870912",
            "visiventd_geocode_last_request_timestamp_seconds{service=\"nominatim\"} 1772323200",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!lines.contains { $0.contains("last_truncation") }, "what has never been is left out")
    }

    @Test func whatCannotBeReadIsLeftOut() {
        let lines = lines(isRunning: nil, isReadable: false)
        #expect(lines.contains("visiventd_up 0"))
        #expect(lines.contains("visiventd_check_status{check=\"database\"} 2"))
        #expect(!lines.contains { $0.hasPrefix("visiventd_source") || $0.hasPrefix("visiventd_database_size") })
    }

    @Test func labelsAndHelpAreEscaped() {
        var text = PrometheusText()
        text.gauge("a", "one\\two\n\"three\"", [PrometheusText.Sample(1, ("x", "\"\\\nü"), ("y", ""))])
        text.gauge("b", "nothing", value: nil)
        #expect(text.text == "# HELP a one\\\\two\\n\"three\"\n# TYPE a gauge\na{x=\"\\\"\\\\\\nü\",y=\"\"} 1\n")
    }
}
