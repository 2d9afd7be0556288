import Reading

/// The content coding gzip of answers (RFC 9110 §8.4.1.3).
enum ContentCoding {
    /// Whether the field `Accept-Encoding` names gzip with another weight than 0 (RFC 9110 §12.5.3).
    static func takesGzip(_ field: String?) -> Bool {
        (field ?? "").split(separator: ",").prefix(64).contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard parts.first == "gzip" else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}

extension APIAnswer {
    /// The fewest bytes that are compressed: fewer go in one packet of the network in any case.
    private static let leastBytes = 1024

    /// The answer compressed where the client takes that, and where it is a whole text of 1 KiB or more.
    ///
    /// An answer read piece by piece or without an end stays as it is: compression would hold its beginning back. The
    /// ETag stays, too, since it is weak (RFC 9110 §8.8.3).
    func compressed(for request: APIRequest) -> APIAnswer {
        guard !isShared, header("content-encoding") == nil, mayBeCompressed else { return self }
        // Whether it is or not: caches keep the fields of one for the other.
        var answer = with("vary", "accept-encoding")
        guard case .whole(let bytes) = body, bytes.count >= Self.leastBytes,
            ContentCoding.takesGzip(request.headers["accept-encoding"]), let packed = Gzip.compressed(bytes),
            packed.count < bytes.count
        else { return answer }
        answer.body = .whole(packed)
        return answer.with("content-encoding", "gzip")
    }

    /// Whether an answer of this address may be a whole text.
    private var mayBeCompressed: Bool {
        switch body {
        case .stream: return false
        case .none: return status == 304
        case .whole, .pieces:
            let type = header("content-type") ?? ""
            return type.hasPrefix("text/") || type.contains("json") || type.contains("xml")
        }
    }
}
