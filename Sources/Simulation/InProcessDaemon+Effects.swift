import Daemon
import Engine
import Foundation
import Model
import Store

// What the shell does, as the observer sees it.
extension InProcessDaemon {
    /// Watches the shell of a daemon.
    static func watch(_ link: Link) -> ShellWatch {
        var watch = ShellWatch()
        watch.takes = { link.daemon?.takes($0) }
        watch.gives = { link.daemon?.gives($0, $1) }
        watch.wrote = { link.daemon?.wrote($0, $1, $2) }
        watch.cut = { link.daemon?.life.lines[$0, default: []].append($1) }
        watch.truncated = { link.daemon?.truncated(asOf: $0, $1) }
        return watch
    }

    private func takes(_ input: Input) {
        switch input {
        case .streamed(let id, _, _):
            guard life.lines[id]?.isEmpty == false, let batch = life.lines[id]?.removeFirst() else { return }
            observe { try observer?.heard(id, batch, at: now) }
        case .opened(let id, _):
            life.opened.insert(id)
            observe { try observer?.landed(id, input, at: now) }
        case .answered(let id, _, _), .unchanged(let id, _), .redirected(let id, _, _, _), .failed(let id, _, _):
            life.opened.remove(id)
            guard life.cancelled.remove(id) == nil else { return }
            observe { try observer?.landed(id, input, at: now) }
        default: break
        }
    }

    private func gives(_ input: Input, _ effects: [Effect]) {
        let answered: FetchID? =
            switch input {
            case .answered(let id, _, _), .streamed(let id, _, _): id
            default: nil
            }
        for effect in effects {
            switch effect {
            case .write(let id, let content):
                if let answered, case .step(let step) = content, step.answer != nil { life.origins[id] = answered }
                continue
            case .fetch(let order):
                life.orders.append(order)
                continue
            case .hostPaused: continue
            case .truncate(let asOf):
                truncations.append((now.wall, asOf))
                continue
            case .cancel(let id):
                if !life.opened.contains(id) { life.cancelled.insert(id) }
                observer?.cancelled(id)
            case .report(let report):
                reports.append(report)
                waiting[report.source] = nil
            case .abandoned(let source, _):
                waiting[source] = nil
                observer?.abandoned(source, at: now)
            case .notice(let notice):
                notices.append(notice)
                observe { try observer?.noticed(notice, at: now) }
            case .readOn, .reload, .picture, .readyForReset, .stopped: break
            }
            carriedOut += 1
        }
    }

    private func wrote(_ id: WriteID, _ content: StoreWrite, _ outcome: Result<StoreResult, StoreError>) {
        let answered = life.origins.removeValue(forKey: id)
        // A disk that died in the checkpoint after the commit: the next start shows what is left.
        let outcome = hasMachineDied() ? .failure(StoreError(.io, "the machine has died")) : outcome
        switch outcome {
        case .success(let result):
            observe { try observer?.wrote(content, answering: answered, result, at: now) }
        case .failure(let error):
            storeFailures.append(error)
            observe { try observer?.writeFailed(content, answering: answered, error, at: now) }
        }
        carriedOut += 1
    }

    private func truncated(asOf: Date, _ error: StoreError?) {
        if let error { storeFailures.append(error) }
        observe { try observer?.truncated(asOf: asOf, error, at: now) }
        carriedOut += 1
    }
}
