public import Foundation

/// Recordings of real feeds, which belong to others: read from `../shared/data` beside the checkout, never part of it.
public enum Captures {
    /// The folder of the recordings.
    public static let root = Checkout.root.deletingLastPathComponent().appendingPathComponent("shared/data")

    /// Whether the folder exists; for `@Test(.enabled(if: Captures.areAvailable, "captures are not beside the
    /// checkout"))`.
    public static let areAvailable = FileManager.default.fileExists(atPath: root.path)

    /// The URL of a file or folder by its path, such as `usgs`.
    public static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    /// The content of a file by its path, such as `usgs/2014-04-01_4.5_month.geojson`.
    /// - Throws: `CocoaError` if it cannot be read.
    public static func data(_ path: String) throws -> Data { try Data(contentsOf: url(path)) }

    /// The sorted names of the files in a folder.
    /// - Throws: `CocoaError` if it cannot be listed.
    public static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(folder).path).sorted()
    }
}
