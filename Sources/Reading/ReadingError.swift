/// An error that ends the reading of a document or a byte stream, thrown by the readers and by code that decodes what
/// they return. Items delivered before it are valid, but the document counts as unread.
///
/// A fault of a single item is no such error; readers list it instead (`XMLDocument.lostItems`).
public struct ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A short stable word, for switches and counts.
    ///
    /// Readers use `empty`, `html_page`, `not_xml`, `not_json`, `jsonp`, `too_deep`, `too_large`, `too_slow`,
    /// `not_archive`, `bad_archive`, `encrypted`, `out_of_memory` and `unreadable`. Feeds and commands add others, such as
    /// `not_a_feed`.
    public var code: String
    /// One sentence for people, without the line; it may quote the beginning of the document or the name of a file.
    public var message: String
    /// The line of the fault, from 1; nil when it is unknown.
    public var line: Int?

    /// Creates an error with these values, which are not checked; by default without a line.
    public init(code: String, message: String, line: Int? = nil) {
        self.code = code
        self.message = message
        self.line = line
    }

    /// The error for people: `line LINE: MESSAGE`, or the message alone without a line.
    public var description: String { line.map { "line \($0): \(message)" } ?? message }

    /// The code of a web page in place of the document, such as a login page; `htmlPage(_:)` makes the error.
    ///
    /// Feeds set `Failure.isPlaceholder` for this code, because the document may be available later.
    public static let htmlPageCode = "html_page"

    /// An error with `htmlPageCode` and without a line, for a web page in place of the expected document.
    /// - Parameter message: One sentence for people, which should say what was expected.
    public static func htmlPage(_ message: String) -> ReadingError {
        ReadingError(code: htmlPageCode, message: message)
    }
}
