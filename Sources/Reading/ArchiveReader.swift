import CArchive
public import Foundation

/// Unpacks zip archives (KMZ) with libarchive and gzip streams with zlib, in memory.
///
/// Names of members are data, not paths: nothing is written to disk.
public enum ArchiveReader {
    /// The most files of a zip archive: 10,000, without those left out. `members` refuses an archive with more
    /// (`too_large`).
    public static let maximumMembers = 10_000

    /// The most entries of a zip archive, with directories and the additions of macOS, of which each file has one.
    private static let maximumEntries = 4 * maximumMembers

    /// Whether the bytes begin like a zip archive (`PK`, also an empty one) or a gzip stream (1F 8B). The rest is not
    /// checked.
    public static func isArchive(_ data: Data) -> Bool {
        isZip(data) || isGzip(data)
    }

    /// The files of a zip archive in their order, or the content of a gzip stream as one member named `data`.
    /// Directories and the additions of macOS, `__MACOSX/` and `._name`, are left out, so the result may be empty.
    ///
    /// - Parameters:
    ///   - data: The archive.
    ///   - limit: The most unpacked bytes of all members together, this number included.
    /// - Throws: `ReadingError` with code `not_archive`; `bad_archive` for a damaged or truncated archive (checksums
    ///   are verified); `too_large` beyond `limit`, 10,000 members or 40,000 entries; `encrypted`; `out_of_memory`.
    public static func members(_ data: Data, limit: Int) throws(ReadingError) -> [(name: String, data: Data)] {
        guard isArchive(data) else {
            throw ReadingError(code: "not_archive", message: "found neither a zip archive nor a gzip stream")
        }
        let outcome = data.withUnsafeBytes { bytes -> Result<[(name: String, data: Data)], ReadingError> in
            // `Data.withUnsafeBytes` rethrows untyped errors only.
            do throws(ReadingError) {
                return .success(try isZip(data) ? unzip(bytes, limit: limit) : gunzip(bytes, limit: limit))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    // MARK: Formats

    private static func isZip(_ data: Data) -> Bool {
        // The signature of a file, or of an empty archive's end record (APPNOTE 4.3.7, 4.3.16).
        data.starts(with: [0x50, 0x4B, 3, 4]) || data.starts(with: [0x50, 0x4B, 5, 6])
    }

    private static func isGzip(_ data: Data) -> Bool {
        data.starts(with: [0x1F, 0x8B])
    }

    private static func unzip(
        _ bytes: UnsafeRawBufferPointer, limit: Int
    ) throws(ReadingError) -> [(name: String, data: Data)] {
        // libarchive accepts an archive whose central directory is missing or cut off.
        guard endsWithDirectory(bytes) else { throw damaged("it is truncated: its directory does not end") }
        return try unpack(bytes, limit: limit)
    }

    /// Whether the archive ends with a complete "end of central directory" record (APPNOTE 4.3.16).
    private static func endsWithDirectory(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let size = 22
        var offset = bytes.count - size
        let first = max(0, offset - 0xFFFF)
        while offset >= first {
            if bytes[offset] == 0x50, bytes[offset + 1] == 0x4B, bytes[offset + 2] == 5, bytes[offset + 3] == 6 {
                let comment = Int(bytes[offset + 20]) | Int(bytes[offset + 21]) << 8
                return offset + size + comment <= bytes.count
            }
            offset -= 1
        }
        return false
    }

    private static func gunzip(
        _ bytes: UnsafeRawBufferPointer, limit: Int
    ) throws(ReadingError) -> [(name: String, data: Data)] {
        guard let inflater = GzipInflater() else {
            throw ReadingError(code: "out_of_memory", message: "no memory to unpack a gzip stream")
        }
        var content = Data()
        var left = bytes
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            guard let step = chunk.withUnsafeMutableBytes({ inflater.step(left, into: $0) }) else {
                throw damaged(inflater.reason)
            }
            guard step.written <= limit - content.count else { throw tooLarge(limit) }
            content.append(contentsOf: chunk[..<step.written])
            left = UnsafeRawBufferPointer(rebasing: left[step.read...])
            if left.isEmpty, step.written < chunk.count { break }
        }
        guard inflater.isAtEnd else { throw damaged("it is truncated") }
        guard !inflater.hasForeignTail else { throw damaged("other bytes follow it") }
        return [(name: "data", data: content)]
    }

    // MARK: libarchive

    private static func unpack(
        _ bytes: UnsafeRawBufferPointer, limit: Int
    ) throws(ReadingError) -> [(name: String, data: Data)] {
        guard let archive = visivent_archive_create() else {
            throw ReadingError(code: "out_of_memory", message: "no memory for an archive reader")
        }
        defer { visivent_archive_free(archive) }
        // libarchive returns UTF-8 names only in a UTF-8 locale. This one applies to this thread and this call.
        let utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
        let former = uselocale(utf8)
        defer {
            uselocale(former)
            if let utf8 { freelocale(utf8) }
        }
        guard visivent_archive_open(archive, bytes.baseAddress, bytes.count) == 1 else { throw damaged(archive) }
        var members: [(name: String, data: Data)] = []
        var room = limit
        var entries = 0
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var entry: OpaquePointer?
            let status = visivent_archive_next(archive, &entry)
            if status == 0 { return members }
            guard status == 1, let entry else { throw damaged(archive) }
            entries += 1
            guard entries <= maximumEntries else { throw tooMany(maximumEntries, "entries") }
            if visivent_archive_is_encrypted(entry) != 0 {
                throw ReadingError(code: "encrypted", message: "the archive is protected by a password")
            }
            let nameBytes: UnsafePointer<CChar>? = visivent_archive_name(entry)
            let name = nameBytes.map { String(cString: $0) } ?? ""
            if visivent_archive_is_directory(entry) != 0 || name.hasSuffix("/") || isOfMacOS(name) { continue }
            guard members.count < maximumMembers else { throw tooMany(maximumMembers, "files") }
            var content = Data()
            while true {
                let count = chunk.withUnsafeMutableBytes { chunk in
                    visivent_archive_read(archive, chunk.baseAddress, chunk.count)
                }
                if count == 0 { break }
                guard count > 0 else { throw damaged(archive) }
                guard count <= room else {
                    throw tooLarge(limit)
                }
                room -= count
                content.append(contentsOf: chunk[..<count])
            }
            members.append((name: name, data: content))
        }
    }

    private static func isOfMacOS(_ name: String) -> Bool {
        let parts = name.split(separator: "/")
        return parts.first == "__MACOSX" || parts.last?.hasPrefix("._") == true
    }

    private static func tooMany(_ most: Int, _ words: String) -> ReadingError {
        ReadingError(code: "too_large", message: "the archive has more than \(most) \(words)")
    }

    private static func tooLarge(_ limit: Int) -> ReadingError {
        ReadingError(code: "too_large", message: "the archive unpacks to more than \(limit) bytes")
    }

    private static func damaged(_ archive: OpaquePointer) -> ReadingError {
        let reason = String(cString: visivent_archive_error(archive))
        return damaged(reason.isEmpty ? "it cannot be unpacked" : reason)
    }

    private static func damaged(_ reason: String) -> ReadingError {
        ReadingError(code: "bad_archive", message: "the archive is damaged: \(reason)")
    }
}
