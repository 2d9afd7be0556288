import Foundation
public import Model

/// What the lane of pictures starts from.
public struct PicturePlan: Sendable, Hashable {
    /// The hosts whose pictures are asked for.
    public var hosts: PictureHosts
    /// Least time between two requests for pictures, redirects included; default 10 s.
    public var gap: Duration

    /// Creates a plan for these hosts.
    public init(hosts: PictureHosts, gap: Duration = .seconds(10)) {
        self.hosts = hosts
        self.gap = gap
    }
}

/// An input about pictures. One that answers nothing changes nothing.
public enum PictureInput: Sendable {
    /// Further links may be named.
    case wanted
    /// The answer to `PictureEffect.take`.
    case taken(PictureChoice)
    /// The outcome of a request, by its number.
    case answered(number: Int, PictureOutcome, FetchFacts)
    /// A settlement was stored.
    case settled
    /// The store of pictures failed to carry out `take` or `settle`.
    case storeFailed
}

/// The outcome of a request for a picture.
public enum PictureOutcome: Sendable {
    /// A picture whose head was checked.
    case picture(PictureContent)
    /// A whole body that is no picture to keep, with what was found.
    case refused(String)
    /// 304.
    case unchanged
    /// A redirect to an absolute URL, which was not followed.
    case redirected(to: String)
    /// Any other outcome.
    case failed(Failure)
}

/// An action about pictures that the engine asks of the shell.
public enum PictureEffect: Sendable {
    /// Take the next due picture; answered by `taken` or `storeFailed`.
    case take
    /// Make a request and check the bytes; answered by `answered`.
    case request(number: Int, FetchRequest)
    /// Cancel a request; its outcome is ignored.
    case cancel(number: Int)
    /// Store what becomes of a picture; answered by `settled` or `storeFailed`.
    case settle(PictureSettlement)
}

/// Asks for pictures, one at a time and at a gap of their own.
///
/// A value within the engine, so that pictures pass the same gate of their host as polls: a picture waits while a poll of
/// its host waits or is under way, and one under way is given up when a poll comes.
struct PictureLane: Sendable {
    /// A request of a picture: the first, or that of a redirect.
    struct Hop: Sendable {
        var job: PictureJob
        var url: String
        var redirects = 0
    }

    enum Stage: Sendable {
        case idle
        case taking
        case waiting(Hop)
        case requesting(Hop, number: Int, host: String, until: Duration)
        case settling
    }

    let plan: PicturePlan
    var stage = Stage.idle
    /// Whether the store may have a due picture.
    var isWanted = false
    /// When a picture becomes due without an input, as uptime.
    var due: Duration?
    /// The uptime from which the gap allows the next request.
    var free: Duration
    /// When the engine's timer of the lane rings, as uptime.
    var alarm: Duration?
    /// Whether links were named while the store was asked.
    var isNews = false

    /// The most redirects of one picture.
    static let maximumRedirects = 5
    /// After it a request is cancelled.
    static let timeout = Duration.seconds(30)
    /// A picture is checked again after this time, and so is a link without one.
    static let interval = Duration.seconds(7 * 86_400)
    /// The wait after the first failure; it doubles up to `interval`.
    static let firstWait = Duration.seconds(3600)
    /// The longest wait for a host that has asked for a pause.
    static let longestQueueing = Duration.seconds(60)
    /// The wait after a poll took the host, and after the store failed.
    static let pause = Duration.seconds(600)

    /// - Parameter start: Uptime of the start. A life before may have sent a request just then, so the gap counts from it.
    init(_ plan: PicturePlan, start: Duration) {
        self.plan = plan
        free = start + plan.gap
    }

    /// What becomes of a picture by its last outcome, which is no redirect that is followed.
    static func settlement(
        of hop: Hop, _ outcome: PictureOutcome, facts: FetchFacts, spread: Double, at now: Moment
    ) -> PictureSettlement {
        let job = hop.job
        let (result, wait): (PictureSettlement.Outcome, Duration) =
            switch outcome {
            case .picture(let content): (.kept(content, facts.validators), interval)
            case .refused(let found): (.failed("found \(found)"), interval)
            case .unchanged: (.unchanged(facts.validators), interval)
            case .redirected: (.failed("leads to a host that is not listed"), interval)
            case .failed(let failure):
                if let status = failure.status, [403, 404, 410].contains(status) {
                    (.gone("answered \(status)"), interval)
                } else if failure.hasCode(.refusedAddress) || failure.hasCode(.tooLarge) {
                    (.failed(failure.code), interval)
                } else {
                    (.failed(failure.code), Self.wait(after: job.failures + 1, spread: spread))
                }
            }
        var due = now.wall(at: now.uptime + wait)
        if case .failed(let failure) = outcome, let asked = failure.retryAfter {
            due = max(due, min(asked, now.wall(at: now.uptime + Backoff.longest)))
        }
        return PictureSettlement(key: job.key, outcome: result, due: due, redirects: hop.redirects)
    }

    private static func wait(after failures: Int, spread: Double) -> Duration {
        min(firstWait * (1 << min(failures - 1, 8)), interval) * (0.8 + 0.4 * spread)
    }
}
