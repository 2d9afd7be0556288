/// When an event goes for its age, and what keeps it out afterwards.
///
/// 1. A source keeps an event whose age base (`EventRow.ageBase`) is neither before its horizon nor older than its age.
///    An event stays while one of the sources that show it keeps it.
/// 2. The store finds what may go (`Expired`): not an event that came under a clock which is still untrusted, and one
///    without a source after 72 h. A source may have shown the event since.
/// 3. The horizon keeps the event out if its time comes from the feed and is before it (`Acceptance`). Otherwise
///    tombstones do, which count for the last of the sources that would let it in again.
package enum Expiry {
    /// How a source keeps the events that it shows; times in milliseconds.
    package struct Link: Sendable {
        /// The source.
        package var source: Int64
        /// The time before which events of the source have been truncated; nil: none have.
        package var horizon: Int64?
        /// The age at which events of the source expire.
        package var maxAge: Int64

        /// Creates a link.
        package init(source: Int64, horizon: Int64?, maxAge: Int64) {
            self.source = source
            self.horizon = horizon
            self.maxAge = maxAge
        }
    }

    /// What becomes of an event that may have expired.
    package enum Fate: Sendable, Hashable {
        /// It stays.
        case stays
        /// It goes, with tombstones that count for the source; nil: with none.
        case goes(burying: Int64?)
    }

    /// Decides on an event; times in milliseconds since 1970.
    /// - Parameters:
    ///   - ageBase: The time from which its age counts.
    ///   - time: Its time by the feed; nil: it gives none.
    ///   - links: The sources that show it, in the order of their names.
    package static func fate(ageBase: Int64, time: Int64?, links: [Link], at now: Int64) -> Fate {
        if links.contains(where: { ageBase >= max($0.horizon ?? .min, now - $0.maxAge) }) { return .stays }
        return .goes(burying: links.last { time ?? .max >= $0.horizon ?? 0 }?.source)
    }
}
