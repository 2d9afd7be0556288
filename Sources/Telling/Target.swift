/// A receiver of messages. Of mail each recipient is a target of its own, so that one refused address holds up no other.
public struct Target: Sendable, Hashable {
    /// How it is reached; the raw value is the word in the configuration.
    public enum Kind: String, Sendable, CaseIterable {
        case webhook, ntfy, mail
    }

    /// Its name in the configuration.
    public var name: String
    /// How it is reached.
    public var kind: Kind
    /// The mail address; nil for other kinds.
    public var recipient: String?
    /// The host that is asked, in lower case: a Retry-After holds for all its targets.
    public var host: String
    /// The most messages of a `period`.
    public var count: Int
    /// The time in which `count` messages may be sent, and the least time between two digests.
    public var period: Duration
    /// More waiting announcements become one digest.
    public var digestAfter: Int
    /// Names its address; a target that has gone is tried again under another one.
    public var fingerprint: String

    /// Creates a target. People get 10 messages in 10 minutes and a digest of more than three announcements, programs
    /// 60 in a minute and a digest of more than a thousand.
    /// - Parameter isForPeople: Whether people read what a webhook gets; default false.
    public init(
        name: String, kind: Kind, recipient: String? = nil, host: String, fingerprint: String = "",
        isForPeople: Bool = false
    ) {
        let isProgram = kind == .webhook && !isForPeople
        (self.name, self.kind, self.recipient, self.host) = (name, kind, recipient, host)
        (count, period) = isProgram ? (60, .seconds(60)) : (10, .seconds(600))
        digestAfter = isProgram ? 1000 : 3
        self.fingerprint = fingerprint
    }

    /// Names it among all: its name, of mail with the recipient.
    public var id: String { recipient.map { "\(name) \($0)" } ?? name }
}

/// What is watched, and who is told.
public struct TellingPlan: Sendable, Hashable {
    /// The watches in the order of the file.
    public var watches: [Watch]
    /// The targets.
    public var targets: [Target]

    /// Creates a plan; by default nothing is watched.
    public init(watches: [Watch] = [], targets: [Target] = []) { (self.watches, self.targets) = (watches, targets) }

    /// The watches that tell a target: those of events, or those of the program itself.
    public func watches(of target: Target, ofHealth: Bool = false) -> [Watch] {
        watches.filter { $0.isHealth == ofHealth && $0.targets.contains(target.name) }
    }
}
