import Foundation
import Model
import Reading

/// The body of a service's answer, before it is known to be one.
struct ServiceAnswer {
    /// The service as messages name it.
    let service: String
    /// The body.
    let data: Data

    /// Lends the parsed body to `read`.
    /// - Throws: `Failure` when the body is no JSON, of fault `server`: `empty_body`, `html_page`, `not_json`,
    ///   `too_deep` …; `quota_exceeded` when its text speaks of a limit. What `read` fails with. No message quotes the
    ///   body, which may hold the key.
    func read<Value>(_ read: (JSONValue) -> Result<Value, Failure>) throws(Failure) -> Value {
        let result: Result<Value, Failure>
        do throws(ReadingError) {
            result = try JSONParser().withValue(of: data) {
                (root: JSONValue) throws(ReadingError) -> Result<Value, Failure> in
                read(root)
            }
        } catch {
            if saysLimit { throw limitFailure() }
            switch error.code {
            case "empty": throw failure("empty_body", "answers with nothing")
            case ReadingError.htmlPageCode: throw failure(error.code, "answers with an HTML page in place of JSON")
            default: throw failure(error.code, "answers with something other than JSON")
            }
        }
        return try result.get()
    }

    /// A failure of fault `server`; the message begins with the service's name.
    func failure(_ code: String, _ what: String) -> Failure { Failure(.server, code, "\(service) \(what)") }

    /// The failure when a limit is used up, whichever way the service says so.
    func limitFailure() -> Failure { failure(Failure.Code.quotaExceeded.rawValue, "says that its limit is used up") }

    /// Whether the text speaks of a limit that was passed.
    ///
    /// MapQuest answers 403 with plain text: `You have exceeded the number of monthly transactions …`; Nominatim an
    /// HTML page, `Bandwidth limit exceeded`, now `Access blocked` or `Usage limit reached`.
    var saysLimit: Bool { Self.saysLimit(String(decoding: data.prefix(4096), as: UTF8.self)) }

    /// Whether a text speaks of a limit that was passed.
    static func saysLimit(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["exceeded", "limit reached", "access blocked", "too many requests"].contains { text.contains($0) }
    }
}
