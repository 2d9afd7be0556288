import Dispatch

/// Runs work that takes long on a thread of its own, away from the cooperative ones.
func aside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "simulation.test").async { continuation.resume(with: Result { try work() }) }
    }
}
