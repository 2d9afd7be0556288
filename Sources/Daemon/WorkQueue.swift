import Dispatch

/// A serial queue for work that may block, such as reading files: none of it runs on a cooperative thread.
package struct WorkQueue: Sendable {
    /// Runs work after all that was given before; called from any thread.
    package var async: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// Creates a queue from its function.
    package init(async: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) { self.async = async }

    /// A queue of the system with a thread of its own.
    package static func threads(_ label: String) -> WorkQueue {
        let queue = DispatchQueue(label: label)
        return WorkQueue { work in queue.async { work() } }
    }

    /// Runs work and returns its value.
    func value<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            self.async { continuation.resume(returning: work()) }
        }
    }
}
