/// The requests that a poll has still to make, and what is stored after the last of them.
///
/// It is stored with every step, so a poll of several responses survives a restart. An index's validators and a new
/// `since_id` are committed only with the last response of their chain.
public struct WorkList: Sendable, Hashable, Codable {
    /// A request without a final answer.
    public struct Pending: Sendable, Hashable, Codable {
        /// The request to make; it holds no secret.
        public var request: FeedRequest
        /// Index of its chain in `chains`, from 0 on.
        public var chain: Int
        /// Number of its transient failures so far; `FeedRequest.maximumTries` limits it.
        public var tries: Int

        /// Creates a pending request; by default without failures. The index is not checked.
        public init(request: FeedRequest, chain: Int, tries: Int = 0) {
            self.request = request
            self.chain = chain
            self.tries = tries
        }
    }

    /// A first request with all its follow-ups.
    public struct Chain: Sendable, Hashable, Codable {
        /// Validators of the chain's answers by URL, held back until the last answer; default: none.
        public var validators: [String: Validators]
        /// State held back until the last answer; nil: unchanged.
        public var state: FeedState?

        /// Creates a chain with nothing held back.
        public init(validators: [String: Validators] = [:], state: FeedState? = nil) {
            self.validators = validators
            self.state = state
        }
    }

    /// Requests to make, in order.
    public var pending: [Pending]
    /// The chains of the requests, in the order of their indexes.
    public var chains: [Chain]

    /// Creates a work list; by default an empty one. Indexes of chains are not checked.
    public init(pending: [Pending] = [], chains: [Chain] = []) {
        self.pending = pending
        self.chains = chains
    }
}

/// Validators of a server's answer (RFC 9110 §8.8), byte for byte.
public struct Validators: Sendable, Hashable, Codable {
    /// Value of the ETag field, with its quotes and `W/`; nil: none.
    public var etag: String?
    /// Value of the Last-Modified field; nil: none.
    public var lastModified: String?

    /// Creates validators with values that are not checked; by default empty ones.
    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    /// Whether neither validator is set.
    public var isEmpty: Bool { etag == nil && lastModified == nil }
}
