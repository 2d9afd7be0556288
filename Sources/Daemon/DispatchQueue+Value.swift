import Dispatch

extension DispatchQueue {
    /// Runs work that may block, such as reading files, on this queue, which must be serial: then it has a thread that is
    /// none of the cooperative ones.
    func value<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            self.async { continuation.resume(returning: work()) }
        }
    }
}
