/// Jobs whose requests failed. Each is skipped for a while that doubles with each failure, from 30 s to 1 h.
struct SetAsideJobs: Sendable {
    /// The most jobs skipped at a time.
    private static let most = 256

    private var jobs: [Int64: (failures: Int, until: Duration)] = [:]

    /// Rows of the skipped jobs, sorted.
    func rows(at now: Moment) -> [Int64] { jobs.filter { $0.value.until > now.uptime }.keys.sorted() }

    /// The ends of all skips, past ones included, as uptime.
    var ends: [Duration] { jobs.values.map { $0.until } }

    /// Skips a job after a failure; `spread` is a random number in 0…1.
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

    /// Forgets a job that a service has answered.
    mutating func remove(_ id: Int64) { jobs[id] = nil }
}
