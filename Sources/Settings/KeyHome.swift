/// The sections that keys belong to, for hints about misplaced keys.
enum KeyHome {
    static let log = ["level", "format"]
    static let fetch = [
        "concurrency", "per_host_concurrency", "per_host_gap", "connect_timeout", "total_timeout", "stall_timeout",
        "maximum_body", "maximum_transfer", "maximum_redirects",
    ]
    static let truncation = ["first", "interval"]
    static let pictures = ["hosts", "maximum_size", "daily_quota"]
    static let serve = ["listen", "hosts", "cors", "trusted_proxies", "page", "basemaps", "overlays", "configuration"]

    /// Hints for keys that are unknown at the top of the file, by key; each is a phrase.
    static let besideTop = homes(sections + [("sources", SourceReader.commonKeys)]) { key, section in
        section == "sources" ? "\(key) of a source, below sources" : "\(key) below \(section)"
    }

    /// Hints for keys that are unknown in a source, by key; each is a phrase.
    static let besideSource = homes(sections + [("", topKeys)]) { key, section in
        section.isEmpty ? "\(key) at the top of the file" : "\(key) below \(section), at the top of the file"
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
