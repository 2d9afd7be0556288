import Dispatch
import Foundation
import Synchronization

/// Runs tasks on a queue of its own, so that a thread that waits for them keeps none of them from running.
final class QueueExecutor: TaskExecutor {
    static let shared = QueueExecutor()

    private let queue = DispatchQueue(label: "visiventd.fuzz")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Blocks the thread until the work has ended.
    func waiting<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value? {
        let value = Mutex<Value?>(nil)
        let shared = Shared(value: value)
        let done = DispatchSemaphore(value: 0)
        Task(executorPreference: self) {
            let result = await work()
            shared.value.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return shared.value.withLock { $0 }
    }

    /// A value that two threads reach.
    private final class Shared<Value: Sendable>: Sendable {
        let value: Mutex<Value?>

        init(value: consuming Mutex<Value?>) { self.value = value }
    }
}

/// The outcome of a system call, which is made again while a signal interrupts it: libFuzzer's alarm does, and a socket
/// with a time limit is not restarted (signal(7)).
func repeating(_ call: () -> Int) -> Int {
    while true {
        let outcome = call()
        if outcome >= 0 || errno != EINTR { return outcome }
    }
}

/// Sends the bytes on a socket as far as it takes them.
func sendAll(_ data: Data, to socket: Int32) {
    data.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = repeating {
                send(socket, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
