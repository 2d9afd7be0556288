/// The description of a kind of feed for the configuration.
public struct FeedKind: Sendable {
    /// The word in the configuration: `usgs`.
    public var name: String
    /// Other words for it, in lower case, for which an error suggests `name`: `atom`.
    public var synonyms: [String]
    /// One line for `visiventd decode --help` and the documentation.
    public var summary: String
    /// Raised whenever the same bytes give other events. Validators stored under another version are not sent.
    public var decoderVersion: Int
    /// The URL of a source that gives none; nil when a URL is required.
    public var defaultURL: String?
    /// Default refresh interval.
    public var refreshInterval: Duration
    /// Default time from the start of the daemon to the first poll.
    public var offset: Duration
    /// Default time for which events are kept.
    public var maxAge: Duration
    /// Whether a source is enabled by default.
    public var isEnabledByDefault: Bool
    /// The keys that only this kind has.
    public var options: [FeedOption]

    /// Creates a description; by default with a required URL, enabled, and without options.
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

/// A key of one kind of feed in a source's configuration.
public struct FeedOption: Sendable, Hashable {
    /// The values that a key takes.
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
        /// A file, credential or environment variable that holds a secret. Polls know the secret by the given name:
        /// `key`, `secret` or `bearer`.
        case secretFile(secret: String)
    }

    /// The key in the configuration.
    public var key: String
    /// The values that it takes.
    public var form: Form
    /// The value of a missing key; nil when there is none.
    public var defaultValue: OptionValue?
    /// One sentence for the documentation.
    public var summary: String

    /// Describes a key; by default without a default value.
    public init(_ key: String, _ form: Form, default defaultValue: OptionValue? = nil, _ summary: String) {
        self.key = key
        self.form = form
        self.defaultValue = defaultValue
        self.summary = summary
    }
}

/// The validated value of a `FeedOption`.
public enum OptionValue: Sendable, Hashable, CustomStringConvertible {
    /// A value of the forms `text`, `choice` and `secretFile` (the path).
    case text(String)
    /// A value of the form `integer`.
    case integer(Int)
    /// A value of the form `number`.
    case number(Double)
    /// A value of the form `flag`.
    case flag(Bool)
    /// A value of the form `texts`.
    case texts([String])
    /// A value of the form `duration`.
    case duration(Duration)

    /// Form and value: `text("news")`. Databases hold fingerprints made of it, so it must not change.
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

    /// The value of `text`; nil for other forms.
    public var text: String? { if case .text(let value) = self { value } else { nil } }
    /// The value of `integer`; nil for other forms.
    public var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    /// The value of `number` or `integer`; nil for other forms.
    public var number: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    /// The value of `flag`; nil for other forms.
    public var flag: Bool? { if case .flag(let value) = self { value } else { nil } }
    /// The value of `texts`; nil for other forms.
    public var texts: [String]? { if case .texts(let value) = self { value } else { nil } }
    /// The value of `duration`; nil for other forms.
    public var duration: Duration? { if case .duration(let value) = self { value } else { nil } }
}
