public import Foundation
public import Logging
import Model

/// Writes each log event as one line in one of the formats. Control characters are escaped or replaced.
///
/// Keys are in the order of `LogKey`, others follow by name; those of the event take precedence over those of the
/// logger.
public struct LineLogHandler: LogHandler {
    /// The lowest level that this logger writes: the shared level, or its own once it has been set.
    public var logLevel: Logger.Level {
        get { ownLevel ?? level.current }
        set { ownLevel = newValue }
    }
    /// The logger's own keys and values, added to each of its lines; empty at first.
    public var metadata: Logger.Metadata = [:]
    private let format: LogFormat
    private let isJournal: Bool
    private let level: LogLevel
    private var ownLevel: Logger.Level?
    private let now: @Sendable () -> Date
    private let completing: @Sendable (String) -> String
    private let output: @Sendable (String) -> Void

    /// Creates a handler without metadata.
    ///
    /// - Parameters:
    ///   - format: The format of a line.
    ///   - isJournal: Whether the output is the journal: lines of `json` then begin with their priority, too, which the
    ///     journal takes off (sd-daemon(3)); default false.
    ///   - level: The lowest level that is written, unless the logger has one of its own.
    ///   - now: Returns wall time; called for each line of `logfmt` and `json`.
    ///   - completing: Completes commands that a value recommends; not called for numbers. By default values stay as
    ///     they are.
    ///   - output: Takes each line with its line feed, on the thread that logs; default: `standardError`.
    public init(
        format: LogFormat, isJournal: Bool = false, level: LogLevel, now: @escaping @Sendable () -> Date,
        completing: @escaping @Sendable (String) -> String = { $0 },
        output: @escaping @Sendable (String) -> Void = LineLogHandler.standardError
    ) {
        self.format = format
        self.isJournal = isJournal
        self.level = level
        self.now = now
        self.completing = completing
        self.output = output
    }

    /// Writes a line to standard error in one call of write(2), so lines of several threads do not mix. Errors are
    /// ignored.
    public static let standardError: @Sendable (String) -> Void = { line in
        var line = line
        line.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }

    /// The logger's own value of a key; nil if there is none. Nil removes the key.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line for the event at once, on the calling thread; the caller has checked its level.
    public func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted {
            (Self.rank($0.key), $0.key) < (Self.rank($1.key), $1.key)
        }
        let text = "\(event.message)"
        let shown = text.safeToShow
        let priority = "<\(event.level.journalPriority)>"
        switch format {
        case .json: output((isJournal ? priority : "") + json(event.level, text, facts))
        case .logfmt: output("\(now().timestamp) \(event.level.padded) \(shown)\(pairs(facts))\n")
        case .journal: output("\(priority)\(shown)\(pairs(facts))\n")
        }
    }

    private static let ranks = Dictionary(uniqueKeysWithValues: LogKey.order.enumerated().map { ($1, $0) })

    private static func rank(_ key: String) -> Int { ranks[key] ?? ranks.count }

    private typealias Facts = [(key: String, value: Logger.MetadataValue)]

    private func pairs(_ facts: Facts) -> String {
        facts.compactMap { key, value in words(of: value).map { " \(key)=\(Self.quoted($0))" } }.joined()
    }

    /// The value in words; nil: left out.
    private func words(of value: Logger.MetadataValue) -> String? {
        if case .stringConvertible(let value as LogValue) = value { return value.words }
        return completing("\(value)")
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { $0 > " " && $0 != "\"" && $0 != "=" && !$0.isUnsafeToShow }
        return isPlain && !value.isEmpty ? value : escaped(value)
    }

    /// A JSON string with quotes, backslashes, control characters and direction marks escaped.
    private static func escaped(_ value: String) -> String {
        let text = value.replacing { scalar, text in
            switch scalar {
            case "\"": text += "\\\"".utf8
            case "\\": text += "\\\\".utf8
            case "\n": text += "\\n".utf8
            case _ where scalar.isUnsafeToShow: text.append(jsonEscaping: scalar)
            default: return false
            }
            return true
        }
        return "\"\(text)\""
    }

    private func json(_ level: Logger.Level, _ text: String, _ facts: Facts) -> String {
        var line = "{\"time\":\"\(now().timestamp)\",\"level\":\"\(level.rawValue)\",\"message\":\(Self.escaped(text))"
        for (key, value) in facts { line += ",\(Self.escaped(key)):\(json(value))" }
        return line + "}\n"
    }

    private func json(_ value: Logger.MetadataValue) -> String {
        if case .stringConvertible(let value as LogValue) = value { return value.json }
        return Self.escaped(completing("\(value)"))
    }
}

extension Logger.Level {
    /// The priority of syslog(3), as in sd-daemon(3).
    fileprivate var journalPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    fileprivate var padded: String { rawValue.padding(toLength: 7, withPad: " ", startingAt: 0) }
}
