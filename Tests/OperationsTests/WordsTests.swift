import Foundation
import Model
import Operations
import Settings
import Store
import TestSupport
import Testing

/// What commands and the log say of ages, paid reads and secrets.
@Suite struct WordsTests {
    private let directory = TemporaryDirectory()

    @Test func otherAges() throws {
        let now = Date(timeIntervalSince1970: 1_772_323_200)
        let store = try EventStore(path: directory.path + "/events.sqlite")
        func settings(_ ages: [Int]) -> [SourceSettings] {
            zip(["a", "b", "c"], ages).map { name, hours in
                SourceSettings(
                    name: name, kind: "rss", url: "https://example.org/\(name)", maxAge: .seconds(hours * 3600))
            }
        }
        try store.reconcile(settings([72, 72, 72]), at: now)
        func words(_ ages: [Int]) throws -> [String] {
            try store.ageChanges(under: settings(ages), asOf: now).words
        }
        #expect(try words([72, 72, 72]).isEmpty)
        let longer = "a: max_age 3d becomes 7300d: its next poll asks once without validators"
        #expect(
            try words([7300 * 24, 24, 36]) == [
                longer,
                "b: max_age 3d becomes 1d, c: max_age 3d becomes 1d12h: the next truncation removes 0 events by it, "
                    + "for good",
            ])
        _ = try store.truncate(asOf: now)
        let past = "; what is older than 2026-02-26T00:00:00Z, its horizon, has been truncated and stays away"
        #expect(try words([7300 * 24, 72, 72]) == [longer + past])
        _ = try store.write([.reserve(Reservation(source: "a", at: now, reads: 1, monthlyCap: 1))])
        let paid = "a: max_age 3d becomes 4d: its paid reads are not made again"
        #expect(try words([96, 72, 72]) == [paid + past])
    }

    @Test func paidReads() {
        #expect(PaidReads.words(12, of: 1000) == "12 of 1000 paid reads this month")
        #expect(PaidReads.words(1, of: 1) == "1 of 1 paid reads this month")
        #expect(PaidReads.words(1, of: nil) == "1 paid read this month")
        let reads = PaidReads(monthlyCap: 10_000, perPoll: 100)
        #expect(reads.allowance(every: .seconds(3600)) == "at most 10000 paid reads a month (monthly_cap)")
        #expect(
            reads.allowance(every: .seconds(86_400))
                == "at most 3100 paid reads a month by its schedule, 10000 by monthly_cap")
        #expect(
            reads.allowance(every: .seconds(20 * 86_400))
                == "at most 200 paid reads a month by its schedule, 10000 by monthly_cap")
        let stream = PaidReads(monthlyCap: 1, perPoll: nil)
        #expect(stream.allowance(every: .seconds(86_400)) == "at most 1 paid read a month (monthly_cap)")
    }

    @Test func secretsThatOthersCanRead() throws {
        // Of root's own user nothing would be told.
        let owner = max(1, geteuid())
        for (name, mode) in [("open", 0o644), ("group", 0o640), ("own", 0o600)] as [(String, mode_t)] {
            let path = directory.path + "/" + name
            try Data("Bearer \(name)\n".utf8).write(to: URL(fileURLWithPath: path))
            #expect(chown(path, owner, getegid()) == 0 && chmod(path, mode) == 0)
        }
        let text = """
            database: events.sqlite
            geocoding: {mapquest: {key_file: group}}
            sources:
              - {name: a, kind: rss, url: "https://example.org/a", authorization_file: open}
              - {name: b, kind: rss, url: "https://example.org/b", authorization_file: own}
              - {name: c, kind: twitter, query: etna, bearer_token_file: open}

            """
        let (settings, sources) = try SettingsReader.parse(
            text, file: directory.path + "/v.yaml", environment: [:])
        let reader = SecretReader(environment: [:], user: owner)
        let words = settings.exposedSecrets(sources, reader).map {
            $0.replacingOccurrences(of: directory.path + "/", with: "")
        }
        func sentence(_ file: String, _ mode: String) -> String {
            "\(file) can be read by others than its owner (mode \(mode)): give it mode 0600, owned by the service's "
                + "user, or pass it with LoadCredential="
        }
        #expect(
            words == [
                "a: \(sentence("open", "0644"))", "c: \(sentence("open", "0644"))",
                "geocoding.mapquest: \(sentence("group", "0640"))",
            ])
        // The engine notices another content by it, which ends a back-off.
        #expect(sources[1].readSecrets(reader).secrets == ["authorization": Secret("Bearer own")])
    }
}
