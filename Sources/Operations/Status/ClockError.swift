import Model

/// How far the clock is from that of the server that answered last.
package enum ClockError {
    /// The difference in words: `40d ahead of servers`, `2h behind servers`.
    /// - Parameter seconds: Server minus ours, in seconds.
    package static func words(_ seconds: Int) -> String {
        let size = Duration(clampingSeconds: Double(seconds.magnitude)).compact
        return "\(size) \(seconds < 0 ? "ahead of" : "behind") servers"
    }
}
