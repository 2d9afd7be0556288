import Model
public import Telling

/// A receiver of messages, with all that is needed to reach it.
public struct DeliverySettings: Sendable, Hashable {
    /// What the engine knows of it: one target, of mail one for each recipient; from the reader never empty.
    public var targets: [Target]
    /// The form of its messages.
    public var form: MessageForm
    /// The URL of a webhook or of an ntfy server, or `smtp://HOST:PORT` and `smtps://…`; nil: `urlFile` has it.
    public var url: String?
    /// Reference to the URL of a webhook, as for `SecretReader`, like the other references.
    public var urlFile: String?
    /// Reference to the secret that messages of a webhook are signed with (Standard Webhooks); nil: they are not.
    public var signingFile: String?
    /// Reference to the topic at an ntfy server, which is as good as a password; nil for other kinds.
    public var topicFile: String?
    /// Reference to the access token for an ntfy server; nil: none is sent.
    public var tokenFile: String?
    /// The user at the mail server; nil: without authentication.
    public var user: String?
    /// Reference to the password of the user; nil only without a user.
    public var passwordFile: String?
    /// Path of a PEM file with the authorities to trust instead of the system's; nil: the system's.
    public var certificateAuthorityFile: String?

    /// Creates settings with these values, which are not checked.
    public init(targets: [Target], form: MessageForm = MessageForm(.webhook), url: String? = nil) {
        (self.targets, self.form, self.url) = (targets, form, url)
    }

    /// Its name in the file.
    public var name: String { targets.first?.name ?? "" }

    /// The address for people: scheme and host alone, since a path or a query may be a secret.
    public var shownAddress: String {
        url.flatMap { URLParts($0) }.map { "\($0.scheme)://\($0.authority)" } ?? "an address that is not shown"
    }

    /// All references to its secrets.
    public var secretFiles: [String] { [urlFile, signingFile, topicFile, tokenFile, passwordFile].compactMap { $0 } }

    /// Whether its server is another machine.
    public var isRemote: Bool { !(url.map(SourceURL.isLoopback) ?? false) }
}

extension Settings {
    /// What is watched, and who is told.
    public var tellingPlan: TellingPlan { TellingPlan(watches: watches, targets: deliver.flatMap(\.targets)) }
}
