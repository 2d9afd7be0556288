import CArchive

/// Unpacks the first file of a zip archive with libarchive. It reads local headers only, so a pipe suffices.
final class ZipUnpacker: Unpacker {
    /// The name of that file.
    let member: String

    private let wire: WireReader
    private let archive: OpaquePointer

    init(_ wire: WireReader) throws(ReadingError) {
        guard let archive = visivent_archive_create() else {
            throw ReadingError(code: "out_of_memory", message: "no memory to unpack \(wire.name)")
        }
        self.wire = wire
        self.archive = archive
        do throws(ReadingError) {
            member = try Self.open(archive, wire)
        } catch {
            visivent_archive_free(archive)
            throw error
        }
    }

    deinit { visivent_archive_free(archive) }

    func read(into room: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
        let count = visivent_archive_read(archive, room.baseAddress, room.count)
        guard count >= 0 else { throw Self.damaged(archive, wire) }
        return count
    }

    /// Goes to the first file that may be a table and returns its name.
    private static func open(_ archive: OpaquePointer, _ wire: WireReader) throws(ReadingError) -> String {
        let context = Unmanaged.passUnretained(wire).toOpaque()
        let isOpen = visivent_archive_open_stream(archive, context) { _, context, bytes in
            guard let context, let bytes else { return -1 }
            let wire = Unmanaged<WireReader>.fromOpaque(context).takeUnretainedValue()
            do throws(ReadingError) {
                let packed = try wire.unread()
                bytes.pointee = UnsafeRawPointer(packed.baseAddress)
                wire.consume(packed.count)
                return packed.count
            } catch {
                wire.failure = error
                return -1
            }
        }
        guard isOpen == 1 else { throw damaged(archive, wire) }
        for _ in 0..<ArchiveReader.maximumMembers {
            var entry: OpaquePointer?
            let status = visivent_archive_next(archive, &entry)
            guard status != 0 else { break }
            guard status == 1, let entry else { throw damaged(archive, wire) }
            let bytes: UnsafePointer<CChar>? = visivent_archive_name(entry)
            let name = bytes.map { String(cString: $0) } ?? ""
            let last = name.split(separator: "/").last ?? ""
            if visivent_archive_is_directory(entry) != 0 || name.hasSuffix("/") || last.hasPrefix(".")
                || last.lowercased().hasPrefix("readme")
            {
                continue
            }
            guard visivent_archive_is_encrypted(entry) == 0 else {
                throw ReadingError(code: "encrypted", message: "\(wire.name) is protected by a password")
            }
            return name
        }
        throw ReadingError(code: "bad_archive", message: "\(wire.name) is a zip archive without a file to read")
    }

    private static func damaged(_ archive: OpaquePointer, _ wire: WireReader) -> ReadingError {
        if let failure = wire.failure { return failure }
        let reason = String(cString: visivent_archive_error(archive))
        return ReadingError(
            code: "bad_archive",
            message: "\(wire.name) is a damaged zip archive" + (reason.isEmpty ? "" : ": \(reason)"))
    }
}
