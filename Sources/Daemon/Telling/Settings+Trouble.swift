import Foundation
import Model
import Settings
import Store
import Telling

extension Settings {
    /// How long something must be wrong before it is told.
    private static let patience = Duration.seconds(3600)

    /// What is wrong with the program, for watches of its health; blocks.
    /// - Parameter freeBytes: The free bytes of the database's disk; nil: unknown.
    func trouble(in store: EventStore, _ freeBytes: Int64?, at now: Date) -> [HealthFault] {
        let since = now.addingTimeInterval(-Self.patience.seconds)
        var faults = ((try? store.sources()) ?? []).filter(\.isEnabled).compactMap { source -> HealthFault? in
            let words: String
            if let start = source.failingSince, start <= since {
                let why = source.lastFailure.map { ": \($0.message)" } ?? ""
                words = "has been failing since \(start.wholeSeconds)\(why)"
            } else if let due = source.nextDue, due <= since {
                words = "has not been polled since it was due at \(due.wholeSeconds)"
            } else {
                return nil
            }
            return HealthFault(key: "source \(source.name)", text: "source \(source.name) \(words)")
        }
        if let refused = (try? store.refusedConfiguration()) ?? nil {
            let text = "the configuration: \(refused.words) \(refused.at.wholeSeconds), the one before is in force"
            faults.append(HealthFault(key: "configuration", text: text))
        }
        if let freeBytes, freeBytes < Int64(clamping: disk.minimumFreeBytes) * 2 {
            faults.append(HealthFault(key: "disk", text: "the disk has less than twice disk.minimum_free"))
        }
        let targets = ((try? store.targetStates(at: now)) ?? []).filter { $0.trouble.lasts(Self.patience, at: now) }
        // Recipients of mail have one server; no target is told of itself.
        let names = Set(targets.map(\.name)).intersection(deliver.map(\.name))
        return faults
            + names.sorted().map { HealthFault(key: "target \($0)", text: "target \($0) cannot be told", target: $0) }
    }
}
