/// Why a document could not be read at all.
public struct ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A short stable word to switch on and to count by.
    ///
    /// `empty`, `html_page`, `not_xml`, `not_json`, `jsonp`, `too_deep`, `too_large`, `not_archive`, `bad_archive`,
    /// `encrypted`, `out_of_memory`, `unreadable`, `cut_short`.
    public var code: String
    /// One sentence for people.
    public var message: String
    /// Where in the document, counted from 1, when that is known.
    public var line: Int?

    /// Creates an error.
    public init(code: String, message: String, line: Int? = nil) {
        self.code = code
        self.message = message
        self.line = line
    }

    public var description: String { line.map { "line \($0): \(message)" } ?? message }

    /// The code of `htmlPage`.
    public static let htmlPageCode = "html_page"

    /// A web page where another document was expected.
    public static func htmlPage(_ message: String) -> ReadingError {
        ReadingError(code: htmlPageCode, message: message)
    }
}
