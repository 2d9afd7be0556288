import Reading

/// Undoes the content coding gzip (RFC 9110 §8.4.1.3) as the bytes arrive, and knows whether the end has come.
///
/// libcurl could do it as well, but takes a compressed stream that ends early for whole.
struct ContentDecoder {
    /// What is offered to servers.
    static let accepted = "gzip"
    /// Its names in answers.
    static let codings = ["gzip", "x-gzip"]

    /// Why bytes could not be taken.
    enum Trouble {
        case damaged, tooLarge, outOfMemory
    }

    private let inflater: GzipInflater

    /// Creates a decoder for one of `codings`; nil for any other, and when memory is short.
    init?(_ coding: String) {
        guard Self.codings.contains(coding), let inflater = GzipInflater() else { return nil }
        self.inflater = inflater
    }

    /// Whether the bytes so far end where a compressed stream ends.
    var isAtEnd: Bool { inflater.isAtEnd }

    /// Decodes `bytes` onto the end of `body`, which must not grow beyond `limit` bytes.
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
