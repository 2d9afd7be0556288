public import Foundation

/// Bytes of a file, a pipe or a download, unpacked on the fly in constant memory.
///
/// The first bytes identify gzip and zip, not a name. The first file of a zip archive is read; hidden files and a
/// `readme` are skipped. Lengths and checksums are verified, so bytes read without an error are complete as far as the
/// format can tell. A stream is for one thread at a time, and reading blocks.
public final class ByteStream {
    /// A packing that the first bytes identify; its raw value is the name of its case.
    public enum Packing: String, Sendable {
        /// No packing, gzip (RFC 1952), or a zip archive, of which one file is read.
        case plain, gzip, zip
    }

    /// How the bytes are packed, known from the start.
    public let packing: Packing
    /// The path of the file inside a zip archive, as the archive gives it; nil for other packings.
    public let member: String?

    private let wire: WireReader
    private let unpacker: any Unpacker
    private var isOver = false

    /// Opens a file, a named pipe or a device; blocks until the first bytes arrive.
    /// - Parameter path: The path, which is also the name for messages.
    /// - Throws: `ReadingError` with code `unreadable`; `bad_archive` for a damaged zip archive or one without a file
    ///   to read; `encrypted`; `out_of_memory`.
    public convenience init(path: String) throws(ReadingError) {
        try self.init(wire: try WireReader.opening(path))
    }

    /// Reads from a descriptor and closes it in the end, also if this throws; blocks until the first bytes arrive.
    /// - Parameters:
    ///   - descriptor: A pipe, a socket or a file, open for reading.
    ///   - name: The name for messages.
    /// - Throws: As `init(path:)`.
    public convenience init(descriptor: Int32, name: String) throws(ReadingError) {
        try self.init(wire: WireReader(.descriptor(descriptor), name: name))
    }

    /// Reads bytes that arrive in pieces; asks for the first pieces at once.
    /// - Parameters:
    ///   - name: The name for messages.
    ///   - totalBytes: The number of bytes to come; nil when it is unknown. It is reported, not checked.
    ///   - next: Returns the next piece, nil at the end; throws when the bytes are incomplete. It is called on the
    ///     thread that reads; empty pieces are skipped.
    /// - Throws: As `init(path:)`, and the errors of `next`.
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

    /// The name for messages: the path, or the name given to `init`.
    public var name: String { wire.name }

    /// The number of packed bytes received so far, including those that are not unpacked yet.
    public var wireBytes: Int64 { wire.count }

    /// The number of all packed bytes: the size of a file at its opening, or the number given to `init`; nil when it is
    /// unknown, as for pipes.
    public var totalBytes: Int64? { wire.totalBytes }

    /// Reads the next bytes into `room` and returns their number, which may be less than the room; 0 at the end, or for
    /// an empty `room`. At the end the rest of the source is read and discarded, so that the sender can finish.
    /// - Throws: `ReadingError` with code `unreadable` or `bad_archive` (damaged, truncated or a wrong checksum), and
    ///   the errors of the source of pieces.
    public func read(into room: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
        guard !isOver, !room.isEmpty else { return 0 }
        let count = try unpacker.read(into: room)
        guard count == 0 else { return count }
        isOver = true
        try wire.drain()
        return 0
    }

    /// Reads the next `count` bytes, or all remaining ones if there are fewer; empty at the end. It allocates `count`
    /// bytes, 0 or more.
    /// - Throws: As `read(into:)`; the bytes read before the error are lost.
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

/// Unpacks the bytes of a wire.
protocol Unpacker: AnyObject {
    /// Fills `room` or a part of it and returns the number of bytes; 0 only at the end.
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
