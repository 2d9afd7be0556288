import Foundation

/// Two at a time: more would leave too little of the machine to the tests that wait for sockets and processes.
private let queue = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    return queue
}()

/// Runs long work on a thread apart from the cooperative ones.
func aside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        queue.addOperation { continuation.resume(with: Result { try work() }) }
    }
}
