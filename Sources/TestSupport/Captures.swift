public import Foundation

/// Recordings of real feeds, which belong to others: read from `../shared/data` beside the checkout, never part of it.
public enum Captures {
    /// The URL of the folder, which may be missing.
    public static let root = Checkout.root.deletingLastPathComponent().appendingPathComponent("shared/data")

    /// Whether the folder exists; for `@Test(.enabled(if: Captures.areAvailable, "captures are not beside the
    /// checkout"))`.
    public static let areAvailable = FileManager.default.fileExists(atPath: root.path)

    /// The URL of a file or folder by its path below the folder, such as `usgs`; not checked to exist.
    public static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    /// The content of a file by its path, such as `usgs/2014-04-01_4.5_month.geojson`.
    /// - Throws: `CocoaError` if it cannot be read.
    public static func data(_ path: String) throws -> Data { try Data(contentsOf: url(path)) }

    /// The sorted names, without path, of all files and folders in a folder, given by its path.
    /// - Throws: `CocoaError` if it cannot be listed.
    public static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(folder).path).sorted()
    }
}
