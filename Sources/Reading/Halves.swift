import Dispatch
import Foundation
import Synchronization

/// Two parts of one large document, read at the same time.
public enum Halves {
    /// Documents below this size, in bytes, are not worth a second thread.
    private static let smallest = 1 << 20

    /// In how many parts a document of that many bytes is read: 2, or 1 if it is small or the machine has one core.
    public static func count(ofBytes bytes: Int) -> Int {
        bytes < smallest ? 1 : min(2, ProcessInfo.processInfo.activeProcessorCount)
    }

    /// What `work` makes of each part, in order; blocks until all are done.
    public static func map<Result: Sendable>(
        _ count: Int, _ work: @Sendable (_ part: Int) -> Result
    ) -> [Result] {
        let results = Mutex<[Int: Result]>([:])
        DispatchQueue.concurrentPerform(iterations: count) { part in
            let result = work(part)
            results.withLock { $0[part] = result }
        }
        return results.withLock { results in
            defer { results = [:] }
            return results.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
