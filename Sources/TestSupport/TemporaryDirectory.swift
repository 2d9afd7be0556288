public import Foundation

/// A fresh directory that is removed, with all it holds, when the last reference goes.
public final class TemporaryDirectory: Sendable {
    /// Its path, without a slash at the end.
    public let path: String

    /// Its URL.
    public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// Creates the directory in the system's place for temporary files.
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
