/// The purpose of a timer; an `Int` is the index of a source.
enum Timer: Sendable {
    case due(Int)
    case host
    case picture
    case slot(FetchID)
    case truncation
    case storeProbe
    case diskProbe
    case note(Int)
    case drainTimeout(Int)
    case shutdownTimeout
    case storeTimeout
}

/// A timer that is set.
struct TimerEntry: Sendable, Comparable {
    var at: Duration
    /// Keeps timers of one time in the order in which they were set.
    var number: Int
    var timer: Timer

    static func < (a: Self, b: Self) -> Bool { (a.at, a.number) < (b.at, b.number) }
    static func == (a: Self, b: Self) -> Bool { a.number == b.number }
}
