/// What a poll still has to ask, and what it may store once all of it has been answered.
///
/// It is stored with every step of a poll, so a poll of several responses survives a restart: an index's validators
/// and a new `since_id` are committed only with the last response of their chain.
public struct WorkList: Sendable, Hashable, Codable {
    /// A request not answered yet.
    public struct Pending: Sendable, Hashable, Codable {
        /// The request.
        public var request: FeedRequest
        /// Index of its chain in `chains`.
        public var chain: Int
        /// How often it has failed for transient reasons.
        public var tries: Int

        /// Creates a pending request.
        public init(request: FeedRequest, chain: Int, tries: Int = 0) {
            self.request = request
            self.chain = chain
            self.tries = tries
        }
    }

    /// A first request with all that follows from it.
    public struct Chain: Sendable, Hashable, Codable {
        /// Validators of answers in this chain, by URL, held back until its last answer.
        public var validators: [String: Validators]
        /// State held back until its last answer; nil: unchanged.
        public var state: FeedState?

        /// Creates a chain with nothing held back.
        public init(validators: [String: Validators] = [:], state: FeedState? = nil) {
            self.validators = validators
            self.state = state
        }
    }

    /// Requests to make, in order.
    public var pending: [Pending]
    /// The chains they belong to.
    public var chains: [Chain]

    /// Creates a work list.
    public init(pending: [Pending] = [], chains: [Chain] = []) {
        self.pending = pending
        self.chains = chains
    }
}

/// What a server gave to recognise an unchanged resource (RFC 9110 §8.8), byte for byte.
public struct Validators: Sendable, Hashable, Codable {
    /// The ETag field value with its quotes and `W/`.
    public var etag: String?
    /// The Last-Modified field value.
    public var lastModified: String?

    /// Creates validators.
    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { etag == nil && lastModified == nil }
}
