public import Model
import Reading

extension Failure {
    /// The failure of a stream whose answer is a web page, such as a login page or the refusal of a proxy; nil if it is
    /// none.
    /// - Parameter headers: The answer's headers, with names in lower case.
    public static func page(inPlaceOfStream headers: [String: String]) -> Failure? {
        guard headers["content-type"]?.lowercased().contains("html") == true else { return nil }
        return Failure(
            .feed, ReadingError.htmlPageCode, "found a web page (Content-Type: text/html) in place of the stream")
    }
}
