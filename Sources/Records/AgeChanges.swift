public import Foundation

/// What other settings change of how long events are kept, compared with those that the database has in force.
public struct AgeChanges: Sendable, Hashable {
    /// A source with another `max_age`.
    public struct Source: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// The stored `max_age`.
        public var old: Duration
        /// The `max_age` of the settings.
        public var new: Duration
        /// Its horizon, if a longer `max_age` reaches behind it; nil: nothing is kept away by it.
        public var horizon: Date?
        /// Whether it has made paid reads, which are not made again.
        public var isPaid: Bool

        /// Creates a change of these values, which are not checked.
        package init(name: String, old: Duration, new: Duration, horizon: Date?, isPaid: Bool) {
            (self.name, self.old, self.new, self.horizon, self.isPaid) = (name, old, new, horizon, isPaid)
        }
    }

    /// The sources, in the order of the settings.
    public var sources: [Source] = []
    /// How many events more the next truncation removes because ages are shorter; 0 or more.
    public var removed = 0

    /// Creates an empty value.
    package init() {}
}
