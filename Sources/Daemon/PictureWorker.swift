import Engine
import Foundation
import Logging
import Model
import Pictures
import Reading
import Store
import Synchronization

/// Carries out what the engine wants with pictures, and follows the links that events name.
final class PictureWorker: Sendable {
    private let pictures: PictureStore
    private let store: EventStore
    private let writer: StoreWriter
    private let network: Network
    private let time: TimeSource
    private let logger: Logger
    private let report: @Sendable (PictureInput) -> Void
    private let requests = Mutex<[Int: Task<Void, Never>]>([:])
    /// Whether the last work on the file failed.
    private let isFailing = Mutex(false)

    /// - Parameters:
    ///   - writer: Runs work on the files between the polls' writes.
    ///   - report: Takes the results.
    init(
        _ pictures: PictureStore, store: EventStore, writer: StoreWriter, network: @escaping Network, time: TimeSource,
        logger: Logger, report: @escaping @Sendable (PictureInput) -> Void
    ) {
        self.pictures = pictures
        self.store = store
        self.writer = writer
        self.network = network
        self.time = time
        self.logger = logger
        self.report = report
    }

    /// Follows the changes of events until it is cancelled: links are named, and pictures go with their last event.
    func follow() async {
        let changes = ChangeFeed(of: store)
        var cursor: Int64 = 0
        repeat {
            guard let step = await perform({ [pictures, store] _ in try pictures.followOn(store) }) else {
                // What the provider has deleted must not stay until the next change.
                guard (try? await time.sleep(until: time.now().uptime + .seconds(60))) != nil else { return }
                continue
            }
            if step.isNews { report(.wanted) }
            guard step.isDone else { continue }
            guard let newest = try? await changes.wait(after: cursor) else { return }
            cursor = newest
        } while !Task.isCancelled
    }

    func carryOut(_ effect: PictureEffect) {
        switch effect {
        case .take: answer { [pictures] now in .taken(try pictures.take(at: now)) }
        case .settle(let settlement):
            answer { [pictures] now in
                try pictures.settle(settlement, at: now)
                return .settled
            }
        case .request(let number, let request):
            // The task may end at once, and then removes itself.
            requests.withLock { $0[number] = time.task { await self.ask(number, request) } }
        case .cancel(let number): requests.withLock { $0.removeValue(forKey: number) }?.cancel()
        }
    }

    /// Cancels the request under way.
    func end() { requests.withLock { for task in $0.values { task.cancel() } } }

    private func ask(_ number: Int, _ request: FetchRequest) async {
        let sent = SendTime()
        var request = request
        request.whenSent = { [time] in sent.uptime = time.now().uptime }
        var facts = FetchFacts()
        let outcome: PictureOutcome
        do throws(Failure) {
            switch try await network(request) {
            case .body(let body):
                facts = body.facts
                outcome =
                    switch PictureHead.check(body.data) {
                    case .success(let content): .picture(content)
                    case .failure(let refusal): .refused(refusal.found)
                    }
            case .notModified(let found): (facts, outcome) = (found, .unchanged)
            case .redirect(let url, _, _, let found): (facts, outcome) = (found, .redirected(to: url))
            case .stream(let stream):
                stream.close()
                outcome = .failed(Failure(.ours, .stream, "a stream was not asked for"))
            }
        } catch {
            outcome = .failed(error)
        }
        requests.withLock { $0[number] = nil }
        report(.answered(number: number, outcome, sent.added(to: facts)))
    }

    private func answer(_ work: @escaping @Sendable (Date) throws -> PictureInput) {
        time.task { self.report(await self.perform(work) ?? .storeFailed) }
    }

    /// Runs work on the file; nil if it fails, which is logged once.
    private func perform<Result: Sendable>(_ work: @escaping @Sendable (Date) throws -> Result) async -> Result? {
        let now = time.now().wall
        do {
            let result = try await onWhole(work, now)
            isFailing.withLock { $0 = false }
            return result
        } catch {
            let isNews = isFailing.withLock { isFailing in
                defer { isFailing = true }
                return !isFailing
            }
            if isNews { logger.warning("pictures cannot be kept", metadata: ["detail": "\(error)"]) }
            return nil
        }
    }

    /// Runs work, on a new file if this one is damaged: all that it had can be asked for again. The work reads the
    /// database, too, whose damage is no reason.
    private func onWhole<Result: Sendable>(
        _ work: @escaping @Sendable (Date) throws -> Result, _ now: Date
    ) async throws -> Result {
        do {
            return try await writer.perform { try work(now) }
        } catch let error as StoreError where [.corrupt, .notADatabase].contains(error.code) && !pictures.isWhole {
            logger.warning("pictures begin anew", metadata: ["detail": "\(error)"])
            return try await writer.perform { [pictures] in
                try pictures.renew()
                return try work(now)
            }
        }
    }
}
