/// Jobs of the queue whose requests have failed, each passed over for a while that doubles with each failure.
struct SetAsideJobs: Sendable {
    /// The most that are passed over at a time.
    private static let most = 256

    private var jobs: [Int64: (failures: Int, until: Duration)] = [:]

    /// Rows of those that are passed over.
    func rows(at now: Moment) -> [Int64] { jobs.filter { $0.value.until > now.uptime }.keys.sorted() }

    /// Until when each is or was passed over, as uptime.
    var ends: [Duration] { jobs.values.map { $0.until } }

    /// A job has failed, once more perhaps; `spread` is a random number in 0…1.
    mutating func add(_ id: Int64, spread: Double, at now: Moment) {
        let failures = (jobs[id]?.failures ?? 0) + 1
        let delay = Backoff.delay(failures: failures, interval: .seconds(30), spread: spread)
        jobs[id] = (failures, now.uptime + delay)
        if jobs.count > Self.most,
            let first = jobs.min(by: { ($0.value.until, $0.key) < ($1.value.until, $1.key) })
        {
            jobs[first.key] = nil
        }
    }

    /// A service has answered it.
    mutating func remove(_ id: Int64) { jobs[id] = nil }
}
