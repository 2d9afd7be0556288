import CArchive

/// Unpacks gzip (RFC 1952) with zlib, which verifies each member's length and checksum.
///
/// Several members in a row are one content; what follows the last is ignored, as gzip(1) does.
final class GzipUnpacker: Unpacker {
    private let wire: WireReader
    // zlib keeps the address of its stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isBetweenMembers = false
    private var isOver = false

    init(_ wire: WireReader) throws(ReadingError) {
        self.wire = wire
        stream.initialize(to: z_stream())
        // 15: the largest window; + 16: a gzip header and trailer (zlib.h, inflateInit2).
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            throw ReadingError(code: "out_of_memory", message: "no memory to unpack \(wire.name)")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func read(into room: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
        let capacity = min(room.count, 1 << 30)
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(capacity)
        while !isOver, stream.pointee.avail_out > 0 {
            if isBetweenMembers {
                isOver = try !wire.head(2).starts(with: [0x1F, 0x8B])
                isBetweenMembers = false
                inflateReset(stream)
                continue
            }
            let packed = try wire.unread()
            guard !packed.isEmpty else {
                throw ReadingError(
                    code: "bad_archive", message: "\(wire.name) is truncated: its gzip data does not end")
            }
            stream.pointee.next_in = packed.baseAddress
            stream.pointee.avail_in = UInt32(packed.count)
            let status = inflate(stream, Z_NO_FLUSH)
            wire.consume(packed.count - Int(stream.pointee.avail_in))
            switch status {
            case Z_OK: break
            case Z_STREAM_END: isBetweenMembers = true
            default:
                let message: UnsafeMutablePointer<CChar>? = stream.pointee.msg
                let reason = message.map { String(cString: $0) } ?? "status \(status)"
                throw ReadingError(code: "bad_archive", message: "\(wire.name) is damaged gzip data: \(reason)")
            }
        }
        return capacity - Int(stream.pointee.avail_out)
    }
}
