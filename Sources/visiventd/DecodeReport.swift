import Model
import Reading

/// What `decode` prints: events on standard output, issues on standard error, or only the sums of both.
struct DecodeReport {
    private let isCount: Bool
    private var sums = [0, 0, 0, 0, 0, 0, 0]
    private var tallies: [String: Int] = [:]

    private static let words = ["events", "located", "dated", "withdrawals", "issues", "refused", "follow_ups"]

    /// - Parameter isCount: whether only sums are wanted.
    init(isCount: Bool) { self.isCount = isCount }

    /// Takes an answer, or the next piece of one.
    mutating func take(_ answer: FeedAnswer) {
        guard !isCount else { return count(answer) }
        var output = Output()
        for event in answer.events {
            var writer = JSONWriter()
            writer.members(of: event)
            output.line(writer.finish())
        }
        for withdrawal in answer.withdrawals {
            var writer = JSONWriter()
            writer.member("provider", withdrawal.provider)
            writer.member("upstream_id", withdrawal.id)
            writer.member("withdrawn", withdrawal.reason.rawValue)
            writer.member("evidence", withdrawal.evidence)
            output.line(writer.finish())
        }
        output.flush()
        for issue in answer.issues { Terminal.complain(Terminal.safe("\(issue)")) }
        for request in answer.followUps {
            Terminal.complain("would ask \(request.role): \(Terminal.safe(request.url))")
        }
    }

    private mutating func count(_ answer: FeedAnswer) {
        sums[0] += answer.events.count
        for event in answer.events {
            if event.location != nil { sums[1] += 1 }
            if event.time != nil { sums[2] += 1 }
        }
        sums[3] += answer.withdrawals.count
        for issue in answer.issues {
            sums[4] += issue.times
            if issue.costsItem { sums[5] += issue.times }
        }
        sums[6] += answer.followUps.count
        tallies.merge(answer.tallies, uniquingKeysWith: +)
    }

    /// Prints the sums, if these are wanted.
    func finish() {
        guard isCount else { return }
        let all = Array(zip(Self.words, sums)) + tallies.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        print(all.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
    }
}
