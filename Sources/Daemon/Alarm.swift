/// The next wake-up of a loop.
///
/// One that comes too early is let come: loops put off their next wake-up with almost everything that they do.
struct Alarm {
    private let time: TimeSource
    private let ring: @Sendable () -> Void
    private var next: (at: Duration, task: Task<Void, Never>)?

    init(_ time: TimeSource, ring: @escaping @Sendable () -> Void) {
        self.time = time
        self.ring = ring
    }

    /// Has it ring at a time (uptime), perhaps before, too; nil: it need not ring.
    mutating func set(_ at: Duration?) {
        if let last = next?.at, last <= time.now().uptime { next = nil }
        guard let at, next.map({ at < $0.at }) ?? true else { return }
        next?.task.cancel()
        next = (at, Task { [time, ring] in if (try? await time.sleep(at)) != nil { ring() } })
    }

    /// It does not ring any more.
    func stop() { next?.task.cancel() }
}
