/// The sections that keys belong to, for hints about misplaced keys.
enum KeyHome {
    /// The keys at the top of the main file.
    static let top = [
        "database", "control_socket", "contact", "full_text", "reload_on_edit", "log", "fetch", "truncation", "disk",
        "gazetteer", "geocoding", "pictures", "serve", "watches", "deliver", "sources",
    ]
    static let log = ["level", "format"]
    static let fetch = [
        "concurrency", "per_host_concurrency", "per_host_gap", "connect_timeout", "total_timeout", "stall_timeout",
        "maximum_body", "maximum_transfer", "maximum_redirects",
    ]
    static let truncation = ["first", "interval"]
    static let pictures = ["hosts", "maximum_size", "daily_quota"]
    static let serve = [
        "listen", "hosts", "cors", "frame_ancestors", "trusted_proxies", "base_path", "page", "basemaps", "overlays",
        "configuration", "watches",
    ]

    /// Hints for keys that are unknown at the top of the file, by key; each is a phrase.
    static let besideTop = homes(sections + [("sources", SourceReader.commonKeys)]) { key, section in
        section == "sources" ? "\(key) of a source, below sources" : "\(key) below \(section)"
    }

    /// Hints for keys that are unknown in a source, by key; each is a phrase.
    static let besideSource = homes(sections + [("", topKeys)]) { key, section in
        section.isEmpty ? "\(key) at the top of the file" : "\(key) below \(section), at the top of the file"
    }

    /// Hints for keys that are unknown at the top of a fragment, by key: those of the main file.
    static func besideSources(of main: String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: top.map { ($0, "\($0) in \(main)") })
    }

    private static let topKeys = ["contact", "database", "control_socket", "full_text"]
    private static let sections = [("log", log), ("fetch", fetch), ("truncation", truncation), ("serve", serve)]

    private static func homes(
        _ sections: [(String, [String])], words: (_ key: String, _ section: String) -> String
    ) -> [String: String] {
        Dictionary(
            sections.flatMap { section, keys in keys.map { ($0, words($0, section)) } },
            uniquingKeysWith: { first, _ in first })
    }
}
