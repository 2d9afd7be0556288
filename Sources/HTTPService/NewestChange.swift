import Synchronization

/// The number of the newest change that a look at the database has found, for requests that need no more than that.
final class NewestChange: Sendable {
    private static let unknown: Int64 = -1
    private let found = Atomic(NewestChange.unknown)

    /// The number; nil before the first look, and after one that failed.
    var number: Int64? {
        let number = found.load(ordering: .acquiring)
        return number == Self.unknown ? nil : number
    }

    func note(_ number: Int64?) { found.store(number ?? Self.unknown, ordering: .releasing) }
}
