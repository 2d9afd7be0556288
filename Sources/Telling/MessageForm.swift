public import Model

/// The form in which a target gets its messages.
public struct MessageForm: Sendable, Hashable {
    /// The outer form.
    public enum Kind: Sendable, Hashable {
        /// The program's own JSON.
        case webhook
        /// `{"text": …}`, as Slack, Mattermost and Rocket.Chat take it.
        case slack
        /// JSON for an ntfy server.
        case ntfy
        /// A mail from this address.
        case mail(from: MailAddress)
    }

    /// The outer form.
    public var kind: Kind
    /// The address of the map page, for links; nil, the default: no link to it.
    public var map: String?

    /// Creates a form; by default without links to the map page.
    public init(_ kind: Kind, map: String? = nil) { (self.kind, self.map) = (kind, map) }
}
