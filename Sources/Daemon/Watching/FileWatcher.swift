import Dispatch
import Foundation

/// Notices edits of a file: written in place, replaced by a rename, removed, given other rights, or reached another way
/// since a link or folder on the way has been replaced.
///
/// In between it needs no time at all. While the way to the file leads nowhere, a folder on it may be as busy as `/tmp`:
/// then it looks once a second.
final class FileWatcher: Sendable {
    private let watches: TrailWatches
    /// Cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Begins to watch.
    /// - Parameters:
    ///   - path: The file, which may be missing.
    ///   - onEdit: May be called more often than the file changes, and when it has come back as it was.
    ///   - pause: Returns when a busy folder may be looked at again; blocks a thread of its own.
    /// - Throws: `DaemonError.cannotWatch`.
    init(
        path: String, onEdit: @escaping @Sendable () -> Void, pause: @escaping @Sendable () -> Void = { _ = sleep(1) }
    ) throws(DaemonError) {
        let watches = try TrailWatches(path: path)
        self.watches = watches
        source = DispatchSource.makeReadSource(
            fileDescriptor: watches.descriptor, queue: DispatchQueue(label: "visiventd.watch"))
        source.setEventHandler(qos: .default, flags: []) {
            if watches.tellEdit() || watches.wasDisturbed && watches.rest(pause) { onEdit() }
        }
        // The descriptor must outlive the source.
        source.setCancelHandler(qos: .default, flags: []) { withExtendedLifetime(watches) {} }
        source.resume()
    }

    deinit { source.cancel() }

    /// Follows the path again, in case it leads elsewhere in a way that the kernel does not tell, such as a mount.
    func renew() { watches.renew() }
}
