/// The next wake-up of a loop, on one timer.
///
/// An early wake-up is not cancelled, because loops postpone their next one with almost every input.
struct Alarm {
    private let time: TimeSource
    private let timer: WakeTimer
    private var next: Duration?

    init(_ time: TimeSource, ring: @escaping @Sendable () -> Void) {
        self.time = time
        timer = time.timer(ring)
    }

    /// Sets the next ring, as uptime; it may also ring earlier. Nil: it need not ring.
    mutating func set(_ at: Duration?) {
        if let last = next, last <= time.now().uptime { next = nil }
        guard let at, next.map({ at < $0 }) ?? true else { return }
        next = at
        timer.set(at)
    }

    /// Stops the alarm for good.
    func stop() { timer.stop() }
}
