import Reading

/// Decodes the content coding gzip (RFC 9110 §8.4.1.3) as bytes arrive, and knows whether the stream is complete.
///
/// libcurl's decoder accepts a compressed stream that ends early.
struct ContentDecoder {
    /// The value of Accept-Encoding.
    static let accepted = "gzip"
    /// The names of the coding in Content-Encoding.
    static let codings = ["gzip", "x-gzip"]

    /// Why bytes cannot be decoded.
    enum Trouble {
        case damaged, tooLarge, outOfMemory
    }

    private let inflater: GzipInflater

    /// Creates a decoder for one of `codings`; fails for any other, and if memory is short.
    init?(_ coding: String) {
        guard Self.codings.contains(coding), let inflater = GzipInflater() else { return nil }
        self.inflater = inflater
    }

    /// Whether the bytes so far end where a compressed stream ends.
    var isAtEnd: Bool { inflater.isAtEnd }

    /// Appends the decoded bytes to `body`, which must not exceed `limit` bytes; returns what went wrong, or nil.
    func decode(_ bytes: UnsafeRawBufferPointer, into body: BodyBuffer, limit: Int) -> Trouble? {
        var left = bytes
        while true {
            guard body.reserve(64 << 10) else { return .outOfMemory }
            // One byte above the limit shows that it is exceeded.
            let room = UnsafeMutableRawBufferPointer(rebasing: body.room.prefix(limit - body.count + 1))
            guard let step = inflater.step(left, into: room) else { return .damaged }
            left = UnsafeRawBufferPointer(rebasing: left[step.read...])
            body.grow(by: step.written)
            if body.count > limit { return .tooLarge }
            if left.isEmpty, step.written < room.count { return nil }
        }
    }
}
