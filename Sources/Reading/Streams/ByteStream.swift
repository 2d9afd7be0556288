public import Foundation

/// Bytes of a file, a pipe or a download, unpacked on the way, in constant memory.
///
/// gzip and zip are known by their first bytes, not by a name. Of a zip archive the first file counts (hidden ones and
/// a `readme` are passed over). Lengths and checksums are verified, so bytes that came without an error are whole as
/// far as the packing can tell. For one thread at a time; reading blocks.
public final class ByteStream {
    /// How the bytes were packed.
    public enum Packing: String, Sendable {
        case plain, gzip, zip
    }

    /// How the bytes were packed.
    public let packing: Packing
    /// Name of the file within a zip archive.
    public let member: String?

    private let wire: WireReader
    private let unpacker: any Unpacker
    private var isOver = false

    /// Opens a file or a named pipe.
    /// - Throws: `ReadingError` with code `unreadable`; `bad_archive` or `encrypted` for a damaged or locked archive.
    public convenience init(path: String) throws(ReadingError) {
        try self.init(wire: try WireReader.opening(path))
    }

    /// Reads from a descriptor, which is closed in the end.
    /// - Parameters:
    ///   - descriptor: a pipe, a socket or a file, open for reading.
    ///   - name: what messages call it.
    /// - Throws: As `init(path:)`.
    public convenience init(descriptor: Int32, name: String) throws(ReadingError) {
        try self.init(wire: WireReader(.descriptor(descriptor), name: name))
    }

    /// Reads bytes that come piece by piece.
    /// - Parameters:
    ///   - name: what messages call them.
    ///   - totalBytes: how many will come, if that is known.
    ///   - next: gives the next piece, nil at the end; throws when they are not whole.
    /// - Throws: As `init(path:)`, and what `next` throws.
    public convenience init(
        name: String, totalBytes: Int64?, next: @escaping () throws(ReadingError) -> Data?
    ) throws(ReadingError) {
        try self.init(wire: WireReader(.pieces(next), name: name, totalBytes: totalBytes))
    }

    private init(wire: WireReader) throws(ReadingError) {
        let head = try wire.head(4)
        if head.starts(with: [0x1F, 0x8B]) {
            packing = .gzip
            member = nil
            unpacker = try GzipUnpacker(wire)
        } else if head == [0x50, 0x4B, 3, 4] {
            packing = .zip
            let zip = try ZipUnpacker(wire)
            member = zip.member
            unpacker = zip
        } else {
            packing = .plain
            member = nil
            unpacker = PlainBytes(wire)
        }
        self.wire = wire
    }

    /// What messages call it.
    public var name: String { wire.name }

    /// Bytes that have come so far, as packed.
    public var wireBytes: Int64 { wire.count }

    /// Bytes that will come altogether, as packed, where that is known.
    public var totalBytes: Int64? { wire.totalBytes }

    /// Reads the next bytes into `room`: how many, 0 only at the end.
    /// - Throws: `ReadingError` with code `unreadable` or `bad_archive`, and what gives the pieces throws.
    public func read(into room: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
        guard !isOver, !room.isEmpty else { return 0 }
        let count = try unpacker.read(into: room)
        guard count == 0 else { return count }
        isOver = true
        try wire.drain()
        return 0
    }

    /// Reads the next `count` bytes, or all that are left if they are fewer.
    /// - Throws: As `read(into:)`.
    public func read(upTo count: Int) throws(ReadingError) -> [UInt8] {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { room.deallocate() }
        var filled = 0
        while filled < count {
            let more = try read(into: UnsafeMutableRawBufferPointer(rebasing: room[filled...]))
            if more == 0 { break }
            filled += more
        }
        return Array(room.prefix(filled))
    }
}

/// Makes bytes of those that come from a wire.
protocol Unpacker: AnyObject {
    /// Fills `room`, or a part of it: how many bytes, 0 only at the end.
    func read(into room: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int
}

/// Bytes that are not packed.
final class PlainBytes: Unpacker {
    private let wire: WireReader

    init(_ wire: WireReader) { self.wire = wire }

    func read(into room: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
        let bytes = try wire.unread()
        let count = min(bytes.count, room.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]))
        wire.consume(count)
        return count
    }
}
