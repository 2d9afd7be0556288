/// The next wake-up of a loop, on one timer.
///
/// One that comes too early is let come: loops put off their next wake-up with almost everything that they do.
struct Alarm {
    private let time: TimeSource
    private let timer: WakeTimer
    private var next: Duration?

    init(_ time: TimeSource, ring: @escaping @Sendable () -> Void) {
        self.time = time
        timer = time.timer(ring)
    }

    /// Has it ring at a time (uptime), perhaps before, too; nil: it need not ring.
    mutating func set(_ at: Duration?) {
        if let last = next, last <= time.now().uptime { next = nil }
        guard let at, next.map({ at < $0 }) ?? true else { return }
        next = at
        timer.set(at)
    }

    /// It does not ring any more.
    func stop() { timer.stop() }
}
