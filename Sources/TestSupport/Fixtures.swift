public import Foundation

/// The checkout from which the tests were built.
enum Checkout {
    /// The top folder, three levels above this file.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// Handwritten documents in `Fixtures/` of the checkout from which the tests were built.
public enum Fixtures {
    /// The URL of a file or folder by its path below `Fixtures/`, such as `usgs` or `usgs/null-magnitude.geojson`; not
    /// checked to exist.
    public static func url(_ path: String) -> URL {
        Checkout.root.appendingPathComponent("Fixtures").appendingPathComponent(path)
    }

    /// The content of a file by its path below `Fixtures/`.
    /// - Throws: `CocoaError` if it cannot be read.
    public static func data(_ path: String) throws -> Data {
        try Data(contentsOf: url(path))
    }
}
