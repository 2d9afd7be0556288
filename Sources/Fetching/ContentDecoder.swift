import CCurl

/// Undoes one content coding (RFC 9110 §8.4.1) as the bytes arrive, and knows whether the end has come.
///
/// libcurl could do it as well, but takes a compressed stream that ends early for whole.
final class ContentDecoder {
    /// What is offered to servers.
    static let accepted = "gzip, br, zstd"

    /// Why bytes could not be taken.
    enum Trouble {
        case damaged, tooLarge, outOfMemory
    }

    private let handle: OpaquePointer

    /// Creates a decoder for `gzip`, `x-gzip`, `br` or `zstd`; nil for any other coding.
    init?(_ coding: String) {
        guard let handle = ccurl_decoder_create(coding == "x-gzip" ? "gzip" : coding) else { return nil }
        self.handle = handle
    }

    deinit { ccurl_decoder_free(handle) }

    /// Whether the bytes so far end where a compressed stream ends.
    var isAtEnd: Bool { ccurl_decoder_is_at_end(handle) }

    /// Decodes `bytes` onto the end of `body`, which must not grow beyond `limit` bytes.
    func decode(_ bytes: UnsafeRawBufferPointer, into body: BodyBuffer, limit: Int) -> Trouble? {
        var input = bytes.bindMemory(to: UInt8.self).baseAddress
        var left = bytes.count
        while true {
            guard body.reserve(64 << 10), let output = body.room.bindMemory(to: UInt8.self).baseAddress else {
                return .outOfMemory
            }
            // One byte above the limit shows that it is exceeded.
            let capacity = min(body.room.count, limit - body.count + 1)
            var written = 0
            guard ccurl_decoder_step(handle, &input, &left, output, capacity, &written) else { return .damaged }
            body.grow(by: written)
            if body.count > limit { return .tooLarge }
            if left == 0, written < capacity { return nil }
        }
    }
}
