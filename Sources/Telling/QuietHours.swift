public import Foundation

/// Hours of each day in which nothing is told.
public struct QuietHours: Sendable, Hashable {
    /// The minute of the day, 0…1439, with which they begin.
    public var from: Int
    /// The minute of the day, 0…1439, before which they end; of the next day if it is not after `from`.
    public var to: Int
    /// The IANA name of the zone.
    public var zone: String
    /// The magnitude from which on an event is told all the same; nil: none is.
    public var magnitude: Double?

    /// Creates quiet hours; nil for minutes that no day has, and for an unknown zone.
    public init?(from: Int, to: Int, zone: String, magnitude: Double? = nil) {
        guard (0..<1440).contains(from), (0..<1440).contains(to), from != to, TimeZone(identifier: zone) != nil else {
            return nil
        }
        (self.from, self.to, self.zone, self.magnitude) = (from, to, zone, magnitude)
    }

    /// When the quiet hours end in which a time lies; nil if it lies in none. Where the clock is set back in between, it
    /// may be an hour early and must be asked again then.
    public func end(at time: Date) -> Date? {
        guard let zone = TimeZone(identifier: zone) else { return nil }
        let minutes = (time.timeIntervalSince1970 / 60).rounded(.down)
        let minute = ((Int(clamping: minutes) + zone.secondsFromGMT(for: time) / 60) % 1440 + 1440) % 1440
        let isQuiet = from < to ? (from..<to).contains(minute) : minute >= from || minute < to
        guard isQuiet else { return nil }
        let end = Date(timeIntervalSince1970: (minutes + Double((to - minute + 1440) % 1440)) * 60)
        // A change of the clock in between moves the end.
        let shift = zone.secondsFromGMT(for: time) - zone.secondsFromGMT(for: end)
        return end.addingTimeInterval(Double(shift))
    }
}
