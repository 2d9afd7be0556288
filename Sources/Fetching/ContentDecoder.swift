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
        /// The body may not grow at present.
        case full
    }

    private let inflater: GzipInflater

    /// Creates a decoder for one of `codings`; fails for any other, and if memory is short.
    init?(_ coding: String) {
        guard Self.codings.contains(coding), let inflater = GzipInflater() else { return nil }
        self.inflater = inflater
    }

    /// Whether the bytes so far end where a compressed stream ends.
    var isAtEnd: Bool { inflater.isAtEnd }

    /// The most bytes that one step adds to a body.
    static let step = 64 << 10

    /// Appends the decoded bytes to `body`, which must not exceed `limit` bytes; returns what went wrong, or nil.
    /// - Parameters:
    ///   - bytes: Becomes the rest that is not decoded; empty unless something went wrong.
    ///   - mayGrow: Whether the body may grow by `step` bytes.
    func decode(
        _ bytes: inout UnsafeRawBufferPointer, into body: BodyBuffer, limit: Int, mayGrow: () -> Bool
    ) -> Trouble? {
        while true {
            guard mayGrow() else { return .full }
            guard body.reserve(Self.step) else { return .outOfMemory }
            // One byte above the limit shows that it is exceeded.
            let most = min(Self.step, limit - body.count + 1)
            let room = UnsafeMutableRawBufferPointer(rebasing: body.room.prefix(most))
            guard let step = inflater.step(bytes, into: room) else { return .damaged }
            bytes = UnsafeRawBufferPointer(rebasing: bytes[step.read...])
            body.grow(by: step.written)
            if body.count > limit { return .tooLarge }
            if bytes.isEmpty, step.written < room.count { return nil }
        }
    }
}
