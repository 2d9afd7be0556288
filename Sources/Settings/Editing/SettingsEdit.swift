public import Model

/// An edit of one source in the text of a configuration: only the bytes of its values change, or whole lines come and
/// go. Comments, order and layout of everything else stay.
public struct SettingsEdit: Sendable, Hashable {
    /// A key with its new value.
    public struct Change: Sendable, Hashable {
        /// The key, such as `refresh_interval`.
        public var key: String
        /// The value without quotes, a list as `[a, b]`; nil: the key is taken away, so that its default counts.
        public var value: String?

        /// Reads `key=value`, or `key=` for a key that is taken away; nil unless the key has letters (a to z), digits
        /// and underscores only.
        public init?(_ text: String) {
            guard let sign = text.firstIndex(of: "=") else { return nil }
            key = String(text[..<sign])
            let value = text[text.index(after: sign)...]
            self.value = value.isEmpty ? nil : String(value)
            guard !key.isEmpty, key.utf8.allSatisfy({ Self.isKeyPart($0) }) else { return nil }
        }

        private static func isKeyPart(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "_"): true
            default: false
            }
        }
    }

    /// The name of the source.
    public var source: String
    /// The changes, made one after the other.
    public var changes: [Change]

    /// Creates an edit with these values, which are not checked.
    public init(source: String, changes: [Change]) {
        self.source = source
        self.changes = changes
    }

    /// The file in which the source stands; the main file where none has it.
    public func file(in files: SettingsFiles) -> SettingsFile {
        files.all.first { SourceEditor.names(in: $0).contains(source) } ?? files.main
    }

    /// The text with the changes. The new values are not validated, which `SettingsReader` does.
    /// - Parameters:
    ///   - text: The text of a file; a byte order mark stays.
    ///   - file: Its path, for messages.
    ///   - kinds: The known kinds of feed; their options tell which keys take lists.
    /// - Throws: `SettingsErrors` if the text is no YAML, has no such source, or cannot be edited without touching
    ///   other values; also for a key that is not for an edit.
    public func applied(to text: String, file: String, kinds: [FeedKind]) throws(SettingsErrors) -> String {
        let plain = SettingsReader.withoutMark(text)
        var edited = plain
        for change in changes {
            edited = try SourceEditor(edited, source: source, file: file, kinds: kinds).applying(change)
        }
        return plain.utf8.count == text.utf8.count ? edited : "\u{FEFF}" + edited
    }

    /// The new values as lines of YAML, without the keys that are taken away; empty without a line.
    /// - Parameter kinds: As for `applied`.
    public func lines(kinds: [FeedKind]) -> String {
        changes.compactMap { change in
            change.value.map { value in
                "\(change.key): \(NewValue(value, asList: Self.takesList(change.key, kinds)).written)"
            }
        }.joined(separator: "\n")
    }

    /// The keys that an edit may change: what is asked for, how often, and what of it is kept. Which server is asked,
    /// and as whom, stays with the file, and a rename would make another source.
    /// - Parameter kind: The kind of the source.
    public static func keys(of kind: FeedKind) -> [String] {
        (SourceReader.commonKeys + kind.options.map { $0.key }).filter { isChangeable($0, [kind]) }
    }

    /// Whether an edit may change the key; an unknown one is for the reader to refuse.
    static func isChangeable(_ key: String, _ kinds: [FeedKind]) -> Bool {
        let isSecret = kinds.contains { kind in
            kind.options.contains { option in
                if case .secretFile = option.form { option.key == key } else { false }
            }
        }
        return !isSecret && !SourceReader.fixedKeys.contains(key)
    }

    /// Whether the key takes a list of texts.
    static func takesList(_ key: String, _ kinds: [FeedKind]) -> Bool {
        ["topics", "keywords", "not_places"].contains(key)
            || kinds.contains { kind in kind.options.contains { $0.key == key && $0.form == .texts } }
    }
}
