public import Foundation
import Model
import Reading
public import Telling

extension MessageForm {
    /// The bytes of a message, which are stored before they leave. They hold no secret: the topic of ntfy and all
    /// credentials are added when they are sent.
    public func letter(_ message: Announcement) -> Data {
        let (words, page) = (Words(message), page(of: message))
        let text =
            switch kind {
            case .webhook: message.webhookBody(words, page)
            case .slack: JSONWriter.object(["text": Self.chat(words, page)])
            case .ntfy: message.ntfyBody(words, page)
            case .mail(let from): message.mail(words, page, from: from)
            }
        return Data(text.utf8)
    }

    /// The event on the map page; nil: none is known.
    private func page(of message: Announcement) -> String? {
        guard let map, let id = message.publicID else { return nil }
        func shown(_ degrees: Double) -> String { "\((degrees * 100).rounded() / 100)" }
        let place = message.event?.event.location?.coordinate
        let view = place.map { "6/\(shown($0.latitude))/\(shown($0.longitude))" } ?? "2/0/0"
        return "\(map)#\(view)&sel=event:\(id)"
    }

    /// Title and text for chats, where nothing in them is markup or mentions anybody: Slack reads `<!channel>`,
    /// Mattermost also a plain `@channel`.
    private static func chat(_ words: Words, _ page: String?) -> String {
        let escapes: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@\u{200B}"]
        let text = [words.title, words.body, page].compactMap { $0 }.joined(separator: "\n")
        return text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}
