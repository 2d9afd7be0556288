public import Foundation

/// A time by both clocks of the machine.
public struct Moment: Sendable, Hashable {
    /// Wall time; may be wrong and may step.
    public var wall: Date
    /// Time since the machine started, suspends included (CLOCK_BOOTTIME); never steps.
    public var uptime: Duration

    /// Creates a moment; that both times belong together is not checked.
    public init(wall: Date, uptime: Duration) {
        self.wall = wall
        self.uptime = uptime
    }

    /// The wall time at the given uptime, past or future, if the clock does not step.
    public func wall(at uptime: Duration) -> Date {
        wall.addingTimeInterval((uptime - self.uptime).seconds)
    }

    /// The uptime at the given wall time, to the millisecond, if the clock does not step; negative before the
    /// machine's start.
    public func uptime(at wall: Date) -> Duration {
        uptime + .milliseconds(wall.milliseconds - self.wall.milliseconds)
    }
}
