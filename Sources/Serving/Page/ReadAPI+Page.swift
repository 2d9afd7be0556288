import Foundation
import Model
import Settings

/// The map page. Its addresses are its own: they may change with each version, and OpenAPI does not name them.
extension ReadAPI {
    /// Answers `/` for browsers: the page, with what it may load.
    func mapDocument(_ request: APIRequest, _ files: PageFiles) throws -> APIAnswer {
        // Browsers may take over the fields of a 304, so it has them, too, and other ones make another ETag.
        let (policy, referrers) = (map.policy, map.referrerPolicy)
        return try validated(request, files.hash, form: "page \(policy) \(referrers)") {
            APIAnswer(files.document, type: MediaType.html)
        }
        .with("content-security-policy", policy).with("referrer-policy", referrers)
    }

    /// Answers below `/page`.
    /// - Parameter segments: Those behind `page`.
    func pageRoute(_ request: APIRequest, _ segments: [String], now: Date) throws -> Reply {
        try Parameters(request).end()
        switch (segments.first ?? "", segments.count) {
        case ("start", 1):
            return .read { _ in
                let text = map.start(program: program)
                return try validated(request, FNV64.hex(text), form: "start") {
                    APIAnswer(text, type: MediaType.json)
                }
            }
        case ("upkeep", 1): return upkeep(now: now)
        case ("tiles", 5): return try tile(segments, request.fullPath)
        case ("overlays", 2): return try overlay(request, segments[1])
        case (let hash, _) where hash == map.files?.hash:
            let name = segments.dropFirst().joined(separator: "/")
            let answer = map.files?.answer(name, acceptEncoding: request.headers["accept-encoding"])
            if let answer { return .answer(answer) }
        default: break
        }
        throw Problem.missing("there is nothing at \(request.fullPath); the page is at \(request.basePath)/")
    }

    /// A tile of a local file, which is read on a thread of the pool; 204 where the map has none.
    /// - Parameter segments: `tiles`, name, zoom level, column and row.
    private func tile(_ segments: [String], _ path: String) throws -> Reply {
        let numbers = segments.dropFirst(2).compactMap { Int($0) }
        guard let chosen = map.basemaps.first(where: { $0.name == segments[1] }), case .file(let file) = chosen.tiles,
            numbers.count == 3
        else { throw Problem.missing("there are no tiles at \(path)") }
        let name = chosen.name
        return .read { _ in
            let tile: [UInt8]?
            do {
                tile = try MBTiles(path: file).tile(zoom: numbers[0], x: numbers[1], y: numbers[2])
            } catch {
                throw Problem.missing("the file of the base map \(name) cannot be read; visiventd check says why")
            }
            return try Self.answer(tile)
        }
    }

    private static func answer(_ tile: [UInt8]?) throws(Problem) -> APIAnswer {
        let cacheControl = "max-age=86400"
        guard let tile else { return APIAnswer(status: 204).with("cache-control", cacheControl) }
        let type: String
        if tile.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            type = "image/png"
        } else if tile.starts(with: [0xFF, 0xD8, 0xFF]) {
            type = "image/jpeg"
        } else if tile.starts(with: "RIFF".utf8), tile.dropFirst(8).starts(with: "WEBP".utf8) {
            type = "image/webp"
        } else {
            throw .missing("the tile is no picture (PNG, JPEG or WebP)")
        }
        return APIAnswer(headers: [("content-type", type)], body: .whole(tile)).with("cache-control", cacheControl)
    }

    /// The largest overlay, in MiB; browsers parse it whole.
    private static let mostOfOverlay = 16

    /// The file of an overlay, read anew for each request.
    private func overlay(_ request: APIRequest, _ name: String) throws -> Reply {
        guard let overlay = map.overlays.first(where: { $0.name == name }) else {
            throw Problem.missing("there is no overlay at \(request.fullPath)")
        }
        return .read { _ in
            guard let data = try? FileReading.regularFiles(atMostMiB: Self.mostOfOverlay).contents(overlay.file) else {
                throw Problem.missing(
                    "the file of the overlay \(name) cannot be read, or has more than \(Self.mostOfOverlay) MiB")
            }
            let bytes = [UInt8](data)
            return try validated(request, FNV64.hex(FNV64.hash(bytes)), form: "overlay") {
                APIAnswer(headers: [("content-type", MediaType.geoJSON)], body: .whole(bytes))
            }
        }
    }
}
