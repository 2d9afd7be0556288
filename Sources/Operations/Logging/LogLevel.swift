public import Logging
public import Settings
import Synchronization

/// The least level that is written, for all loggers of the program; it may change while they are in use.
public final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    /// Creates a level.
    public init(_ level: Logger.Level) { self.level = Mutex(level) }

    /// The level as it is now.
    public var current: Logger.Level { level.withLock { $0 } }

    /// Changes it.
    public func change(to level: Logger.Level) { self.level.withLock { $0 = level } }
}

extension LogSettings {
    /// The level as the log takes it.
    public var loggerLevel: Logger.Level { Logger.Level(rawValue: level.rawValue) ?? .info }
}
