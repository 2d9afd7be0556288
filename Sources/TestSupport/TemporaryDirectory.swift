public import Foundation

/// A fresh directory, removed with its content when the last reference is released.
public final class TemporaryDirectory: Sendable {
    /// Its absolute path, without a trailing slash; the last component is unique (`visiventd-test-UUID`).
    public let path: String

    /// Its path as a file URL of a directory.
    public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// Creates the directory in the system's temporary folder; stops the process if that fails.
    public init() {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("visiventd-test-\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("no temporary directory can be made: \(error)")
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
