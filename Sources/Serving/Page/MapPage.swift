import Gazetteer
import Model
import Reading
public import Settings

/// What the map page has beside the API: its files, base maps and overlays, and whose data it shows.
public struct MapPage: Sendable {
    /// The page's files; nil: they are not installed.
    let files: PageFiles?
    let basemaps: [BasemapSettings]
    let overlays: [OverlaySettings]
    /// The origins whose pages may frame the page.
    private let frameAncestors: [String]
    private let cityTable: String?
    /// Whether pictures are kept.
    private let hasPictures: Bool
    /// Whose events are shown.
    private let sources: [String]

    /// Describes a page without files, base maps and overlays.
    public init() {
        files = nil
        basemaps = []
        overlays = []
        frameAncestors = []
        cityTable = nil
        hasPictures = false
        sources = []
    }

    /// Describes the page of a configuration.
    /// - Parameter files: The page's files; nil: they are not installed.
    public init(_ settings: Settings, files: PageFiles?) {
        self.files = files
        basemaps = settings.serve.basemaps
        overlays = settings.serve.overlays
        frameAncestors = settings.serve.frameAncestors
        cityTable = settings.gazetteer.path
        hasPictures = !settings.pictures.hosts.isEmpty
        sources = Self.attributions(of: settings.sources)
    }

    /// The policy of the page's document (CSP 3): it loads its own files and answers, and pictures from the hosts of
    /// base maps alone, and pages of the configured origins may frame it. MapLibre reads pictures as data, then shows
    /// them, and makes its worker of a `blob:`.
    var policy: String {
        var hosts: [String] = []
        for origin in basemaps.compactMap(\.origin) where !hosts.contains(origin) { hosts.append(origin) }
        let more = hosts.map { " " + $0 }.joined()
        let ancestors = frameAncestors.isEmpty ? "'none'" : frameAncestors.joined(separator: " ")
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:\(more); "
            + "connect-src 'self'\(more); worker-src blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors \(ancestors)"
    }

    /// What the page tells hosts of base maps: nothing, or its origin where one of them wants that.
    var referrerPolicy: String { basemaps.contains { $0.sendsReferer } ? "strict-origin" : "no-referrer" }

    // MARK: - What the page asks for first

    /// The content of `/page/start`; blocks, since it looks into the city table and tile files.
    func start(program: String) -> String {
        let suppliers = cityTable.map { CityTable.suppliers(ofTableAt: $0) } ?? []
        let attributions = suppliers.map(\.attribution) + sources
        let gazetteer = suppliers.map(\.rawValue).joined(separator: ", ")
        return JSONWriter.object([
            "version": program, "basemaps": .array(basemaps.map { Self.json($0) }),
            "overlays": .array(overlays.map { Self.json($0) }),
            "attributions": .array(attributions.map(\.jsonQuoted)), "pictures": hasPictures,
            "gazetteer": .raw(gazetteer.isEmpty ? "null" : gazetteer.jsonQuoted),
        ]) + "\n"
    }

    private static func json(_ map: BasemapSettings) -> String {
        let template: String
        var zoom = map.maximumZoom
        switch map.tiles {
        case .web(let url): template = url
        case .file(let path):
            template = "page/tiles/\(map.name)/{z}/{x}/{y}"
            if zoom == nil { zoom = try? MBTiles(path: path).maximumZoom() }
        }
        return JSONWriter.object([
            "name": map.name, "type": "raster", "tiles": [template], "attribution": map.attribution,
            "maxzoom": zoom ?? 19,
        ])
    }

    private static func json(_ overlay: OverlaySettings) -> String {
        JSONWriter.object([
            "name": overlay.name, "url": "page/overlays/\(overlay.name)", "attribution": overlay.attribution,
        ])
    }

    /// The hosts of enabled sources, each once; the name of a source that has no public name of a host, such as a file.
    private static func attributions(of sources: [SourceSettings]) -> [String] {
        var all: [String] = []
        for source in sources where source.isEnabled {
            let host = URLParts(source.url)?.host ?? ""
            let isPublic = host.contains(".") && !host.contains("{") && !host.hasPrefix("[") && IPLiteral(host) == nil
            let name = isPublic ? host : source.name
            if !all.contains(name) { all.append(name) }
        }
        return all
    }
}
