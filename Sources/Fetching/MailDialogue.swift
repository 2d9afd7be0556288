import CCurl
import Foundation
import Model

/// The bytes of a mail on their way to a server, and what the server replies.
struct MailDialogue {
    private let text: Data
    private var sentBytes = 0
    /// The first bytes of the server's last reply to the mail.
    private(set) var reply = Data()

    init(_ mail: Mail) { text = mail.text }

    /// Takes a line of the server.
    /// - Returns: Whether libcurl says good-bye next, as it does after the mail and after a refusal.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        // The reply to the good-bye says nothing of the mail.
        if !line.starts(with: "221".utf8) { reply = Data(line.prefix(200).prefix { $0 != 0x0D && $0 != 0x0A }) }
        return sentBytes == text.count || line.starts(with: "4".utf8) || line.starts(with: "5".utf8)
    }

    /// Fills a buffer with the next bytes of the mail; returns their number.
    mutating func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = text.dropFirst(sentBytes).prefix(buffer.count)
        buffer.copyBytes(from: piece)
        sentBytes += piece.count
        return piece.count
    }

    /// What the end of the transfer means; nil: the server has refused nothing, and libcurl's code alone says it.
    /// - Parameter words: libcurl's words for the code.
    func answer(_ code: CURLcode, _ words: String, of address: WebAddress) -> Exchange.Answer? {
        let status = Int(String(decoding: reply.prefix(3), as: UTF8.self)) ?? 0
        func offersNo(_ feature: String, _ code: String) -> Exchange.Answer {
            .failure(Failure(.operator, code, "\(address.authority) offers no \(feature), so nothing is sent to it"))
        }
        switch code {
        case CURLE_OK: return .success(.body(FetchedBody(data: reply, url: address.url, status: status)))
        case CURLE_USE_SSL_FAILED: return offersNo("STARTTLS", "no_starttls")
        case CURLE_LOGIN_DENIED where status < 400: return offersNo("login", "no_login")
        case _ where status < 400: return nil
        default:
            // The recipient's and the mail's are this mail's trouble; all others hold for each mail.
            let isOfMail =
                words.hasPrefix("RCPT") || words.hasPrefix("DATA")
                || code == CURLE_WEIRD_SERVER_REPLY && !words.hasPrefix("Got")
            return .failure(
                Failure(
                    isOfMail ? .server : status >= 500 ? .operator : .network, "smtp_\(status)",
                    "\(address.authority) answered \(status)", status: status, excerpt: reply))
        }
    }
}
