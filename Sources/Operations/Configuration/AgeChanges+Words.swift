import Foundation
import Model
package import Store

extension AgeChanges {
    /// The changes for people: a sentence for each longer age, then one for all shorter ages; empty without changes.
    package var words: [String] {
        func change(_ source: Source) -> String {
            "\(source.name): max_age \(source.old.compact) becomes \(source.new.compact)"
        }
        var words = sources.filter { $0.new > $0.old }.map { source in
            let outcome =
                source.isPaid ? "its paid reads are not made again" : "its next poll asks once without validators"
            let past = source.horizon.map {
                "; what is older than \($0.wholeSeconds), its horizon, has been truncated and stays away"
            }
            return "\(change(source)): \(outcome)\(past ?? "")"
        }
        let shorter = sources.filter { $0.new < $0.old }.map { change($0) }
        if !shorter.isEmpty {
            let events = removed.counted("event")
            words.append("\(shorter.joined(separator: ", ")): the next truncation removes \(events) by it, for good")
        }
        return words
    }
}
