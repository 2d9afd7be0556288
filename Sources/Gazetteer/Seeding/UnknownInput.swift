import Foundation

/// Describes, in words, a file that is no input for seeding.
enum UnknownInput {
    /// The apparent content of a file by its first bytes: `an HTML page`, `a table of 10 columns that begins "…"`.
    static func description(of sample: [UInt8]) -> String {
        if sample.isEmpty { return "an empty file" }
        for (signature, name) in signatures where sample.starts(with: signature) { return name }
        if sample.prefix(1024).contains(0) { return "binary data" }
        let text = String(decoding: sample.prefix(4096), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard !text.isEmpty else { return "a file of white space" }
        let lower = text.prefix(1024).lowercased()
        if lower.hasPrefix("<!doctype html") || lower.hasPrefix("<html") || lower.contains("<html") {
            return "an HTML page" + title(in: String(text))
        }
        if lower.hasPrefix("<") { return "an XML document that begins \(quoted(text))" }
        if lower.contains("locid,country,region,city,postalcode") {
            return "MaxMind's GeoLiteCity-Location, which lists address blocks and not cities"
        }
        if let first = text.first, "{[".contains(first) { return "a JSON document that begins \(quoted(text))" }
        let line = text.prefix { !$0.isNewline }
        let columns = max(line.split(separator: "\t", omittingEmptySubsequences: false).count, 1)
        let fields = line.split(separator: ",", omittingEmptySubsequences: false).count
        if columns > 1 { return "a table of \(columns) columns (between tabs) that begins \(quoted(text))" }
        if fields > 1 { return "a table of \(fields) columns (between commas) that begins \(quoted(text))" }
        return "a text that begins \(quoted(text))"
    }

    private static let signatures: [([UInt8], String)] = [
        (Array("SQLite format 3\0".utf8), "an SQLite database"), (Array("%PDF".utf8), "a PDF document"),
        (Array("BZh".utf8), "data packed with bzip2; unpack it first"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "data packed with xz; unpack it first"),
        ([0x28, 0xB5, 0x2F, 0xFD], "data packed with zstd; unpack it first"),
        ([0x37, 0x7A, 0xBC, 0xAF], "a 7-Zip archive; unpack it first"),
        ([0x1F, 0x8B], "data packed twice with gzip"), ([0x50, 0x4B, 3, 4], "a zip archive within another archive"),
        ([0xFF, 0xFE], "text in UTF-16; convert it to UTF-8 first"),
        ([0xFE, 0xFF], "text in UTF-16; convert it to UTF-8 first"),
    ]

    private static func title(in page: String) -> String {
        guard let start = page.range(of: "<title>", options: .caseInsensitive),
            let end = page.range(of: "</title>", options: .caseInsensitive, range: start.upperBound..<page.endIndex)
        else { return "" }
        return " titled \(quoted(page[start.upperBound..<end.lowerBound]))"
    }

    /// The first line, at most 60 characters, with U+FFFD for characters that a terminal might act on.
    private static func quoted(_ text: Substring) -> String {
        let line = text.drop { $0.isWhitespace }.prefix { !$0.isNewline }.prefix(60)
        let safe = line.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                scalar == "\t" ? " " : "\u{FFFD}"
            default: scalar
            }
        }
        return "\"" + String(String.UnicodeScalarView(safe)) + "\""
    }
}
