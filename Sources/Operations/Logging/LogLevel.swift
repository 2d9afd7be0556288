public import Logging
public import Settings
import Synchronization

/// The lowest level that is written, shared by all loggers of the program. It may change at any time, from any thread.
public final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    /// Creates a level; the argument is the present one.
    public init(_ level: Logger.Level) { self.level = Mutex(level) }

    /// The present level.
    public var current: Logger.Level { level.withLock { $0 } }

    /// Changes the level of all loggers that share it.
    public func change(to level: Logger.Level) { self.level.withLock { $0 = level } }
}

extension LogSettings {
    /// The configured level as a level of swift-log.
    public var loggerLevel: Logger.Level { Logger.Level(rawValue: level.rawValue) ?? .info }
}
