public import Foundation

/// A directory of recorded feeds, held in memory and served by path.
///
/// All files form one recording: their times move together, so an event in two feeds keeps one time. The file
/// `quakes@45s.geojson` replaces `quakes.geojson` 45 seconds after the start, so that a recording can grow.
public struct RecordedDirectory: Sendable {
    private struct Version: Sendable {
        var after: TimeInterval
        var body: Data
    }

    private let start: Date
    private var versions: [String: [Version]] = [:]

    /// Reads every file below the directory `path`; blocks its thread.
    /// - Parameters:
    ///   - start: The time at which serving begins.
    ///   - isShifted: Whether times move so that the newest item of all first versions is at `start`. The extension
    ///     decides on the kind of `TimeShift`: `geojson`; `json`, `jsonl`, `ndjson`; `xml`, `rss`, `atom`, `cap`,
    ///     `kml`.
    /// - Throws: `CocoaError` if the directory or a file cannot be read.
    public init(_ path: String, start: Date, isShifted: Bool) throws {
        self.start = start
        let directory = URL(fileURLWithPath: path, isDirectory: true)
        for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() {
            let url = directory.appendingPathComponent(name)
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), !isDirectory.boolValue
            else { continue }
            let (served, after) = Self.versioned(name)
            let body = try Data(contentsOf: url)
            versions["/" + served, default: []].append(Version(after: after, body: body))
        }
        var newest: Int64?
        for (served, unsorted) in versions {
            let sorted = unsorted.sorted { $0.after < $1.after }
            versions[served] = sorted
            let time = sorted.first.flatMap { TimeShift.newestMilliseconds(in: $0.body, kind: Self.kind(of: served)) }
            newest = [newest, time].compactMap { $0 }.max()
        }
        guard isShifted, let newestItem = newest else { return }
        let delta = TimeShift.milliseconds(of: start) - newestItem
        for (served, recorded) in versions {
            versions[served] = recorded.map {
                Version(
                    after: $0.after,
                    body: TimeShift.shift($0.body, kind: Self.kind(of: served), byMilliseconds: delta))
            }
        }
    }

    /// The served paths, sorted, such as `/usgs/quakes.geojson`: without percent-encoding and `@45s`.
    public var paths: [String] { versions.keys.sorted() }

    /// The answer at the given time: 200 with the version that was due last (before any, the first), or 404.
    ///
    /// It has an ETag, so that a conditional request gets 304. The query is ignored.
    public func reply(to request: RecordedRequest, at now: Date) -> Reply {
        let path = request.path.removingPercentEncoding ?? request.path
        let elapsed = now.timeIntervalSince(start)
        guard let all = versions[path], let version = all.last(where: { $0.after <= elapsed }) ?? all.first else {
            return .status(404)
        }
        return .body(version.body, type: Self.type(of: path))
    }

    /// The name under which a file is served, and its delay in seconds after the start.
    private static func versioned(_ name: String) -> (served: String, after: TimeInterval) {
        guard let at = name.lastIndex(of: "@"), let dot = name[at...].firstIndex(of: "."), name[..<dot].hasSuffix("s"),
            let seconds = UInt32(name[name.index(after: at)..<dot].dropLast())
        else { return (name, 0) }
        return (String(name[..<at] + name[dot...]), TimeInterval(seconds))
    }

    private static func fileExtension(of path: String) -> Substring {
        path.split(separator: ".").last ?? ""
    }

    private static func kind(of path: String) -> String {
        switch fileExtension(of: path) {
        case "geojson": "usgs"
        case "json", "jsonl", "ndjson": "twitter"
        case "xml", "rss", "atom", "cap", "kml": "rss"
        default: ""
        }
    }

    private static func type(of path: String) -> String {
        switch fileExtension(of: path) {
        case "geojson": "application/geo+json"
        case "json": "application/json"
        case "xml": "text/xml"
        case "rss": "application/rss+xml"
        case "atom": "application/atom+xml"
        case "cap": "application/cap+xml"
        case "kml": "application/vnd.google-earth.kml+xml"
        default: "application/octet-stream"
        }
    }
}
