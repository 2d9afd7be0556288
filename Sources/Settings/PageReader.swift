import Model

/// Reads the keys of the map page in the section `serve`. Faults are noted, and faulty items are left out.
struct PageReader {
    let section: MappingReader
    let paths: PathResolver

    /// The folder of the page's files, made absolute.
    func folder() -> String? {
        section.accepts("page", "the path of a folder")
        guard var path = section.text("page") else { return nil }
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard PathResolver.accepted(insteadOf: path) == nil else {
            section.note(
                "page", "found \(shown(path))", accepted: "the path of a folder, written out: ~ and $ are not replaced")
            return nil
        }
        return paths.absolute(path)
    }

    /// The base maps.
    func basemaps() -> [BasemapSettings] {
        // The map without tiles.
        var taken: Set<String> = ["plain"]
        return section.mappings("basemaps").compactMap { keys -> BasemapSettings? in
            keys.refuseUnknown(known: ["name", "tiles", "mbtiles", "attribution", "maximum_zoom", "referer"])
            let name = keys.name(taken: &taken)
            let tiles = self.tiles(of: keys)
            let attribution = self.attribution(of: keys)
            let zoom = keys.integer("maximum_zoom", in: 0...24)
            let sendsReferer = keys.flag("referer") ?? false
            if sendsReferer, keys.member("tiles") == nil {
                keys.note("referer", "found true without tiles", accepted: "referer beside tiles only")
            }
            guard let name, let tiles, let attribution else { return nil }
            return BasemapSettings(
                name: name, tiles: tiles, attribution: attribution, maximumZoom: zoom, sendsReferer: sendsReferer)
        }
    }

    /// The overlays.
    func overlays() -> [OverlaySettings] {
        var taken: Set<String> = []
        return section.mappings("overlays").compactMap { keys -> OverlaySettings? in
            keys.refuseUnknown(known: ["name", "file", "attribution"])
            let name = keys.name(taken: &taken)
            let file = keys.has("file", accepted: "the path of a GeoJSON file") ? keys.filePath("file", paths) : nil
            let attribution = self.attribution(of: keys)
            guard let name, let file, let attribution else { return nil }
            return OverlaySettings(name: name, file: file, attribution: attribution)
        }
    }

    // MARK: - Parts of an item

    private func attribution(of keys: MappingReader) -> String? {
        let accepted = "whose data it is, in 1 to 300 bytes on one line"
        guard let text = keys.required("attribution", accepted: accepted) else { return nil }
        guard (1...300).contains(text.utf8.count), !text.unicodeScalars.contains(where: { $0.isUnsafeToShow }) else {
            keys.note("attribution", "found \(shown(text))", accepted: accepted)
            return nil
        }
        return text
    }

    private func tiles(of keys: MappingReader) -> BasemapSettings.Tiles? {
        let hasFile = keys.member("mbtiles") != nil
        guard keys.member("tiles") != nil else {
            if hasFile { return keys.filePath("mbtiles", paths).map { BasemapSettings.Tiles.file($0) } }
            keys.note(
                "tiles", "missing", accepted: "\(SourceURL.acceptedTiles), or mbtiles with the path of a file instead")
            return nil
        }
        if hasFile { keys.note("mbtiles", "found beside tiles", accepted: "one of the two") }
        guard let url = keys.text("tiles") else { return nil }
        if let problem = SourceURL.problem(withTiles: url) {
            keys.note("tiles", problem.found, accepted: problem.accepted)
            return nil
        }
        return .web(url)
    }
}
