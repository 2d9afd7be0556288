import Reading
public import Store

/// The answer to a request.
public struct APIAnswer: Sendable {
    /// The content.
    public enum Body: Sendable {
        /// No content, as for HEAD and 304.
        case none
        /// The whole content.
        case whole([UInt8])
        /// A long content, read piece by piece.
        case pieces(AnswerPieces)
        /// A stream without an end.
        indirect case stream(StreamClient)
    }

    /// The status code.
    public var status: Int
    /// The fields of the head; names are in lower case.
    public var headers: [(name: String, value: String)]
    /// The content.
    public var body: Body
    /// Whether the content is kept for all answers, so that it costs nothing more to hold; default false.
    public var isShared = false
    /// The error of the store that the answer tells of, for the operator's log; nil: none.
    public var fault: StoreError?

    /// Creates an answer with these values; by default 200 without fields and content.
    public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates an answer with an object and a line feed.
    init(json members: KeyValuePairs<String, any JSONMember>, type: String = MediaType.json) {
        self.init(JSONWriter.object(members) + "\n", type: type)
    }

    /// Creates an answer with the whole text.
    init(status: Int = 200, _ text: String, type: String) {
        self.init(status: status, headers: [("content-type", type)], body: .whole(Array(text.utf8)))
    }

    /// The value of the first field of this name; nil if there is none.
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The answer with one field more.
    func with(_ name: String, _ value: String) -> APIAnswer {
        var answer = self
        answer.headers.append((name, value))
        return answer
    }
}

/// Makes the next piece of a body; nil at the end, also when it is called again. One caller at a time calls it. It
/// blocks, but no read transaction lives longer than a piece. It throws the store's error; the body is then broken off.
public typealias AnswerPieces = @Sendable (EventStore) throws -> [UInt8]?

/// The media types of answers.
enum MediaType {
    static let json = "application/json"
    static let geoJSON = "application/geo+json"
    static let geoJSONSequence = "application/geo+json-seq"
    static let openAPI = "application/vnd.oai.openapi+json;version=3.0"
    static let schema = "application/schema+json"
    static let problem = "application/problem+json"
    static let csv = "text/csv; charset=utf-8"
    static let ndjson = "application/x-ndjson"
    static let html = "text/html; charset=utf-8"
    static let atom = "application/atom+xml"
    static let kml = "application/vnd.google-earth.kml+xml"
    static let text = "text/plain; charset=utf-8"
    static let xml = "application/xml"
    static let prometheus = "text/plain; version=0.0.4; charset=utf-8"
}
