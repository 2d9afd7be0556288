import Foundation
import Model
import Telling

/// What is under way to one target, which for mail is one recipient.
struct TellerLane: Sendable {
    let target: Target
    /// The message under way.
    var flight: Order?
    /// When something may be due, as uptime; nil: nothing waits.
    var due: Duration?
    /// When it was last asked for a message, as uptime.
    var lastTaken = Duration.zero
}

/// The circuit of a configured target: all recipients of a mail target share its server.
///
/// | failures | 1 | 2 | 3 | 4 | 5 | 6 | 7 and more |
/// |---|---|---|---|---|---|---|---|
/// | wait | 5 s | 15 s | 1 m | 2 m | 5 m | 10 m | 15 m |
///
/// The waits are spread by ±20 %. After an attempt that may have reached the target they are a minute at least, after a
/// refusal an hour. A longer Retry-After applies, up to a day. One message goes when the wait is over, and the next ones
/// when it was taken.
struct TellerCircuit: Sendable {
    static let waits: [Duration] = [5, 15, 60, 120, 300, 600, 900].map { .seconds($0) }
    static let refusalWait = Duration.seconds(3600)
    static let leastAfterPerhaps = Duration.seconds(60)

    /// What is stored of it.
    private(set) var trouble: TargetTrouble
    private var failures = 0
    /// Before this uptime nothing is sent.
    private(set) var until = Duration.zero
    private var flaps = FlapDamper()

    init(_ trouble: TargetTrouble, at now: Moment) {
        self.trouble = trouble
        if let asked = trouble.retryAfter { pause(until: asked, at: now) }
    }

    /// Pauses until a wall time, within a day from now.
    mutating func pause(until asked: Date, at now: Moment) {
        until = max(until, min(now.uptime(at: asked), now.uptime + Backoff.longest))
    }

    /// Notes that the target has answered. Returns how long it had been failing, if that is to be told.
    mutating func succeed(at now: Moment) -> Duration? {
        let since = trouble.failingSince
        (failures, trouble) = (0, TargetTrouble())
        guard let since, flaps.recovered() else { return nil }
        return Duration(clampingSeconds: now.wall.timeIntervalSince(since))
    }

    /// Notes a failure; `spread` is a random number in 0…1.
    /// - Returns: How many failures were left out before this one, which is to be told; nil if it is not.
    mutating func fail(
        _ verdict: DeliveryOutcome.Verdict, _ failure: Failure, spread: Double, at now: Moment
    ) -> Int? {
        failures += 1
        let isNew = trouble.failingSince == nil
        trouble.failingSince = trouble.failingSince ?? now.wall
        (trouble.failure, trouble.retryAfter) = (failure.message, failure.retryAfter)
        trouble.isGone = verdict == .gone
        var wait = Self.waits[min(failures, Self.waits.count) - 1]
        if verdict == .perhaps { wait = max(wait, Self.leastAfterPerhaps) }
        if verdict == .refused { wait = Self.refusalWait }
        until = max(until, now.uptime + wait * (0.8 + 0.4 * spread))
        if let asked = failure.retryAfter { pause(until: asked, at: now) }
        let leftOut = flaps.failed(isNew: isNew, at: now.uptime)
        return trouble.isGone ? leftOut ?? 0 : leftOut
    }
}
