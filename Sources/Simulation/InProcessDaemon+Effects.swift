import Daemon
package import Engine
import Feeds
import Foundation
import Model
import Store

extension InProcessDaemon {
    /// Gives the engine an input and carries out all that follows from it, until the death of this life; time does not
    /// move.
    /// - Throws: Errors of the observer and of `GeocodeDriver.step`, and `SimulationError`. A `StoreError` of a write
    ///   goes to the engine instead.
    package func give(_ input: Input) throws {
        inbox.append(input)
        geocoding?.wake(at: now)
        while !isDead {
            if !inbox.isEmpty {
                try handle(inbox.removeFirst())
            } else if let index = nextEffect {
                try carryOut(outbox.remove(at: index))
                count()
            } else if let geocoding, try geocoding.step(at: now) {
                count()
            } else {
                return
            }
        }
    }

    private func handle(_ input: Input) throws {
        var answered: FetchID?
        switch input {
        case .answered(let id, _, _):
            answered = id
            try observer?.landed(id, input, at: now)
        case .streamed(let id, _, _):
            answered = id
            if lines[id]?.isEmpty == false, let batch = lines[id]?.removeFirst() {
                try observer?.heard(id, batch, at: now)
            }
        case .unchanged(let id, _), .opened(let id, _), .failed(let id, _, _), .redirected(let id, _, _, _):
            try observer?.landed(id, input, at: now)
        default: break
        }
        let effects = engine.handle(input, at: now)
        if let answered {
            for case .write(let write, .step(let step)) in effects where step.answer != nil {
                origins[write] = answered
            }
        }
        outbox += effects
    }

    private func count() {
        carriedOut += 1
        if carriedOut == lifetime || hasMachineDied() { isDead = true }
    }

    private var nextEffect: Int? {
        let quick = writesLag ? outbox.firstIndex { if case .write = $0 { false } else { true } } : nil
        return quick ?? (outbox.isEmpty ? nil : 0)
    }

    /// Writes like `StoreWriter`, but each write by itself.
    private func write(_ id: WriteID, _ content: StoreWrite) throws {
        let answered = origins.removeValue(forKey: id)
        if let refusal = fence.refusal(of: id, content) {
            inbox.append(refusal)
            return
        }
        let changes = ChangeFeed(of: store)
        let before = changes.newest(of: EventChange.Kind.queueing)
        let outcome: Result<[StoreResult], StoreError>
        do throws(StoreError) {
            let results = try store.write([content])
            // A disk that died in the checkpoint after the commit: the next start shows what is left.
            if hasMachineDied() { throw StoreError(.io, "the machine has died") }
            outcome = .success(results)
        } catch {
            outcome = .failure(error)
        }
        switch outcome {
        case .success(let results):
            guard let result = results.first else { throw SimulationError("the store gave no result") }
            try observer?.wrote(content, answering: answered, result, at: now)
            inbox.append(.wrote(id, result))
            try followPictures()
            if changes.newest(of: EventChange.Kind.queueing) > before { geocoding?.lookForEvents() }
        case .failure(let error):
            fence.failed(id, content)
            storeFailures.append(error)
            try observer?.writeFailed(content, answering: answered, error, at: now)
            inbox.append(.writeFailed(id, "\(error)", isTransient: error.isTemporary))
        }
    }

    private func truncate(asOf: Date) throws {
        truncations.append((now.wall, asOf))
        var failure: StoreError?
        do throws(StoreError) { _ = try store.truncate(asOf: asOf, timing: .still) } catch { failure = error }
        if let failure { storeFailures.append(failure) }
        try observer?.truncated(asOf: asOf, failure, at: now)
        inbox.append(.truncated)
        try followPictures()
    }

    private func cancel(_ id: FetchID) {
        flights.removeAll { $0.order.id == id }
        observer?.cancelled(id)
        if streams.remove(id) != nil { inbox.append(.failed(id, .streamEnded, FetchFacts())) }
        inbox += close(id, .streamEnded)
    }

    private func fetch(_ order: FetchOrder) throws {
        sent.append(order)
        try observer?.sending(order, at: now)
        let answer = network(order)
        let delay = latency?(order) ?? .zero
        if delay > .zero {
            flights.append((now.uptime + delay, order, answer))
        } else {
            inbox += inputs(answer, to: order)
        }
    }

    /// The inputs by which `FetchWorker` reports an answer that has arrived; those of a `stream` all at once.
    func inputs(_ answer: ScriptedAnswer, to order: FetchOrder) -> [Input] {
        if case .live(let stream) = answer {
            if let page = Failure.page(inPlaceOfStream: stream.headers) {
                return [input(answer, to: order), .failed(order.id, page, FetchFacts())]
            }
            hold(stream, for: order)
        }
        guard case .stream(let batches, let end) = answer else { return [input(answer, to: order)] }
        var inputs = [input(answer, to: order)]
        for data in batches {
            switch input(.body(data), to: order) {
            case .answered(let id, let content, let facts): inputs.append(.streamed(id, content, facts))
            case let failure: return inputs + [failure]
            }
        }
        if let end { return inputs + [.failed(order.id, end, FetchFacts())] }
        streams.insert(order.id)
        return inputs
    }

    /// The input by which `FetchWorker` reports an answer that has arrived.
    func input(_ answer: ScriptedAnswer, to order: FetchOrder) -> Input {
        let date: Date?
        if let serverDate {
            date = serverDate(order, now)
        } else {
            date = serverClockOffset.map { now.wall.addingTimeInterval($0) }
        }
        var facts = FetchFacts(serverDate: date)
        switch answer {
        case .body(let data, let etag, let lastModified, let headers):
            facts.validators = Validators(etag: etag, lastModified: lastModified)
            facts.bytes = data.count
            let response = FeedResponse(request: order.request, url: order.url, headers: headers, body: data)
            do throws(Failure) {
                return .answered(order.id, try order.feed.decode(response, for: order.context), facts)
            } catch {
                keep(error, of: order)
                return .failed(order.id, error, facts)
            }
        case .notModified:
            facts.validators = order.fetch.validators
            return .unchanged(order.id, facts)
        case .redirect(let url, let isPermanent):
            return .redirected(order.id, to: url, isPermanent: isPermanent, facts)
        case .stream, .live: return .opened(order.id, facts)
        case .reported(let input): return input
        case .failure(let failure):
            keep(failure, of: order)
            return .failed(order.id, failure, FetchFacts())
        }
    }

    /// Keeps the last body that failed, if the disk allows it.
    private func keep(_ failure: Failure, of order: FetchOrder) {
        guard let excerpt = failure.excerpt, !excerpt.isEmpty else { return }
        try? store.keepFailedBody(
            source: order.source, url: order.url, at: now.wall, failure: failure, body: excerpt)
    }
}

extension InProcessDaemon: EffectCarrier {
    /// Carries out one effect at once; its outcome waits for the engine. Throws the errors of the observer.
    package func carryOut(_ effect: Effect) throws {
        switch effect {
        case .write(let id, let content): try write(id, content)
        case .fetch(let order): try fetch(order)
        case .cancel(let id): cancel(id)
        // Its scripts take no notice of the reader.
        case .readOn: break
        case .truncate(let asOf): try truncate(asOf: asOf)
        case .report(let report):
            reports.append(report)
            waiting[report.source] = nil
        case .reload(let step): try follow(step)
        case .picture(let effect): try handle(effect)
        case .abandoned(let source, _):
            waiting[source] = nil
            observer?.abandoned(source, at: now)
        case .readyForReset(let source): resettable.insert(source)
        case .notice(let notice):
            notices.append(notice)
            try observer?.noticed(notice, at: now)
        case .stopped: hasStopped = true
        }
    }
}
