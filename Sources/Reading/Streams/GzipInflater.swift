import CArchive

/// Undoes gzip (RFC 1952) as bytes arrive, with zlib, which verifies each member's length and checksum.
///
/// Several members in a row are one content (§2.2); what follows the last is ignored, as gzip(1) does.
public final class GzipInflater {
    /// Whether a member has ended and none has begun since.
    public private(set) var isAtEnd = false
    /// Whether something that is no gzip follows the last member.
    public private(set) var hasForeignTail = false

    // zlib keeps the address of its stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// Begins; nil when memory is short.
    public init?() {
        stream.initialize(to: z_stream())
        // 15: the largest window; + 16: a gzip header and trailer (zlib.h, inflateInit2).
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates until `input` is used up or `output` is full; a full output means that more may follow, also without
    /// further input.
    /// - Returns: How many bytes were read and written; nil for damaged bytes.
    public func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (read: Int, written: Int)? {
        let (left, capacity) = (min(input.count, 1 << 30), min(output.count, 1 << 30))
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(left)
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(capacity)
        while stream.pointee.avail_out > 0 {
            if isAtEnd {
                guard stream.pointee.avail_in > 0, let next = stream.pointee.next_in else { break }
                // Of the magic number (§2.3.1) the second byte may not have come yet.
                let isMember = next.pointee == 0x1F && (stream.pointee.avail_in == 1 || next[1] == 0x8B)
                hasForeignTail = hasForeignTail || !isMember
                if hasForeignTail { return (input.count, capacity - Int(stream.pointee.avail_out)) }
                inflateReset(stream)
                isAtEnd = false
            }
            switch inflate(stream, Z_NO_FLUSH) {
            case Z_OK: break
            case Z_STREAM_END: isAtEnd = true
            // Nothing is left to read.
            case Z_BUF_ERROR: return (left, capacity - Int(stream.pointee.avail_out))
            default: return nil
            }
        }
        return (left - Int(stream.pointee.avail_in), capacity - Int(stream.pointee.avail_out))
    }

    /// What zlib says of damaged bytes.
    var reason: String {
        let message: UnsafeMutablePointer<CChar>? = stream.pointee.msg
        return message.map { String(cString: $0) } ?? "it cannot be unpacked"
    }
}
