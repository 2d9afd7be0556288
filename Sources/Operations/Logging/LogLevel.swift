public import Logging
public import Settings
import Synchronization

/// The lowest level that is written, shared by all loggers of the program. It may change at any time, from any thread.
public final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    /// Creates a level that is shared by handing on this object; the argument is the present one.
    public init(_ level: Logger.Level) { self.level = Mutex(level) }

    /// The present level; takes a lock for a moment.
    public var current: Logger.Level { level.withLock { $0 } }

    /// Changes the level of all loggers that share it, from their next line on; a logger with a level of its own keeps
    /// it.
    public func change(to level: Logger.Level) { self.level.withLock { $0 = level } }
}

extension LogSettings {
    /// The configured level as a level of swift-log, which has the same names.
    public var loggerLevel: Logger.Level { Logger.Level(rawValue: level.rawValue) ?? .info }
}
