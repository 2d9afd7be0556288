import Foundation
import Model
import Reading

/// Errors that Twitter reports in JSON.
enum TwitterErrors {
    /// Could not authenticate; invalid or expired token; unable to verify the credentials; bad authentication data.
    private static let credentialCodes: Set<Int64> = [32, 89, 99, 215]

    /// The failure of a response without any messages.
    ///
    /// v1.1: `{"errors":[{"code":32,"message":"…"}]}`, formerly `{"error":"…"}`;
    /// v2: `{"errors":[{"title":"…","detail":"…"}]}`.
    static func failure(_ answer: JSONValue) -> Failure {
        let error = answer["errors"]?.elements.first { _ in true }
        let words = error.map(message) ?? TweetText.oneLine(answer["error"]) ?? message(answer)
        guard let code = error?["code"]?.int64 else {
            return .feed("twitter_errors", "Twitter answers with an error in place of messages: \(words)")
        }
        return credentialCodes.contains(code)
            ? Failure(
                .operator, "twitter_\(code)",
                "Twitter refuses the credentials (error \(code)): \(words); check the files with the key and token")
            : Failure(.server, "twitter_\(code)", "Twitter answers with error \(code): \(words)")
    }

    /// The text of one error, at most 300 characters.
    static func message(_ error: JSONValue) -> String {
        let words = TweetText.oneLine(error["detail"] ?? error["message"] ?? error["title"]) ?? error.text
        return String(words.prefix(300))
    }
}
