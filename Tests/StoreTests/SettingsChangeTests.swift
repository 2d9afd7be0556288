import Foundation
import Model
import Testing

@testable import Store

/// The effect of differing sources, topics and settings on one event.
@Suite struct SettingsChangeTests {
    private func step(
        _ test: TestStore, _ events: [Event], minute: Double, fingerprint: String, covers: Bool = true,
        topic: String? = nil
    ) throws -> StepResult {
        var answer = FeedAnswer(events: events)
        answer.topic = topic
        if covers {
            answer.coverage = Coverage(
                provider: "usgs", generated: start + minute * 60, window: (start - 48 * 3600)...start,
                present: events.map(\.id))
        }
        return try test.step(
            PollStep(source: "quakes", at: start + minute * 60, answer: answer, fingerprint: fingerprint))
    }

    @Test func anotherPeriodWithdrawsNothingThatItNeverPromised() throws {
        let test = try TestStore()
        let all = (0..<20).map { quake("us\($0)") }
        _ = try step(test, all, minute: 1, fingerprint: "all_day")
        for minute in 2...4 {
            let result = try step(test, Array(all.prefix(6)), minute: Double(minute), fingerprint: "4.5_day")
            #expect(result.withdrawn == 0, "minute \(minute)")
        }
        let gone = try step(test, Array(all.prefix(5)), minute: 5, fingerprint: "4.5_day")
        #expect(gone.withdrawn == 1, "what it does promise it can take back")
    }

    @Test func aMergeDoesNotRenewAPromise() throws {
        let test = try TestStore()
        let kept = quake("us9")
        try test.poll([quake("us0")], from: "more")
        _ = try step(test, [quake("us1"), kept], minute: 1, fingerprint: "all_day")
        _ = try step(test, [kept], minute: 2, fingerprint: "4.5_day")
        #expect(try test.poll([quake("us0", aliases: ["us1"])], from: "more").merged == 1)
        #expect(try step(test, [kept], minute: 3, fingerprint: "4.5_day").withdrawn == 0)
    }

    @Test func anEventOfAnotherPeriodIsPromisedAgainWhenItIsShown() throws {
        let test = try TestStore()
        let (a, b) = (quake("us1"), quake("us2"))
        _ = try step(test, [a, b], minute: 1, fingerprint: "all_day")
        _ = try step(test, [a], minute: 2, fingerprint: "4.5_day")
        _ = try step(test, [a, b], minute: 3, fingerprint: "4.5_day")
        #expect(try step(test, [a], minute: 4, fingerprint: "4.5_day").withdrawn == 1)
    }

    @Test func oneEventUnderTwoNamesInOneDocumentDoesNotFlip() throws {
        let test = try TestStore()
        let first = quake("us1", aliases: ["ci1"], updated: 1, magnitude: 5)
        let second = quake("ci1", aliases: ["us1"], updated: 1, magnitude: 5.1)
        try test.poll([first, second])
        let revision = try test.value("SELECT revision FROM events_v1")
        for minute in 1...3 {
            let result = try test.poll([first, second], at: start + Double(minute) * 60)
            #expect(result.changed == 0)
        }
        #expect(try test.value("SELECT revision FROM events_v1") == revision)
        #expect(try test.rows("SELECT upstream_id FROM events_v1").count == 1)
    }

    @Test func topicsThatWordOneStoryDifferentlyDoNotFlip() throws {
        let test = try TestStore()
        var world = quake("us1")
        world.summary = "as told in world"
        var science = world
        science.summary = "as told in science"
        for minute in 1...4 {
            let first = try step(
                test, [world], minute: Double(minute), fingerprint: "f", covers: false, topic: "world")
            let second = try step(
                test, [science], minute: Double(minute), fingerprint: "f", covers: false, topic: "science")
            if minute > 1 { #expect(first.changed + second.changed == 0, "round \(minute)") }
        }
        world.summary = "news"
        #expect(try step(test, [world], minute: 9, fingerprint: "f", covers: false, topic: "world").changed == 1)
    }

    @Test func otherSettingsForgetStateAndPendingWork() throws {
        let test = try TestStore()
        func begin(_ fingerprint: String) throws -> SourceRecord? {
            let beginning = PollBeginning(source: "quakes", at: start, nextDue: start + 60, fingerprint: fingerprint)
            guard case .begun(let record)? = try test.store.write([.begin(beginning)]).first else { return nil }
            return record
        }
        _ = try begin("f1")
        let work = WorkList(
            pending: [WorkList.Pending(request: FeedRequest(url: "https://example.org/d"), chain: 0)],
            chains: [WorkList.Chain()])
        try test.step(
            PollStep(
                source: "quakes", at: start, fingerprint: "f1", state: FeedState(["since_id": "7"]), work: work))
        let same = try #require(try begin("f1"))
        #expect(same.state == FeedState(["since_id": "7"]) && same.work == work)
        let other = try #require(try begin("f2"))
        #expect(other.state == FeedState() && other.work == nil)
        #expect(try begin("f2")?.state == FeedState())
    }
}
