import Model

/// A raster map that readers of the page may choose in place of the plain one.
public struct BasemapSettings: Sendable, Hashable {
    /// Where the tiles come from.
    public enum Tiles: Sendable, Hashable {
        /// The template of an https URL with `{z}`, `{x}` and `{y}` once each, none of them in the host, which readers'
        /// browsers ask.
        case web(String)
        /// The absolute path of an MBTiles file, whose tiles `visiventd serve` answers.
        case file(String)
    }

    /// The name that readers see, 1 to 64 of `a`–`z`, `A`–`Z`, `0`–`9`, `.`, `_`, `-`; never `plain`.
    public var name: String
    /// Where the tiles come from.
    public var tiles: Tiles
    /// Whose data it is, 1 to 300 bytes on one line; the page shows it with the map.
    public var attribution: String
    /// The deepest zoom level of the tiles, 0…24; nil, the default: what the file says, else 19.
    public var maximumZoom: Int?
    /// Whether browsers tell the host the origin of the page (`Referer`); default false, and false for a file.
    public var sendsReferer = false

    /// The origin that browsers ask for tiles, such as `https://tile.example.org`; nil for a file.
    public var origin: String? {
        guard case .web(let url) = tiles, let parts = URLParts(url) else { return nil }
        return "https://\(parts.authority)"
    }
}

/// A GeoJSON file that readers of the page may lay over the map.
public struct OverlaySettings: Sendable, Hashable {
    /// The name that readers see, with the characters of a base map's name.
    public var name: String
    /// The absolute path of the file, which `visiventd serve` answers as it is.
    public var file: String
    /// Whose data it is, 1 to 300 bytes on one line; the page shows it with the overlay.
    public var attribution: String
}
