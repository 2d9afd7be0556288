import Model

/// Reads one item of `sources`.
package struct SourceReader {
    let keys: MappingReader
    let kinds: [FeedKind]
    let paths: PathResolver

    /// The keys that every kind of source takes.
    static let commonKeys = [
        "name", "kind", "url", "topics", "refresh_interval", "offset", "max_age", "enabled", "provider", "trusted_for",
        "keywords",
        "minimum_magnitude", "headers", "authorization_file", "proxy", "ca_file", "follow_server_interval",
        "country", "home", "not_places", "geocode", "daily_rows", "daily_bytes", "most_rows", "most_bytes",
    ]

    /// Those of them that say which source it is, for whom it may speak, which server is asked, and as whom.
    static let fixedKeys = ["name", "kind", "url", "trusted_for", "headers", "authorization_file", "proxy", "ca_file"]

    /// The source; nil without a valid name, kind and URL. Every fault is noted.
    func source() -> SourceSettings? {
        let kind = self.kind()
        refuseUnknown(for: kind)
        let name = self.name()
        let topics = self.topics()
        let url = self.url(of: kind)
        checkTemplate(url, topics: topics, kind: kind)
        let day = Duration.seconds(86_400)
        let longest = day * 366
        var source = SourceSettings(name: name ?? "", kind: kind?.name ?? "", url: url ?? "", topics: topics ?? [])
        // Intervals below 10 s are allowed for loopback servers only.
        let least = Duration.seconds(url.map { SourceURL.isLoopback($0) } == true ? 1 : 10)
        source.refreshInterval =
            keys.duration("refresh_interval", in: least...longest) ?? kind?.refreshInterval ?? longest
        source.offset = keys.duration("offset", in: Duration.zero...longest) ?? kind?.offset ?? .zero
        source.maxAge =
            keys.duration("max_age", in: Duration.seconds(60)...day * 36_525) ?? kind?.maxAge ?? longest
        source.isEnabled = keys.flag("enabled") ?? kind?.isEnabledByDefault ?? true
        source.provider = provider()
        source.trustedFor = trustedFor(kind)
        source.filter = Filter(
            keywords: Self.keywords(of: keys), minimumMagnitude: keys.number("minimum_magnitude", in: -10.0...15.0))
        source.headers = headers()
        source.authorizationFile = keys.secretPlace("authorization_file", paths)
        source.proxy = proxy()
        source.certificateAuthorityFile = keys.filePath("ca_file", paths)
        source.followsServerInterval = keys.flag("follow_server_interval") ?? false
        source.home = home()
        source.notPlaces = notPlaces()
        source.isGeocoded = keys.flag("geocode") ?? true
        source.budget = budget()
        if let kind { source.options = options(of: kind) }
        return name == nil || kind == nil || url == nil ? nil : source
    }

    /// Notes unknown keys. If the kind is unknown, the options of all kinds are accepted.
    private func refuseUnknown(for kind: FeedKind?) {
        var known = Self.commonKeys
        for other in kinds where kind == nil || kind?.name == other.name {
            known += other.options.map(\.key).filter { !known.contains($0) }
        }
        keys.refuseUnknown(known: known, of: kind.map { " for kind \($0.name)" } ?? "", homes: optionHomes())
    }

    /// Hints for misplaced keys, options of other kinds included.
    private func optionHomes() -> [String: String] {
        var homes = KeyHome.besideSource
        for kind in kinds {
            for option in kind.options where homes[option.key] == nil && !Self.commonKeys.contains(option.key) {
                homes[option.key] = "\(option.key) in a source of kind \(kind.name)"
            }
        }
        return homes
    }

    /// Whether a text can be the path of a file: not empty, without control characters.
    static func isPath(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

// MARK: - What it is

extension SourceReader {
    private func kind() -> FeedKind? {
        let accepted = kinds.map { $0.name }.joined(separator: ", ")
        guard keys.member("kind") != nil else {
            keys.note("kind", "missing", accepted: accepted)
            return nil
        }
        return keys.choice("kind", of: kinds.map { (word: $0.name, value: $0) }) { NearestWord.to($0, among: kinds) }
    }

    private func name() -> String? {
        keys.accepts("name", Self.acceptedName)
        guard keys.member("name") != nil else {
            keys.note("name", "missing", accepted: Self.acceptedName)
            return nil
        }
        guard let name = keys.text("name") else { return nil }
        guard Self.isName(name) else {
            keys.note("name", "found \(shown(name))", accepted: Self.acceptedName)
            return nil
        }
        return name
    }

    /// What `isName` accepts, as a phrase.
    static let acceptedName = "1 to 64 letters (a to z, A to Z), digits, hyphens, underscores and dots"

    /// Whether a text can be the name of a source.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isNamePart($0) }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-_.".utf8.contains(byte)
        }
    }

    private func provider() -> String? {
        let accepted = "1 to 200 bytes of text on one line"
        keys.accepts("provider", accepted)
        guard let provider = keys.text("provider") else { return nil }
        guard (1...200).contains(provider.utf8.count), Self.isPath(provider) else {
            keys.note("provider", "found \(shown(provider))", accepted: accepted)
            return nil
        }
        return provider
    }

    private func trustedFor(_ kind: FeedKind?) -> [String] {
        let accepted = "names of providers, of 1 to 200 bytes each, or \"*\" for all CAP senders"
        keys.accepts("trusted_for", accepted)
        guard let names = keys.texts("trusted_for"), !names.isEmpty else { return [] }
        if let provider = kind?.provider {
            keys.note(
                "trusted_for", "found \(shown(names.joined(separator: ", ")))",
                accepted: "nothing: all events of this kind are of \(provider)")
            return []
        }
        if let wrong = names.first(where: { !(1...200).contains($0.utf8.count) || !Self.isPath($0) }) {
            keys.note("trusted_for", "found \(shown(wrong))", accepted: accepted)
        }
        return names
    }

    private func options(of kind: FeedKind) -> [String: OptionValue] {
        var options: [String: OptionValue] = [:]
        for option in kind.options {
            let key = option.key
            let value: OptionValue? =
                switch option.form {
                case .text: keys.text(key).map { OptionValue.text($0) }
                case .choice(let words): keys.choice(key, of: words.map { (word: $0, value: OptionValue.text($0)) })
                case .integer(let range): keys.integer(key, in: range).map { OptionValue.integer($0) }
                case .number(let range): keys.number(key, in: range).map { OptionValue.number($0) }
                case .flag: keys.flag(key).map { OptionValue.flag($0) }
                case .texts: keys.texts(key).map { OptionValue.texts($0) }
                case .duration(let range): keys.duration(key, in: range).map { OptionValue.duration($0) }
                case .secretFile: keys.secretPlace(key, paths).map { OptionValue.text($0) }
                }
            options[key] = value ?? option.defaultValue
        }
        return options
    }
}

// MARK: - Where it is

extension SourceReader {
    private func url(of kind: FeedKind?) -> String? {
        keys.accepts("url", SourceURL.accepted)
        guard keys.member("url") != nil else {
            if let kind, kind.defaultURL == nil { keys.note("url", "missing", accepted: SourceURL.accepted) }
            return kind?.defaultURL
        }
        guard let url = keys.text("url") else { return nil }
        if let problem = SourceURL.problem(with: url) {
            keys.note("url", problem.found, accepted: problem.accepted)
            return nil
        }
        return SourceURL.plain(url)
    }

    private func topics() -> [String]? {
        keys.accepts("topics", "a list of topics, with {topic} in url")
        return keys.member("topics") == nil ? [] : keys.texts("topics")
    }

    /// Checks that every placeholder is known, and that `topics` and `{topic}` occur together.
    private func checkTemplate(_ url: String?, topics: [String]?, kind: FeedKind?) {
        guard let url else { return }
        guard let placeholders = SourceURL.placeholders(in: url) else {
            keys.note("url", "found braces that do not pair up", accepted: "placeholders such as {topic}")
            return
        }
        if let kind {
            let known = ["topic"] + kind.options.map { $0.key }
            for placeholder in placeholders where !known.contains(placeholder) {
                keys.note(
                    "url",
                    looksSecret(placeholder)
                        ? "found an unknown placeholder" : "found the unknown placeholder {\(placeholder)}",
                    accepted: known.map { "{\($0)}" }.joined(separator: ", "),
                    suggestion: NearestWord.to(placeholder, among: known).map { "{\($0)}" })
            }
        }
        guard let topics else { return }
        if placeholders.contains("topic"), topics.isEmpty {
            keys.note("topics", "missing, though the URL has a {topic}", accepted: "a list of topics")
        } else if !placeholders.contains("topic"), !topics.isEmpty {
            keys.note("topics", "found topics, but the URL has no {topic}", accepted: "topics with {topic} in url")
        }
    }

    private func proxy() -> String? {
        keys.accepts("proxy", SourceURL.acceptedProxy)
        guard let proxy = keys.text("proxy") else { return nil }
        if let problem = SourceURL.problem(withProxy: proxy) {
            keys.note("proxy", problem.found, accepted: problem.accepted)
            return nil
        }
        return proxy
    }
}

// MARK: - What is asked and kept

extension SourceReader {
    /// `home`, or the country of its older form `country`.
    private func home() -> PlaceContext {
        let country = keys.country("country")
        let home = keys.home("home")
        guard keys.member("country") != nil, keys.member("home") != nil else {
            return home ?? PlaceContext(country: country)
        }
        keys.note("country", "found country beside home", accepted: "home alone, such as US.LA")
        return PlaceContext()
    }

    /// The words that name no places.
    private func notPlaces() -> [String] {
        let most = 200
        let accepted = "a name of 1 to 100 bytes and at most 8 words, with a letter or a digit"
        let names = keys.values("not_places", accepted: accepted) { name -> String? in
            let isName =
                name.utf8.count <= 100 && name.split(whereSeparator: \.isWhitespace).count <= 8
                && name.contains { $0.isLetter || $0.isNumber }
            return isName ? name : nil
        }
        guard let names else { return [] }
        guard names.count <= most else {
            keys.note("not_places", "found \(names.count) names", accepted: "at most \(most)")
            return []
        }
        return names
    }

    private func budget() -> SourceBudget {
        var budget = SourceBudget()
        let rows = 1...1_000_000_000
        let bytes = 1 << 20...1 << 40
        budget.daily.rows = keys.integer("daily_rows", in: rows) ?? budget.daily.rows
        budget.daily.bytes = keys.bytes("daily_bytes", in: bytes) ?? budget.daily.bytes
        budget.total.rows = keys.integer("most_rows", in: rows) ?? budget.total.rows
        budget.total.bytes = keys.bytes("most_bytes", in: bytes) ?? budget.total.bytes
        return budget
    }

    /// The words of a mapping with the key `keywords`.
    static func keywords(of keys: MappingReader) -> KeywordFilter? {
        keys.accepts("keywords", "a list, such as [volcan*, erupt*]")
        guard let items = keys.items("keywords"), !items.isEmpty else { return nil }
        let isList = if case .list? = keys.member("keywords")?.value.content { true } else { false }
        if !isList, let text = items[0], text.contains(",") {
            keys.note("keywords", "found \(shown(text)) as one text", accepted: "a list, such as [volcan*, erupt*]")
            return nil
        }
        for (index, word) in items.enumerated() {
            guard let word, let accepted = Self.accepted(insteadOfKeyword: word) else { continue }
            keys.note(
                "keywords", "found \(shown(word))" + (isList ? " as item \(index)" : ""), accepted: accepted,
                suggestion: WordSet.isUnknown(word) ? NearestWord.to(word, among: WordSet.names) : nil)
        }
        return KeywordFilter(items.compactMap { $0 })
    }

    /// The accepted form in place of a keyword that never matches, or matches otherwise than expected; nil for a sound
    /// one. A name with `@` that is almost one of a word set is a fault; any other one is the word, with a hint in
    /// `Settings.advice`.
    package static func accepted(insteadOfKeyword word: String) -> String? {
        if WordSet.isUnknown(word), NearestWord.to(word, among: WordSet.names) != nil {
            return "the word sets \(WordSet.names.joined(separator: ", ")); @@NAME for the word @NAME"
        }
        if KeywordFilter([word]).isEmpty { return "words with a letter or a digit" }
        if word.contains("|") || word.contains("\\") { return "a word or phrase; no regular expressions" }
        if [" OR ", " AND "].contains(where: { word.contains($0) }) {
            return "each word as an item of its own: an event must contain one of them"
        }
        guard word.contains("*") else { return nil }
        let stem = word.dropLast()
        let isPunctuation = stem.last.map { $0.isASCII && !$0.isLetter && !$0.isNumber } ?? true
        return word.last == "*" && !stem.contains("*") && !isPunctuation
            ? nil : "* behind the last letter only, for any ending"
    }

    private func headers() -> [String: String] {
        keys.accepts("headers", "names of headers with texts, without secrets")
        guard let section = keys.mapping("headers") else { return [:] }
        let secret = ["authorization", "cookie", "api-key", "token", "secret", "passw"]
        let own = [
            "host", "content-length", "transfer-encoding", "connection", "if-none-match", "if-modified-since", "range",
            "accept-encoding",
        ]
        var headers: [String: String] = [:]
        var seen: Set<String> = []
        for name in section.keys {
            let lower = name.lowercased()
            if secret.contains(where: { lower.contains($0) }) {
                section.note(
                    name, "found a secret in the configuration",
                    accepted: "the Authorization header from a file named by authorization_file")
            } else if own.contains(lower) {
                section.note(name, "found a header that the daemon sets itself", accepted: "other headers")
            } else if name.isEmpty || !name.utf8.allSatisfy({ Self.isTokenPart($0) }) {
                section.note(name, "found a wrong header name", accepted: "letters, digits and !#$%&'*+-.^_`|~")
            } else if !seen.insert(lower).inserted {
                section.note(name, "given twice, in different case", accepted: "each header once")
            } else if let value = section.text(name) {
                if value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
                    headers[name] = value
                } else {
                    section.note(name, "found a value with control characters", accepted: "a text on one line")
                }
            }
        }
        return headers
    }

    /// Whether a header name may contain the byte (`tchar`, RFC 9110 §5.6.2).
    private static func isTokenPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
