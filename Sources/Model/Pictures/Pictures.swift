public import Foundation

/// The hosts whose pictures are kept.
public struct PictureHosts: Sendable, Hashable {
    /// The names, in lower case.
    public var names: Set<String>

    /// The longest link that is followed, in bytes.
    static let longestLink = 512

    /// Creates a list of these names; none by default.
    public init(_ names: [String] = []) { self.names = Set(names) }

    /// Whether a link may be asked: http or https at a listed host, without a port of its own and without a user.
    public func allows(_ link: String) -> Bool { host(of: link) != nil }

    /// The listed host of a link; nil if it may not be asked.
    public func host(of link: String) -> String? {
        guard link.utf8.count <= Self.longestLink, let parts = URLParts(link), parts.isWeb, parts.isSound,
            parts.port == nil
        else { return nil }
        let host = parts.host
        return names.contains(host) ? host : nil
    }
}

/// The format of a picture that is kept; the raw value is the media type.
public enum PictureFormat: String, Sendable, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
}

/// The bytes of a picture whose head was checked.
public struct PictureContent: Sendable, Hashable {
    /// The format that the bytes have, whatever the server calls it.
    public var format: PictureFormat
    /// The whole file.
    public var data: Data

    /// The largest file that is asked for and kept, in bytes.
    public static let largestFile = 512 << 10

    /// Creates content, which is not checked.
    public init(format: PictureFormat, data: Data) {
        self.format = format
        self.data = data
    }
}

/// A picture to ask for.
public struct PictureJob: Sendable, Hashable {
    /// The key of its link.
    public var key: String
    /// The link as an event or a volcano gives it.
    public var link: String
    /// Validators of the picture that is kept; empty without one.
    public var validators = Validators()
    /// Failures in a row.
    public var failures: Int

    /// Creates a job with these values; by default for a first request.
    public init(key: String, link: String, failures: Int = 0) {
        self.key = key
        self.link = link
        self.failures = failures
    }
}

/// The store's answer to the question for the next picture.
public enum PictureChoice: Sendable, Hashable {
    /// This one. The request is counted, and it is due again in an hour should the program die.
    case job(PictureJob)
    /// None is due before this wall time; nil: before another link is named.
    case none(until: Date?)
}

/// What becomes of a picture after its request.
public struct PictureSettlement: Sendable, Hashable {
    /// The outcome.
    public enum Outcome: Sendable, Hashable {
        /// The picture is kept in place of an earlier one.
        case kept(PictureContent, Validators)
        /// The picture that is kept is still the same.
        case unchanged(Validators)
        /// The host no longer has it or no longer gives it (403, 404, 410): nothing is kept. The word is for people.
        case gone(String)
        /// The answer is no picture that is kept, or the request failed; an earlier picture stays. The words are for
        /// people.
        case failed(String)
        /// The request was given up for a poll, which goes first.
        case postponed
    }

    /// The key of the picture.
    public var key: String
    /// What becomes of it.
    public var outcome: Outcome
    /// When it is asked for again; wall time.
    public var due: Date
    /// Requests made after the first, for redirects.
    public var redirects: Int

    /// Creates a settlement with these values.
    public init(key: String, outcome: Outcome, due: Date, redirects: Int) {
        self.key = key
        self.outcome = outcome
        self.due = due
        self.redirects = redirects
    }
}

/// The figures of the pictures.
public struct PictureStatistics: Sendable, Hashable {
    /// Links of listed hosts that events and volcanoes name.
    public var named = 0
    /// Pictures that are kept.
    public var kept = 0
    /// Their bytes.
    public var bytes: Int64 = 0
    /// Links not asked yet.
    public var waiting = 0
    /// Links whose last request failed or had no picture.
    public var failed = 0
    /// Their number by reason, in words such as `answered 404`; the ten most frequent at most.
    public var reasons: [String: Int] = [:]
    /// Requests made today (UTC).
    public var requestsToday = 0

    /// Creates figures of an empty store.
    public init() {}
}
