/// How long a source waits after failures in a row.
///
/// The delay doubles from `min(interval, 60 s)` with each failure up to `max(interval, 1 h)`, spread by ±20 % so that
/// sources that fail together do not retry together. For an interval of 5 minutes, in the middle of the spread:
///
/// | failures | 1 | 2 | 3 | 4 | 5 | 6 | 7 and more |
/// |---|---|---|---|---|---|---|---|
/// | delay | 60 s | 2 m | 4 m | 8 m | 16 m | 32 m | 60 m |
public enum Backoff {
    /// One day: the upper limit of a Retry-After, and the wait after a resource is gone (410).
    public static let longest = Duration.seconds(24 * 3600)

    /// The delay after `failures` (1…; a lower number counts as 1) failures in a row; `spread` is a random number in
    /// 0…1, of which 0.5 is the middle. `interval` is the source's refresh interval, above zero.
    public static func delay(failures: Int, interval: Duration, spread: Double) -> Duration {
        let base = min(interval, .seconds(60))
        let ceiling = max(interval, .seconds(3600))
        let doubled = base * (1 << min(max(0, failures - 1), 16))
        return min(doubled, ceiling) * (0.8 + 0.4 * spread)
    }
}
