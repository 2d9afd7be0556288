import Foundation
import Model
import Settings

/// The files of the map page, as `scripts/assets.sh` has assembled them: read once, 3 MB with MapLibre, and kept.
public struct PageFiles: Sendable {
    private struct File: Sendable {
        let type: String
        let content: [UInt8]
        let gzipped: [UInt8]?
    }

    /// Stands for all names and contents, 16 hexadecimal digits, so that an address below it never has another content.
    ///
    /// FNV-1a is enough: who may write the files may serve anything, so nobody gains by a forged collision, and two
    /// versions of the page have the same hash by chance once in 2^64.
    let hash: String
    /// The page itself, with the addresses of its files.
    let document: String
    private let files: [String: File]

    /// The folder that `make install` fills: `share/visiventd/page` beside the folder of the running program.
    public static var standardFolder: String {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let prefix = program.deletingLastPathComponent().deletingLastPathComponent()
        return prefix.appendingPathComponent("share/visiventd/page").path
    }

    /// The largest file, in MiB.
    private static let mostOfFile = 16

    /// Reads the files of a folder and its folders; blocks. Files of other than the known types, pipes, and files of
    /// more than 16 MiB are left out.
    /// - Returns: Nil without a readable `index.html`.
    public init?(folder: String) {
        let reading = FileReading.regularFiles(atMostMiB: Self.mostOfFile)
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        var contents: [String: [UInt8]] = [:]
        var sum = FNV64.basis
        for name in names.sorted() {
            let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
            guard Self.mediaType(of: plain) != nil else { continue }
            guard let data = try? reading.contents("\(folder)/\(name)") else { continue }
            let content = [UInt8](data)
            contents[name] = content
            let start = FNV64.hash("\(name) \(content.count)\n".utf8, after: sum)
            sum = content.withUnsafeBytes { FNV64.hash($0, after: start) }
        }
        guard let document = contents.removeValue(forKey: "index.html") else { return nil }
        let hash = FNV64.hex(sum)
        self.hash = hash
        self.document = String(decoding: document, as: UTF8.self).replacing("@PAGE@", with: "page/\(hash)")
        var files: [String: File] = [:]
        for (name, content) in contents {
            guard let type = Self.mediaType(of: name) else { continue }
            files[name] = File(type: type, content: content, gzipped: contents[name + ".gz"])
        }
        self.files = files
    }

    /// The media type by the ending of a name; nil for other files, which are not served.
    private static func mediaType(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": MediaType.html
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": MediaType.json
        case "geojson": MediaType.geoJSON
        case "md", "txt": MediaType.text
        case "png": "image/png"
        case "svg": "image/svg+xml"
        default: nil
        }
    }

    /// The answer with a file, which browsers may keep for ever; nil if there is none of this name.
    /// - Parameter acceptEncoding: The field `Accept-Encoding`; nil: none.
    func answer(_ name: String, acceptEncoding: String?) -> APIAnswer? {
        guard let file = files[name] else { return nil }
        var answer = APIAnswer(headers: [("content-type", file.type)])
            .with("cache-control", "public, max-age=31536000, immutable")
        answer.isShared = true
        guard let gzipped = file.gzipped else {
            answer.body = .whole(file.content)
            return answer
        }
        answer = answer.with("vary", "accept-encoding")
        if ContentCoding.takesGzip(acceptEncoding) {
            answer = answer.with("content-encoding", "gzip")
            answer.body = .whole(gzipped)
        } else {
            answer.body = .whole(file.content)
        }
        return answer
    }
}
