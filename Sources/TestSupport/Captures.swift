public import Foundation

/// Recordings of real feeds, which are other people's files: read from `../shared/data` beside the checkout, never
/// part of it.
public enum Captures {
    /// The folder they lie in.
    public static let root = Checkout.root.deletingLastPathComponent().appendingPathComponent("shared/data")

    /// Whether they are there; use it with `@Test(.enabled(if: Captures.areAvailable, "captures are not beside the
    /// checkout"))`.
    public static let areAvailable = FileManager.default.fileExists(atPath: root.path)

    /// The URL of a file or folder, for instance `usgs`.
    public static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    /// The content of a file, for instance `usgs/2014-04-01_4.5_month.geojson`.
    /// - Throws: When it cannot be read.
    public static func data(_ path: String) throws -> Data { try Data(contentsOf: url(path)) }

    /// The names of the files in a folder, sorted.
    /// - Throws: When it cannot be listed.
    public static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(folder).path).sorted()
    }
}
