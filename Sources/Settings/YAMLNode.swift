/// A value of the configuration file with its position; aliases and merge keys are resolved.
struct YAMLNode {
    enum Content {
        /// An empty value, `~` or `null`.
        case nothing
        /// A text, number or flag as written; numbers and flags are plain, that is, without quotes.
        case scalar(String, isPlain: Bool)
        case list([YAMLNode])
        /// The keys are distinct.
        case mapping([YAMLMember])
    }

    var content: Content
    var position: SettingsPosition

    /// The phrase for the value in messages.
    var found: String {
        switch content {
        case .nothing: "found nothing"
        case .scalar(let text, isPlain: true): "found \(shown(text))"
        case .scalar(let text, isPlain: false): "found the text \(shown(text))"
        case .list: "found a list"
        case .mapping: "found a mapping"
        }
    }

    /// The phrase for the type of a misplaced value. The value itself is not quoted, since it may be a secret.
    var foundType: String {
        if case .scalar = content { "found a single value" } else { found }
    }

    /// The text of a scalar; nil for other values.
    var text: String? { if case .scalar(let text, _) = content { text } else { nil } }

    /// The text of a scalar without quotes; nil for other values.
    var plainText: String? { if case .scalar(let text, isPlain: true) = content { text } else { nil } }
}

/// One key of a mapping with its value.
struct YAMLMember {
    var key: String
    /// Position of the key.
    var position: SettingsPosition
    var value: YAMLNode
}
