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
    private var tallies: [String: Int] = [:]

    /// - Parameters:
    ///   - isCount: Whether only the sums are printed.
    ///   - authority: That of a source of the kind which has no more.
    init(isCount: Bool, authority: Authority) {
        self.isCount = isCount
        self.authority = authority
    }

    /// Adds an answer, or the next piece of one.
    mutating func take(_ answer: FeedAnswer) {
        for provider in answer.events.map(\.provider) + answer.withdrawals.map(\.provider)
        where authority.isClaim(provider) {
            claims[provider, default: 0] += 1
        }
        guard !isCount else { return count(answer) }
        var output = Output()
        for event in answer.events { output.json(event.json) }
        for withdrawal in answer.withdrawals { output.json(withdrawal.json) }
        output.flush()
        for issue in answer.issues { Terminal.printError("\(issue)") }
        for request in answer.followUps {
            Terminal.printError("would ask \(request.role): \(request.url)")
        }
    }

    private mutating func count(_ answer: FeedAnswer) {
        events += answer.events.count
        for event in answer.events {
            if event.location != nil { located += 1 }
            if event.time != nil { dated += 1 }
        }
        withdrawals += answer.withdrawals.count
        for issue in answer.issues {
            issues += issue.times
            if issue.costsItem { refused += issue.times }
        }
        followUps += answer.followUps.count
        tallies.merge(answer.tallies, uniquingKeysWith: +)
    }

    /// Prints the claims, or the sums if only they are wanted.
    func finish() {
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
