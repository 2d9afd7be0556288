import Daemon
import Synchronization

/// Runs the tasks of a shell and the work of its queues on the thread that calls `step`, in the order in which they
/// became ready.
package final class StepExecutor: TaskExecutor {
    private enum Step: Sendable {
        case job(UnownedJob)
        case work(label: String, @Sendable () -> Void)

        /// The label of its queue; nil for a job.
        var label: String? {
            if case .work(let label, _) = self { label } else { nil }
        }
    }

    private struct Waiting: Sendable {
        var steps: [Step] = []
        /// The number of steps at its beginning that were taken.
        var taken = 0
    }

    private let waiting = Mutex(Waiting())

    package func enqueue(_ job: consuming ExecutorJob) { append(.job(UnownedJob(job))) }

    /// A queue whose work is a step each.
    func queue(_ label: String) -> WorkQueue {
        WorkQueue { [self] work in append(.work(label: label, work)) }
    }

    private func append(_ step: Step) { waiting.withLock { $0.steps.append(step) } }

    /// Runs the next step; returns false if there is none.
    /// - Parameter last: The label of a queue whose work waits until nothing else is left; nil: none.
    func step(last: String? = nil) -> Bool {
        let step = waiting.withLock { waiting -> Step? in
            var index = waiting.taken
            if let last {
                index = waiting.steps[waiting.taken...].firstIndex { $0.label != last } ?? index
            }
            guard index < waiting.steps.count else { return nil }
            defer {
                if index == waiting.taken { waiting.taken += 1 } else { waiting.steps.remove(at: index) }
                if waiting.taken == waiting.steps.count { waiting = Waiting() }
            }
            return waiting.steps[index]
        }
        switch step {
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .work(_, let work): work()
        case nil: return false
        }
        return true
    }
}
