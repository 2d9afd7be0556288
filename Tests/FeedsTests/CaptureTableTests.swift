import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// Every real capture beside the checkout gives the numbers in `Fixtures/captures.tsv`.
@Suite struct CaptureTableTests {
    private struct Row {
        var file: String
        var kind: String
        var counts: [String: String]
    }

    private func rows() throws -> [Row] {
        let table = String(decoding: try Fixtures.data("captures.tsv"), as: UTF8.self)
        return table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let pairs = cells[2].split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            return Row(
                file: cells[0], kind: cells[1],
                counts: Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) }))
        }
    }

    private func counts(_ row: Row) throws -> [String: String] {
        let kind = try #require(FeedRegistry.all.first { $0.kind.name == row.kind })
        var settings = SourceSettings(name: "capture", kind: row.kind, url: "file:/capture")
        for option in kind.kind.options { settings.options[option.key] = option.defaultValue }
        let feed = try kind.init(settings)
        let response = FeedResponse(request: FeedRequest(url: settings.url), body: try Captures.data(row.file))
        let answer: FeedAnswer
        do {
            answer = try feed.decode(response, for: PollContext(now: Date(milliseconds: 1_790_000_000_000)))
        } catch {
            #expect(error.fault == .feed)
            return ["failure": error.code]
        }
        var counts = answer.tallies
        counts["located"] = answer.events.count { $0.location != nil }
        counts["dated"] = answer.events.count { $0.time != nil }
        counts["withdrawals"] = answer.withdrawals.count
        counts["issues"] = answer.issues.count
        counts["refused"] = answer.issues.count(where: \.costsItem)
        counts["follow_ups"] = answer.followUps.count
        counts = counts.filter { $0.value != 0 }
        counts["events"] = answer.events.count
        return counts.mapValues(String.init)
    }

    @Test(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func everyCaptureGivesItsNumbers() throws {
        for row in try rows() { #expect(try counts(row) == row.counts, "\(row.file)") }
    }

    @Test(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func everyCaptureIsInTheTable() throws {
        let listed = Set(try rows().map(\.file))
        for folder in ["usgs", "gvp", "cap", "kml", "rss", "twitter"] {
            for file in try Captures.files(in: folder) where file != "PROVENANCE.md" {
                #expect(listed.contains("\(folder)/\(file)"), "\(folder)/\(file)")
            }
        }
    }

    @Test(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func noCaptureIsPinnedToNowhere() throws {
        for row in try rows() where row.counts["failure"] == nil {
            let kind = try #require(FeedRegistry.all.first { $0.kind.name == row.kind })
            let feed = try kind.init(SourceSettings(name: "capture", kind: row.kind, url: "file:/capture"))
            let response = FeedResponse(request: FeedRequest(url: "file:/capture"), body: try Captures.data(row.file))
            let events = try feed.decode(response, for: PollContext(now: Date(milliseconds: 0))).events
            for event in events {
                if let point = event.location?.coordinate { #expect(point.latitude != 0 || point.longitude != 0) }
                #expect(!event.title.isEmpty && !event.title.contains("<b>") && !event.title.contains("&amp;"))
            }
        }
    }
}
