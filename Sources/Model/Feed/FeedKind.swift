/// What the configuration needs to know of a kind of feed.
public struct FeedKind: Sendable {
    /// The word users write: `usgs`.
    public var name: String
    /// Other words for it, in small letters, that are answered with `name`: `atom`.
    public var synonyms: [String]
    /// One line for `visiventd decode --help` and the documentation.
    public var summary: String
    /// Raised whenever the same bytes would give other events; validators from another version are not sent.
    public var decoderVersion: Int
    /// The URL that is asked when the source gives none; nil when a URL is required.
    public var defaultURL: String?
    /// Default refresh interval.
    public var refreshInterval: Duration
    /// Default time to the first poll.
    public var offset: Duration
    /// Default time events are kept.
    public var maxAge: Duration
    /// Whether a source is enabled when the configuration does not say.
    public var isEnabledByDefault: Bool
    /// The kind's own keys.
    public var options: [FeedOption]

    /// Creates a description.
    public init(
        name: String, synonyms: [String] = [], summary: String, decoderVersion: Int, defaultURL: String? = nil,
        refreshInterval: Duration, offset: Duration, maxAge: Duration, isEnabledByDefault: Bool = true,
        options: [FeedOption] = []
    ) {
        self.name = name
        self.synonyms = synonyms
        self.summary = summary
        self.decoderVersion = decoderVersion
        self.defaultURL = defaultURL
        self.refreshInterval = refreshInterval
        self.offset = offset
        self.maxAge = maxAge
        self.isEnabledByDefault = isEnabledByDefault
        self.options = options
    }
}

/// One key of a kind's own in a source's configuration.
public struct FeedOption: Sendable, Hashable {
    /// What values the key takes.
    public enum Form: Sendable, Hashable {
        /// Any text.
        case text
        /// One of these words.
        case choice([String])
        /// A whole number in the range.
        case integer(ClosedRange<Int>)
        /// A number in the range.
        case number(ClosedRange<Double>)
        /// `true` or `false`.
        case flag
        /// A list of texts, or a single one.
        case texts
        /// A duration such as `90s` in the range.
        case duration(ClosedRange<Duration>)
        /// A file (or credential, or environment variable) that holds a secret, which polls know by the given name:
        /// `key`, `secret` or `bearer`.
        case secretFile(secret: String)
    }

    /// The key.
    public var key: String
    /// What values it takes.
    public var form: Form
    /// The value when the key is missing; nil when there is none.
    public var defaultValue: OptionValue?
    /// One sentence for the documentation.
    public var summary: String

    /// Describes a key.
    public init(_ key: String, _ form: Form, default defaultValue: OptionValue? = nil, _ summary: String) {
        self.key = key
        self.form = form
        self.defaultValue = defaultValue
        self.summary = summary
    }
}

/// The validated value of a `FeedOption`.
public enum OptionValue: Sendable, Hashable, CustomStringConvertible {
    /// Of the forms `text`, `choice` and `secretFile` (the path).
    case text(String)
    /// Of the form `integer`.
    case integer(Int)
    /// Of the form `number`.
    case number(Double)
    /// Of the form `flag`.
    case flag(Bool)
    /// Of the form `texts`.
    case texts([String])
    /// Of the form `duration`.
    case duration(Duration)

    /// Form and value, as `text("news")`; a part of the fingerprints that databases hold, so it stays as it is.
    public var description: String {
        switch self {
        case .text(let value): "text(\(value.debugDescription))"
        case .integer(let value): "integer(\(value))"
        case .number(let value): "number(\(value))"
        case .flag(let value): "flag(\(value))"
        case .texts(let value): "texts(\(value))"
        case .duration(let value): "duration(\(value))"
        }
    }

    /// The text, if it is one.
    public var text: String? { if case .text(let value) = self { value } else { nil } }
    /// The whole number, if it is one.
    public var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    /// The number, if it is one; whole numbers included.
    public var number: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    /// The flag, if it is one.
    public var flag: Bool? { if case .flag(let value) = self { value } else { nil } }
    /// The list, if it is one.
    public var texts: [String]? { if case .texts(let value) = self { value } else { nil } }
    /// The duration, if it is one.
    public var duration: Duration? { if case .duration(let value) = self { value } else { nil } }
}
