import Engine
import Foundation
import Model

// Faults at a moment when a stream has brought messages that are not stored yet.
extension MonthSimulation {
    func meetStream(_ kind: FaultKind) throws {
        calm()
        guard try awaitLines() else { return }
        switch kind {
        case .streamEdit:
            guard SimulatedSources.changeQuery(&settings) else { return }
            faults.hit(.streamEdit)
            try reload()
        case .streamDisk:
            disk?.fail(.write, with: chance.happens(0.5) ? .ioError : .full, after: chance.below(4), times: .max)
            after(chance.within(30...300)) { [unowned self] in self.calm() }
        default:
            ending = disk != nil && chance.happens(0.5) ? .powerLoss : .killed
            let effects = max(0, chance.below(6) - 2)
            daemon.lifetime = daemon.carriedOut + effects
            guard effects == 0 else { return }
            daemon.die()
            try revive()
        }
    }

    /// Advances to a moment at which lines of a stream are held; false if none come soon.
    private func awaitLines() throws -> Bool {
        for _ in 0..<100 {
            guard let next = daemon.nextPiece, next < daemon.now.uptime + .seconds(20_000) else { return false }
            let passed = max(next, daemon.now.uptime) - InProcessDaemon.firstUptime
            try advance(to: InProcessDaemon.start.addingTimeInterval(passed.seconds))
            if daemon.holdsLines { return true }
        }
        return false
    }
}
