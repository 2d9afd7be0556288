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
        return items("basemaps").compactMap { keys -> BasemapSettings? in
            keys.refuseUnknown(known: ["name", "tiles", "mbtiles", "attribution", "maximum_zoom", "referer"])
            let name = self.name(of: keys, taken: &taken)
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
        return items("overlays").compactMap { keys -> OverlaySettings? in
            keys.refuseUnknown(known: ["name", "file", "attribution"])
            let name = self.name(of: keys, taken: &taken)
            if keys.member("file") == nil { keys.note("file", "missing", accepted: "the path of a GeoJSON file") }
            let file = keys.filePath("file", paths)
            let attribution = self.attribution(of: keys)
            guard let name, let file, let attribution else { return nil }
            return OverlaySettings(name: name, file: file, attribution: attribution)
        }
    }

    // MARK: - Parts of an item

    /// The items of a list of mappings.
    private func items(_ key: String) -> [MappingReader] {
        let accepted = "a list: - name: …"
        section.accepts(key, accepted)
        guard let member = section.member(key) else { return [] }
        guard case .list(let items) = member.value.content else {
            section.note(key, member.value.foundType, accepted: accepted)
            return []
        }
        return items.enumerated().compactMap { index, item in
            MappingReader(item, path: "\(section.path(of: key))[\(index)]", faults: section.faults)
        }
    }

    /// A text that must be there.
    private func required(_ key: String, of keys: MappingReader, accepted: String) -> String? {
        guard keys.member(key) != nil else {
            keys.note(key, "missing", accepted: accepted)
            return nil
        }
        return keys.text(key)
    }

    private func name(of keys: MappingReader, taken: inout Set<String>) -> String? {
        guard let name = required("name", of: keys, accepted: SourceReader.acceptedName) else { return nil }
        guard SourceReader.isName(name) else {
            keys.note("name", "found \(shown(name))", accepted: SourceReader.acceptedName)
            return nil
        }
        guard taken.insert(name).inserted else {
            keys.note("name", "found \(shown(name)), which is taken", accepted: "a name of its own")
            return nil
        }
        return name
    }

    private func attribution(of keys: MappingReader) -> String? {
        let accepted = "whose data it is, in 1 to 300 bytes on one line"
        guard let text = required("attribution", of: keys, accepted: accepted) else { return nil }
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
