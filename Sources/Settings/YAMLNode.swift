/// A value of the configuration file with its place; aliases and merge keys are resolved.
struct YAMLNode {
    enum Content {
        /// Nothing after the colon, `~` or `null`.
        case nothing
        /// A text, number or flag as written; only plain ones, without quotes, are numbers and flags.
        case scalar(String, isPlain: Bool)
        case list([YAMLNode])
        /// Keys differ.
        case mapping([YAMLMember])
    }

    var content: Content
    var position: SettingsPosition

    /// What messages say was found.
    var found: String {
        switch content {
        case .nothing: "found nothing"
        case .scalar(let text, isPlain: true): "found \(shown(text))"
        case .scalar(let text, isPlain: false): "found the text \(shown(text))"
        case .list: "found a list"
        case .mapping: "found a mapping"
        }
    }

    /// What messages say was found where no single value will do: values are not quoted, since what stands in a wrong
    /// place may be a secret.
    var foundType: String {
        if case .scalar = content { "found a single value" } else { found }
    }

    /// The text of a single value.
    var text: String? { if case .scalar(let text, _) = content { text } else { nil } }

    /// The text of a single value without quotes.
    var plainText: String? { if case .scalar(let text, isPlain: true) = content { text } else { nil } }
}

/// One key of a mapping with its value.
struct YAMLMember {
    var key: String
    /// Where the key stands.
    var position: SettingsPosition
    var value: YAMLNode
}
