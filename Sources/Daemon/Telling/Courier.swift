import Engine
import Fetching
import Foundation
import Model
import Operations
import Presenting
import Settings
import Telling

/// Sends stored messages to one configured receiver.
struct Courier: Sendable {
    let settings: DeliverySettings
    let secrets: SecretReader
    let network: Network
    let time: TimeSource

    /// Secrets by their references.
    private typealias Keys = [String: Secret]

    /// Sends a message once, and judges the answer.
    /// - Parameter target: That of the message, one of `settings`.
    func send(_ order: Order, to target: Target) async -> DeliveryOutcome {
        var keys = Keys()
        do throws(Failure) {
            keys = try await readSecrets()
            var request = try target.kind == .mail ? mail(order, to: target, keys) : web(order, keys)
            // The answer is read for its first words alone.
            request.maximumBytes = 64 << 10
            switch try await network(request) {
            case .body(let body): return DeliveryOutcome(sent: "\(body.status)")
            case .redirect(let url, let status, _, _):
                let host = URLParts(url)?.authority ?? "another place"
                throw Failure(
                    .server, .redirected, "it sends the message to \(host), which is not followed", status: status)
            case .notModified, .stream: throw Failure(.server, .unexpected304, "it answers 304", status: 304)
            }
        } catch {
            // The head of an answer says that the message was taken, whatever happens to the rest.
            if let status = error.status, (200..<300).contains(status) { return DeliveryOutcome(sent: "\(status)") }
            return DeliveryOutcome(scrubbed(error, keys), of: target.kind)
        }
    }

    /// The secrets are read for each message, so that they can be renewed. A read that hangs, as on a network mount,
    /// holds up its own message alone.
    private func readSecrets() async throws(Failure) -> Keys {
        let (files, secrets) = (settings.secretFiles, secrets)
        let read = await time.queue("visiventd.secret").value {
            Result { () throws(Failure) -> Keys in
                var keys = Keys()
                for file in files { keys[file] = try secrets.read(file) }
                return keys
            }
        }
        return try read.get()
    }

    private func web(_ order: Order, _ keys: Keys) throws(Failure) -> FetchRequest {
        let url = settings.urlFile.flatMap { keys[$0]?.value } ?? settings.url ?? ""
        if let problem = SourceURL.problem(withTarget: url) {
            throw Failure(.operator, .badURL, "\(settings.name): \(problem.found) in its url_file")
        }
        var request = FetchRequest(
            url: url, json: String(decoding: order.letter, as: UTF8.self),
            certificateAuthorityFile: settings.certificateAuthorityFile)
        request.takesAnySuccess = true
        if let topic = settings.topicFile.flatMap({ keys[$0] }) {
            request.json = Ntfy.addressed(order.letter, topic: topic)
            request.authorization = settings.tokenFile.flatMap { keys[$0] }.map { Secret("Bearer \($0.value)") }
        } else {
            // The headers of Standard Webhooks.
            let seconds = time.now().wall.milliseconds / 1000
            request.headers = ["webhook-id": order.id, "webhook-timestamp": "\(seconds)"]
            guard let secret = settings.signingFile.flatMap({ keys[$0] }) else { return request }
            let value = WebhookSignature.value(id: order.id, seconds: seconds, body: order.letter, secret: secret)
            guard let value else {
                throw Failure(
                    .operator, .secret, "\(settings.name): its signing_file has no keys of the form whsec_BASE64")
            }
            request.headers["webhook-signature"] = value
        }
        return request
    }

    private func mail(_ order: Order, to target: Target, _ keys: Keys) throws(Failure) -> FetchRequest {
        // The address is read by its grammar again before it is used.
        guard case .mail(let from) = settings.form.kind, let server = settings.url,
            let to = target.recipient.flatMap(MailAddress.init)
        else { throw Failure(.operator, .notConfigured, "\(target.id) has no server or no address") }
        var request = FetchRequest(url: server, certificateAuthorityFile: settings.certificateAuthorityFile)
        var mail = Mail(from: from, to: to, text: order.letter)
        (mail.user, mail.password) = (settings.user, settings.passwordFile.flatMap { keys[$0] })
        mail.requiresTLS = settings.isRemote
        request.mail = mail
        return request
    }

    /// The failure with the first words of the answer, on one line and without what nobody may read: secrets, and the
    /// parts of the URL behind its host.
    private func scrubbed(_ failure: Failure, _ keys: Keys) -> Failure {
        let url = settings.urlFile.flatMap { keys[$0]?.value } ?? settings.url ?? ""
        // What is wrong with a secret is said in our own words, in which the target's name may be part of the URL.
        let parts = failure.hasCode(.secret) ? [] : url.split { "/?&=#".contains($0) }.dropFirst(2).map(String.init)
        let words = keys.values.flatMap { $0.value.split(separator: " ").map(String.init) } + parts
        let bare = words.map { $0.hasPrefix("whsec_") ? String($0.dropFirst(6)) : $0.removingPercentEncoding ?? $0 }
        // As the client of a mail server sends them (RFC 4616).
        let logins = settings.passwordFile.flatMap { keys[$0] }.map { "\0\(settings.user ?? "")\0\($0.value)" }
        let texts = keys.values.map(\.value) + words + bare + [logins].compactMap { $0 }
        var failure = failure.scrubbed(by: Scrubber(texts))
        if let excerpt = failure.excerpt {
            let words = String(decoding: excerpt.prefix(200), as: UTF8.self)
            failure.message += ": " + words.split(whereSeparator: \.isWhitespace).joined(separator: " ").safeToShow
            failure.excerpt = nil
        }
        return failure
    }
}
