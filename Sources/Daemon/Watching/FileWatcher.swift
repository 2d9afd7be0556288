import Dispatch
import Synchronization

/// Notices edits of a file: written in place, replaced by a rename, removed, given other rights, or reached another way.
///
/// It notices at once what the kernel tells of the file's folders (`WatchedFile`), and within a minute all else, such as
/// edits that another machine makes on a network file system.
final class FileWatcher: Sendable {
    private let file: WatchedFile
    private let time: TimeSource
    private let onEdit: @Sendable () -> Void
    private let queue: DispatchQueue
    /// Cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let source: (any DispatchSourceRead)?
    private let timer = Mutex<WakeTimer?>(nil)

    /// Begins to watch.
    /// - Parameters:
    ///   - path: The file, which may be missing.
    ///   - time: Tells when a minute is over.
    ///   - onEdit: May be called when the content has stayed as it was.
    init(path: String, time: TimeSource, onEdit: @escaping @Sendable () -> Void) {
        let file = WatchedFile(path: path)
        let queue = DispatchQueue(label: "visiventd.watch")
        self.file = file
        self.time = time
        self.onEdit = onEdit
        self.queue = queue
        source =
            file.descriptor < 0
            ? nil : DispatchSource.makeReadSource(fileDescriptor: file.descriptor, queue: queue)
        source?.setEventHandler(qos: .default, flags: []) { [weak self] in self?.takeEvents() }
        // The descriptor must outlive the source.
        source?.setCancelHandler(qos: .default, flags: []) { withExtendedLifetime(file) {} }
        source?.resume()
        let timer = time.timer { [weak self] in self?.minuteIsOver() }
        self.timer.withLock { $0 = timer }
        setTimer()
    }

    deinit {
        source?.cancel()
        timer.withLock { $0?.stop() }
    }

    /// Looks at the file; blocks.
    func look() {
        if file.look() { onEdit() }
    }

    private func takeEvents() {
        if file.tellEdit() { onEdit() }
    }

    private func minuteIsOver() {
        setTimer()
        queue.async { self.look() }
    }

    /// The next whole minute, so that all watchers look in one wake-up.
    private func setTimer() {
        let minutes = time.now().uptime.components.seconds / 60
        // Not under the lock: a timer may ring while it is set.
        let timer = timer.withLock { $0 }
        timer?.set(.seconds((minutes + 1) * 60))
    }
}
