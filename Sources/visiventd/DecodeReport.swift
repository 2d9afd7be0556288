import Model
import Presenting

/// The output of `decode`: events on standard output and issues on standard error, or only the sums of both.
struct DecodeReport {
    private let isCount: Bool
    private var (events, located, dated) = (0, 0, 0)
    private var withdrawals = 0
    private var (issues, refused) = (0, 0)
    private var followUps = 0
    /// Events and withdrawals that name a provider other than the source, by that provider.
    private var claims: [String: Int] = [:]
    private let authority: Authority
    private let filter: Filter
    private var tallies: [String: Int] = [:]
    /// Issues that are not printed yet.
    private var found: [FeedIssue] = []

    /// The most issues that are held back to print equal ones as one.
    private static let mostFound = 10_000

    /// - Parameters:
    ///   - isCount: Whether only the sums are printed.
    ///   - authority: That of a source of the kind which has no more.
    ///   - filter: The filter to try; events that it refuses are printed as such.
    init(isCount: Bool, authority: Authority, filter: Filter) {
        self.isCount = isCount
        self.authority = authority
        self.filter = filter
    }

    /// Adds an answer, or the next piece of one.
    mutating func take(_ answer: FeedAnswer) {
        for event in answer.events.indices { claim(answer.events[event].provider) }
        for withdrawal in answer.withdrawals { claim(withdrawal.provider) }
        guard !isCount else { return count(answer) }
        var output = Output()
        var refused: [(event: Event, reason: String)] = []
        for event in answer.events {
            guard let reason = filter.refusal(of: event) else {
                output.json(event.json)
                continue
            }
            refused.append((event, reason))
        }
        for withdrawal in answer.withdrawals { output.json(withdrawal.json) }
        output.flush()
        for (event, reason) in refused { Terminal.printError("refused: \(reason): \(event.title) (\(event.id))") }
        found += answer.issues
        if found.count > Self.mostFound { showIssues() }
        for request in answer.followUps {
            Terminal.printError("would ask \(request.role): \(request.url)")
        }
    }

    /// Prints the issues so far, equal ones as one line with their number.
    mutating func showIssues() {
        for issue in found.withoutRepetition { Terminal.printError("\(issue)") }
        found = []
    }

    private mutating func claim(_ provider: String) {
        if authority.isClaim(provider) { claims[provider, default: 0] += 1 }
    }

    private mutating func count(_ answer: FeedAnswer) {
        // Events are large, and a loop over them copies each.
        for index in answer.events.indices {
            if let reason = filter.refusal(of: answer.events[index]) {
                refused += 1
                tallies["refused_\(reason)", default: 0] += 1
                continue
            }
            events += 1
            if answer.events[index].location != nil { located += 1 }
            if answer.events[index].time != nil { dated += 1 }
        }
        withdrawals += answer.withdrawals.count
        for issue in answer.issues {
            issues += issue.times
            if issue.costsItem { refused += issue.times }
        }
        followUps += answer.followUps.count
        tallies.merge(answer.tallies, uniquingKeysWith: +)
    }

    /// Prints the issues and claims, or the sums if only they are wanted.
    mutating func finish() {
        showIssues()
        guard isCount else {
            for (provider, items) in claims.sorted(by: { $0.key < $1.key }) {
                let hosts = Authority.hosts[provider]?.joined(separator: ", ")
                let proof = hosts.map { $0.isEmpty ? "" : "below \($0), or " } ?? "that showed it first, or "
                Terminal.printError(
                    "claim: \(items.counted("event")) of \(provider): taken from a source \(proof)"
                        + "with trusted_for: [\(provider.jsonQuoted)]")
            }
            return
        }
        var sums = [
            ("events", events), ("located", located), ("dated", dated), ("withdrawals", withdrawals),
            ("issues", issues), ("refused", refused), ("follow_ups", followUps), ("claims", claims.values.reduce(0, +)),
        ]
        sums += tallies.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        Terminal.print(sums.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
    }
}
