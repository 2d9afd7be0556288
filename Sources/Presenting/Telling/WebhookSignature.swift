public import Foundation
public import Model
import Telling

/// The signature of a webhook (Standard Webhooks 1.0,
/// <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>).
public enum WebhookSignature {
    private static let mostKeys = 3
    private static let prefix = "whsec_"

    /// The value of `webhook-signature`: one for each key, so that receivers can change theirs.
    /// - Parameters:
    ///   - id: The message's id.
    ///   - seconds: When it is sent, in seconds since 1970.
    ///   - body: The body as sent.
    ///   - secret: Up to three keys as `whsec_BASE64`, of 24 to 64 bytes, separated by blanks.
    /// - Returns: Nil if the secret has another form.
    public static func value(id: String, seconds: Int64, body: Data, secret: Secret) -> String? {
        let keys = secret.value.split(separator: " ").map { word -> [UInt8]? in
            let text = word.hasPrefix(prefix) ? word.dropFirst(prefix.count) : word
            return Data(base64Encoded: String(text)).flatMap { (24...64).contains($0.count) ? Array($0) : nil }
        }
        guard (1...mostKeys).contains(keys.count), !keys.contains(nil) else { return nil }
        let message = Array("\(id).\(seconds).".utf8) + Array(body)
        return keys.compactMap { $0 }.map { key in
            "v1," + Data(SHA256.authentication(of: message, key: key)).base64EncodedString()
        }.joined(separator: " ")
    }
}
