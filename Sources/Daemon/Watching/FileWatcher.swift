import Dispatch
import Synchronization

/// Notices edits of a file, or of all files of a configuration: a write in place, a replacement by rename, a removal,
/// other rights, or a change of a link on its path.
///
/// Changes that the kernel reports for the file's folders (`WatchedFile`) are noticed at once. Others, such as edits by
/// another machine on a network file system, are noticed within a minute.
package final class FileWatcher: Sendable {
    private let file: WatchedFile
    private let time: TimeSource
    private let onEdit: @Sendable () -> Void
    private let queue: DispatchQueue
    /// Cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let source: (any DispatchSourceRead)?
    private let timer = Mutex<WakeTimer?>(nil)

    /// Starts to watch.
    /// - Parameters:
    ///   - path: The file, which may be missing.
    ///   - watchesFragments: Whether the files of `conf.d` beside it are watched, too; default false.
    ///   - time: The clock for the look once a minute.
    ///   - onEdit: Called after a change; the content may be the same as before.
    init(
        path: String, watchesFragments: Bool = false, time: TimeSource, onEdit: @escaping @Sendable () -> Void
    ) {
        let file = WatchedFile(path: path, watchesFragments: watchesFragments)
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

    /// Checks the file now; blocks.
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

    /// Sets the timer to the next whole minute, so that all watchers share a wake-up.
    private func setTimer() {
        let minutes = time.now().uptime.components.seconds / 60
        // Not under the lock, because a timer may ring while it is set.
        let timer = timer.withLock { $0 }
        timer?.set(.seconds((minutes + 1) * 60))
    }
}
