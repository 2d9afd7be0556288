import CArchive

/// Decompresses gzip (RFC 1952) as bytes arrive. zlib verifies the length and checksum of each member.
///
/// Consecutive members form one content (§2.2). Other bytes after the last member are ignored, as gzip(1) does. For one
/// thread at a time.
public final class GzipInflater {
    /// Whether a member has ended and no other has begun. If it is false at the end of the input, the data is
    /// truncated.
    public private(set) var isAtEnd = false
    /// Whether bytes that are no gzip follow the last member; `step` then discards all further input.
    public private(set) var hasForeignTail = false

    // zlib keeps the address of its stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// Creates an inflater for the start of a gzip stream; nil when memory is short.
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

    /// Decompresses until `input` is used up or `output` is full. After a full output more may follow, even without
    /// further input. One call reads and writes at most 1 GiB.
    /// - Returns: The number of bytes read and written; nil for damaged bytes, after which the inflater is of no
    ///   further use.
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
                // The second byte of the magic number (§2.3.1) may not have arrived yet.
                let isMember = next.pointee == 0x1F && (stream.pointee.avail_in == 1 || next[1] == 0x8B)
                hasForeignTail = hasForeignTail || !isMember
                if hasForeignTail { return (input.count, capacity - Int(stream.pointee.avail_out)) }
                inflateReset(stream)
                isAtEnd = false
            }
            switch inflate(stream, Z_NO_FLUSH) {
            case Z_OK: break
            case Z_STREAM_END: isAtEnd = true
            // The input is used up.
            case Z_BUF_ERROR: return (left, capacity - Int(stream.pointee.avail_out))
            default: return nil
            }
        }
        return (left - Int(stream.pointee.avail_in), capacity - Int(stream.pointee.avail_out))
    }

    /// zlib's message about damaged bytes.
    var reason: String {
        let message: UnsafeMutablePointer<CChar>? = stream.pointee.msg
        return message.map { String(cString: $0) } ?? "it cannot be unpacked"
    }
}
