public import Foundation

/// One scripted answer of a `ScriptedUpstream`: correct, or wrong in one chosen way.
public struct Reply: Sendable {
    /// What ETag a reply has.
    public enum EntityTag: Sendable {
        /// A strong tag computed from the bytes (FNV-1a hash and size), so equal bodies have equal tags.
        case automatic
        /// No ETag.
        case absent
        /// This field value, with its quotes and `W/`, sent as it is.
        case exactly(String)
    }

    /// How a body is sent.
    enum Delivery: Sendable {
        /// At once.
        case whole
        /// A longer body is declared; the connection closes after these bytes.
        case truncated
        /// A longer body is declared; after these bytes the connection stays silent until the upstream stops.
        case stalled
        /// In pieces with a pause in between.
        case slow(pieceBytes: Int, pause: Duration)
        /// In pieces as a stream, which then ends, or stays open and silent until the upstream stops.
        case stream(pieceBytes: Int, staysOpen: Bool)
        /// No answer at all until the upstream stops.
        case never
    }

    /// The HTTP status code, not checked.
    public var statusCode: Int
    /// The response headers by name; missing `Content-Length`, `Transfer-Encoding` and `Date` are added.
    public var headers: [String: String]
    /// The body as sent, after any content encoding; a wrong reply may announce more.
    public var content: Data
    /// Whether matching conditional requests are answered with 304 (RFC 9110 §13); default false, true for `body` and
    /// `gzip`.
    public var honoursConditions = false
    var delivery = Delivery.whole
    var isChunked = false

    init(_ statusCode: Int, headers: [String: String] = [:], content: Data = Data(), delivery: Delivery = .whole) {
        self.statusCode = statusCode
        self.headers = headers
        self.content = content
        self.delivery = delivery
    }

    // MARK: - Well-behaved

    /// 200 with a body; 304 if `If-None-Match`, or without it `If-Modified-Since`, matches.
    /// - Parameters:
    ///   - etag: By default a strong tag computed from the bytes.
    ///   - lastModified: Field value; a request matches if it repeats it byte for byte. Nil, the default: none.
    public static func body(
        _ content: Data, type: String = "application/octet-stream", etag: EntityTag = .automatic,
        lastModified: String? = nil
    ) -> Reply {
        var reply = Reply(200, headers: ["Content-Type": type], content: content)
        switch etag {
        case .automatic: reply.headers["ETag"] = strongTag(of: content)
        case .absent: break
        case .exactly(let value): reply.headers["ETag"] = value
        }
        reply.headers["Last-Modified"] = lastModified
        reply.honoursConditions = true
        return reply
    }

    /// 200 with a text in UTF-8, or 304; otherwise like the form with bytes. `type` is sent as given, without a
    /// charset.
    public static func body(
        _ text: String, type: String = "application/octet-stream", etag: EntityTag = .automatic,
        lastModified: String? = nil
    ) -> Reply {
        body(Data(text.utf8), type: type, etag: etag, lastModified: lastModified)
    }

    /// 200 with a gzip-encoded body and a strong ETag, even if the request does not accept gzip; 304 if `If-None-Match`
    /// matches. The bytes are stored, not compressed.
    public static func gzip(_ content: Data, type: String = "application/octet-stream") -> Reply {
        body(Gzip.stored(content), type: type).with("Content-Encoding", "gzip")
    }

    /// A reply with any status code, headers such as `Retry-After` and a body; by default none of both. Conditions of
    /// the request are ignored.
    public static func status(_ code: Int, headers: [String: String] = [:], body: Data = Data()) -> Reply {
        Reply(code, headers: headers, content: body)
    }

    /// A redirect without body; `location` may be relative. The status is 302 by default and not checked.
    public static func redirect(to location: String, status: Int = 302) -> Reply {
        Reply(status, headers: ["Location": location])
    }

    /// 200 with a chunked body (`application/json`) in pieces that may end within a line. Then the body ends, or by
    /// default the connection stays open and silent until the upstream stops.
    /// - Parameter pieceBytes: Bytes of a piece, 1 or more, else the process stops; default 7.
    public static func stream(_ content: Data, pieceBytes: Int = 7, staysOpen: Bool = true) -> Reply {
        precondition(pieceBytes > 0, "a piece has at least one byte")
        var reply = Reply(
            200, headers: ["Content-Type": "application/json"], content: content,
            delivery: .stream(pieceBytes: pieceBytes, staysOpen: staysOpen))
        reply.isChunked = true
        return reply
    }

    /// 304 to any request, also an unconditional one; without validators.
    public static let notModified = Reply(304)

    // MARK: - Wrong

    /// 200 that declares 1000 bytes more than it sends, then closes; with `chunked()`, a body without its last chunk.
    public static func truncated(_ content: Data, type: String = "application/octet-stream") -> Reply {
        Reply(200, headers: ["Content-Type": type], content: content, delivery: .truncated)
    }

    /// 200 that declares 1000 bytes more than it sends, then stays silent until the upstream stops.
    public static func stalled(_ content: Data, type: String = "application/octet-stream") -> Reply {
        Reply(200, headers: ["Content-Type": type], content: content, delivery: .stalled)
    }

    /// 200 with a whole body, sent in pieces with a pause in between.
    /// - Parameters:
    ///   - pieceBytes: Bytes of a piece, 1 or more, else the process stops; default 16.
    ///   - pause: Time between two pieces; default 50 ms.
    public static func slow(
        _ content: Data, pieceBytes: Int = 16, pause: Duration = .milliseconds(50),
        type: String = "application/octet-stream"
    ) -> Reply {
        precondition(pieceBytes > 0, "a piece has at least one byte")
        return Reply(
            200, headers: ["Content-Type": type], content: content,
            delivery: .slow(pieceBytes: pieceBytes, pause: pause))
    }

    /// No answer, not even a head; the connection stays open until the upstream stops.
    public static let hang = Reply(200, delivery: .never)

    // MARK: - Modifiers

    /// The same reply with a header added, or replaced if its name has the same case.
    public func with(_ name: String, _ value: String) -> Reply {
        var reply = self
        reply.headers[name] = value
        return reply
    }

    /// The same reply with chunked transfer coding instead of a Content-Length.
    public func chunked() -> Reply {
        var reply = self
        reply.isChunked = true
        return reply
    }

    /// A strong ETag: FNV-1a hash of the bytes, and their number.
    static func strongTag(of content: Data) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in content { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\"\(String(hash, radix: 16))-\(String(content.count, radix: 16))\""
    }
}
