import Foundation
import Store

// A follower of the changes sleeps while their log is cut, and learns so when it wakes.
extension MonthSimulation {
    /// Puts the follower to sleep. Some hours later most of the log becomes too old to be kept. The next truncation
    /// cuts it, then the follower wakes.
    func putFollowerToSleep() {
        oracle.follower.isAsleep = true
        let aging = truth.addingTimeInterval(oracle.reading.within(3...12) * 3600)
        actions.append((aging, { [unowned self] in try self.ageChanges() }))
        actions.append(
            (aging.addingTimeInterval(9000), { [unowned self] in self.oracle.follower.isAsleep = false }))
    }

    /// Makes all changes but the newest 1 to 20 older than the log keeps them.
    func ageChanges() throws {
        calm()
        let kept = 1 + oracle.reading.below(20)
        try daemon.store.tamper("UPDATE change SET at_ms = 0 WHERE seq <= (SELECT max(seq) FROM change) - \(kept)")
    }
}
