import Foundation
import Simulation
import Store
import Testing

@Suite struct CheckpointConnectionTests {
    /// Closing a connection would lock readers out for a moment.
    @Test func truncationKeepsItsConnectionForCheckpointsUntilTheStoreIsClosed() throws {
        let disk = FaultyDisk(seed: 1, isDefault: false)
        let store = try EventStore(path: "/data/events.sqlite", vfs: disk.name)
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let before = disk.openFiles
        _ = try store.truncate(asOf: time)
        let (open, opened) = (disk.openFiles, disk.counts[.open])
        #expect(open > before)
        for _ in 0..<3 { _ = try store.truncate(asOf: time) }
        #expect(disk.openFiles == open)
        #expect(disk.counts[.open] == opened)
        try store.close()
        #expect(disk.openFiles == 0)
    }
}
