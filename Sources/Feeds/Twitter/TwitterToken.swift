import Foundation
import Model
import Reading

/// The answer to `oauth2/token`: `{"token_type":"bearer","access_token":"AAAA…"}`.
enum TwitterToken {
    /// Reads `access_token`.
    /// - Throws: `Failure` without an excerpt, since the body may hold a secret.
    static func read(_ body: Data) throws(Failure) -> Secret {
        let found: (token: String?, failure: Failure?)
        do throws(ReadingError) {
            found = try JSONParser().withValue(of: body) {
                root throws(ReadingError) -> (token: String?, failure: Failure?) in
                if let token = root["access_token"]?.string, !token.isEmpty { return (token, nil) }
                return (nil, root["errors"] == nil ? nil : TwitterErrors.failure(root))
            }
        } catch {
            throw .feed("bad_token", "the answer to oauth2/token is no JSON object")
        }
        guard let token = found.token else {
            throw found.failure ?? .feed("bad_token", "the answer to oauth2/token has no access_token")
        }
        return Secret(token)
    }
}
