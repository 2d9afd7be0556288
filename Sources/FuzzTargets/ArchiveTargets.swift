import Foundation
import Reading

extension FuzzTarget {
    /// A target for zip and gzip, unpacked in memory and as a stream.
    static let archives: [FuzzTarget] = [
        FuzzTarget("archives", seeds: ["kml/*.kmz", "volcanoes/*.kmz", "rss/*.gz", "sitemap/*.gz"]) { data in
            try checkMembers(data)
            try FuzzFolder.with(data) { folder in try checkStream(folder.input, limit: 4 << 20) }
        }
    ]

    /// Most bytes that an archive may unpack to.
    private static let limit = 1 << 20

    private static func checkMembers(_ data: Data) throws(BrokenInvariant) {
        let members: [(name: String, data: Data)]
        do throws(ReadingError) {
            members = try ArchiveReader.members(data, limit: limit)
        } catch {
            try hold(!error.message.isEmpty && error.message.utf8.count < 4_096, "an error without good words")
            return
        }
        let bytes = members.reduce(0) { $0 + $1.data.count }
        try hold(bytes <= limit, "an archive of at most \(limit) bytes has given \(bytes)")
        try hold(members.count <= ArchiveReader.maximumMembers, "an archive has given \(members.count) files")
    }

    private static func checkStream(_ path: String, limit: Int) throws(BrokenInvariant) {
        do throws(ReadingError) {
            let stream = try ByteStream(path: path)
            var lines = LineCutter()
            let longest = lines.limit
            func take(_ number: Int, _ line: LineCutter.Line) throws(ReadingError) {
                guard case .text(let bytes, _) = line else { return }
                let isSound = bytes.count <= longest && !bytes.contains(0x0A)
                guard isSound else { throw ReadingError(code: "broken", message: "line \(number)") }
            }
            var bytes = 0
            while bytes < limit {
                let chunk = try stream.read(upTo: 1 << 16)
                if chunk.isEmpty { break }
                bytes += chunk.count
                try chunk.withUnsafeBufferPointer { chunk throws(ReadingError) in
                    try lines.feed(UnsafeRawBufferPointer(chunk), take)
                }
            }
            try lines.end(take)
        } catch {
            try hold(error.code != "broken", "\(error.message) is no line")
            try hold(!error.message.isEmpty, "an error without words")
        }
    }
}

/// A temporary folder with the input as a file, for code that reads files.
struct FuzzFolder {
    let path: String
    /// Path of the input file.
    var input: String { path + "/input" }

    /// Writes the input into a fresh folder, passes that to `body`, and removes it afterwards.
    static func with(_ data: Data, _ body: (FuzzFolder) throws -> Void) throws {
        let folder = FuzzFolder(path: NSTemporaryDirectory() + "/visiventd-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try data.write(to: URL(fileURLWithPath: folder.input))
        try body(folder)
    }
}
