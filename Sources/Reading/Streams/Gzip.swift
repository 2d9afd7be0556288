import CArchive

/// Compresses a whole content as gzip (RFC 1952).
public enum Gzip {
    /// zlib's level: a third of the time of the usual one, for a few hundredths more bytes.
    private static let level: Int32 = 4

    /// The content as one member without name and time; nil when memory is short, and for more than 1 GiB.
    public static func compressed(_ content: [UInt8]) -> [UInt8]? {
        guard content.count <= 1 << 30 else { return nil }
        // zlib keeps the address of its stream, so it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        // 15: the largest window; + 16: a gzip header and trailer; 8: the usual memory (zlib.h, deflateInit2).
        let begun = deflateInit2_(
            stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard begun == Z_OK else { return nil }
        defer { deflateEnd(stream) }
        let most = UInt32(clamping: deflateBound(stream, UInt(content.count)))
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(clamping: most))
        defer { room.deallocate() }
        let status = content.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: input.count)
            stream.pointee.next_out = room
            stream.pointee.avail_out = most
            return deflate(stream, Z_FINISH)
        }
        guard status == Z_STREAM_END else { return nil }
        return Array(UnsafeBufferPointer(start: room, count: Int(clamping: most - stream.pointee.avail_out)))
    }
}
