import Dispatch

/// Runs long work on a thread of its own, apart from the cooperative ones.
func aside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "simulation.test").async { continuation.resume(with: Result { try work() }) }
    }
}
