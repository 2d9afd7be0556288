import Foundation
import Model
import Reading

/// The body of a service's answer before it is parsed.
struct ServiceAnswer {
    /// Name of the service in messages.
    let service: String
    let data: Data

    /// Passes the parsed body to `read`.
    /// - Throws: `Failure` with fault `server` if the body is not JSON: `empty_body`, `html_page`, `not_json`,
    ///   `too_deep` …, or `quota_exceeded` if its text mentions a limit; else the failure of `read`. No message quotes
    ///   the body, which may hold the key.
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

    /// A failure with fault `server`, whose message begins with the service's name.
    func failure(_ code: String, _ what: String) -> Failure { Failure(.server, code, "\(service) \(what)") }

    /// The failure for a used-up limit.
    func limitFailure() -> Failure { failure(Failure.Code.quotaExceeded.rawValue, "says that its limit is used up") }

    /// Whether the body mentions an exceeded limit.
    ///
    /// MapQuest answers 403 with plain text: `You have exceeded the number of monthly transactions …`. Nominatim
    /// answers with an HTML page: `Bandwidth limit exceeded`, now `Access blocked` or `Usage limit reached`.
    var saysLimit: Bool { Self.saysLimit(String(decoding: data.prefix(4096), as: UTF8.self)) }

    /// Whether a text mentions an exceeded limit.
    static func saysLimit(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["exceeded", "limit reached", "access blocked", "too many requests"].contains { text.contains($0) }
    }
}
