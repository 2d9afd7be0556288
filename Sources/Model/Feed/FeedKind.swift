/// What the configuration needs to know about a kind of feed: its name, the defaults of its sources and its own keys.
///
/// Each type of feed has one (`Feed.kind`); `FeedRegistry.kinds` lists them all.
public struct FeedKind: Sendable {
    /// The word for the kind in the configuration (`kind: usgs`), in the database and in outputs.
    public var name: String
    /// Other words for it, in lower case, for which an error suggests `name`: `atom`.
    public var synonyms: [String]
    /// One line for `visiventd decode --help` and the documentation.
    public var summary: String
    /// A number raised whenever the same bytes give other events. Validators stored under another version are not sent.
    public var decoderVersion: Int
    /// The URL of a source that gives none; nil when a URL is required.
    public var defaultURL: String?
    /// Default time from one poll to the next (`SourceSettings.refreshInterval`).
    public var refreshInterval: Duration
    /// Default time from the start of the daemon to the first poll.
    public var offset: Duration
    /// Default time for which events are kept (`SourceSettings.maxAge`).
    public var maxAge: Duration
    /// Whether a source is polled unless its configuration says otherwise; default true.
    public var isEnabledByDefault: Bool
    /// The provider of all events of the kind; nil (the default) where documents name it, or the source is it.
    public var provider: String?
    /// The keys that only this kind has; default: none.
    public var options: [FeedOption]

    /// Creates a description with unchecked values; by default with a required URL, enabled, and without options.
    public init(
        name: String, synonyms: [String] = [], summary: String, decoderVersion: Int, defaultURL: String? = nil,
        refreshInterval: Duration, offset: Duration, maxAge: Duration, isEnabledByDefault: Bool = true,
        provider: String? = nil, options: [FeedOption] = []
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
        self.provider = provider
        self.options = options
    }
}

/// A key of one kind of feed in a source's configuration.
public struct FeedOption: Sendable, Hashable {
    /// The values that a key takes; each form has its case of `OptionValue`.
    public enum Form: Sendable, Hashable {
        /// Any text; the value is `OptionValue.text`.
        case text
        /// One of these words, in their spelling; the value is `OptionValue.text`.
        case choice([String])
        /// A whole number in the range, ends included; the value is `OptionValue.integer`.
        case integer(ClosedRange<Int>)
        /// A decimal number in the range, ends included, such as `4.5` or `1e3`; the value is `OptionValue.number`.
        case number(ClosedRange<Double>)
        /// `true` or `false`; the value is `OptionValue.flag`.
        case flag
        /// A list of texts, or a single one; the value is `OptionValue.texts`.
        case texts
        /// A duration such as `90s` in the range, ends included; the value is `OptionValue.duration`.
        case duration(ClosedRange<Duration>)
        /// A secret's place: a path, `credential:NAME` or `env:NAME`; the value is `OptionValue.text`. Polls know the
        /// secret by the given name: `key`, `secret` or `bearer`.
        case secretFile(secret: String)
    }

    /// The key in the source's section of the configuration.
    public var key: String
    /// The values that it takes; the configuration refuses others.
    public var form: Form
    /// The value of a missing key, of the form's type; nil when there is none, and the option is absent.
    public var defaultValue: OptionValue?
    /// One sentence for the documentation of the key.
    public var summary: String

    /// Describes a key with unchecked values; by default without a default value.
    public init(_ key: String, _ form: Form, default defaultValue: OptionValue? = nil, _ summary: String) {
        self.key = key
        self.form = form
        self.defaultValue = defaultValue
        self.summary = summary
    }
}

/// The validated value of a `FeedOption`.
public enum OptionValue: Sendable, Hashable, CustomStringConvertible {
    /// A value of the forms `text`, `choice` and `secretFile` (the place, not the secret).
    case text(String)
    /// A value of the form `integer`, in its range.
    case integer(Int)
    /// A value of the form `number`, in its range.
    case number(Double)
    /// A value of the form `flag`.
    case flag(Bool)
    /// A value of the form `texts`, in the configured order.
    case texts([String])
    /// A value of the form `duration`, in its range.
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
    /// The value of `number`, or of `integer` as a number; nil for other forms.
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
