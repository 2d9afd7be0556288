public import Foundation

/// The checkout that the tests were built from.
enum Checkout {
    /// Its top folder: the one above `Sources/TestSupport`.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// Documents written by hand, in `Fixtures/`.
public enum Fixtures {
    /// The URL of a file or folder, for instance `usgs` or `usgs/null-magnitude.geojson`.
    public static func url(_ path: String) -> URL {
        Checkout.root.appendingPathComponent("Fixtures").appendingPathComponent(path)
    }

    /// The content of a file.
    /// - Throws: When it cannot be read.
    public static func data(_ path: String) throws -> Data {
        try Data(contentsOf: url(path))
    }
}
