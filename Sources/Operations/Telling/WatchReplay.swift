import Engine
package import Foundation
import Model
package import Store
package import Telling

/// The teller over past changes, each at its own time; its target takes every message at once.
package struct WatchReplay {
    /// The messages that would have been sent.
    package private(set) var messages: [Announcement] = []
    private var teller = Teller(seed: 0)
    private let replay: ToldReplay
    private let start: Date
    private var now: Moment
    /// The time of the last change taken.
    private var last: Date?

    /// Begins at a time; what was there before is not told.
    package init(_ plan: TellingPlan, from start: Date) throws {
        replay = try ToldReplay(plan)
        self.start = Date(milliseconds: start.milliseconds)
        now = Moment(wall: self.start, uptime: .zero)
        try give(.trusts(true))
        try give(.configure(plan))
    }

    /// Takes the next change. Those of one moment are judged together.
    package mutating func take(_ step: ToldReplay.Step) throws {
        var step = step
        if step.at < start { step.silence = .before }
        if step.at != last { try advance(to: step.at) }
        last = step.at
        replay.add(step)
    }

    /// Judges the changes taken, and lets time pass.
    package mutating func advance(to time: Date) throws {
        try give(.committed)
        let end = max(now.uptime, .milliseconds(time.milliseconds - start.milliseconds))
        while let wake = teller.nextWake, wake <= end {
            set(max(wake, now.uptime))
            try give(.tick)
        }
        set(end)
    }

    /// Sets the time; in whole milliseconds, as the record keeps it.
    private mutating func set(_ uptime: Duration) {
        now = Moment(wall: Date(milliseconds: start.milliseconds + uptime.milliseconds), uptime: uptime)
    }

    private mutating func give(_ input: TellerInput) throws {
        for effect in teller.handle(input, at: now) {
            switch effect {
            case .ask(let task, let time):
                var made: [Announcement] = []
                let answer = try replay.tell(task, at: time) { message in
                    made.append(message)
                    return Data()
                }
                messages += made
                try give(.stored(answer))
            case .send(let order):
                try give(.answered(target: order.target, id: order.id, DeliveryOutcome(sent: "replayed")))
            default: break
            }
        }
    }
}
