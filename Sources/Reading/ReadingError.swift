/// The reason why a document could not be read at all.
public struct ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A short stable word, for switches and counts.
    ///
    /// Readers use `empty`, `html_page`, `not_xml`, `not_json`, `jsonp`, `too_deep`, `too_large`, `not_archive`,
    /// `bad_archive`, `encrypted`, `out_of_memory` and `unreadable`. Feeds and commands add others, such as
    /// `not_a_feed`.
    public var code: String
    /// One sentence for people.
    public var message: String
    /// The line of the fault, from 1; nil when it is unknown.
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

    /// A web page in place of the expected document.
    public static func htmlPage(_ message: String) -> ReadingError {
        ReadingError(code: htmlPageCode, message: message)
    }
}
