import Control
import Logging
import Model
import Operations
import Store

/// Answers the requests of the control socket.
struct ControlDesk: Sendable {
    let poller: Poller
    let locators: LocatorSlot
    let reporter: Reporter
    let logger: Logger
    /// Reloads the configuration, and replies with the outcome.
    let reload: @Sendable (_ reply: @Sendable (ControlReply) -> Void) async -> Void

    /// Carries out a request; sends each reply when it is ready, the last with `isLast`.
    func answer(_ request: ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) async {
        switch request.command {
        case .geocode: await answer(request.question, reply)
        case .place: await correct(request, reply)
        case .reload: await reload(reply)
        case .health:
            var health = ControlReply(message: poller.pauses)
            let pauses = poller.hostPauses
            health.hostPauses = pauses.mapValues(\.until)
            health.pausedHosts = pauses.compactMapValues(\.host)
            health.clockError = poller.clockError
            reply(health)
        case .tryWatch: await tryWatch(request, reply)
        case .resend: await resend(request, reply)
        case .poll, .reset: break
        }
        let unknown = request.sources.filter { !poller.hasSource($0) }
        for name in unknown {
            reply(
                ControlReply(source: name, message: "\(name): no source of that name is configured", isSuccess: false))
        }
        await withTaskGroup(of: Void.self) { group in
            for name in request.sources where !unknown.contains(name) {
                group.addTask { reply(await outcome(of: request, on: name)) }
            }
        }
        reply(ControlReply(message: "", isLast: true))
    }

    private func answer(_ question: PlaceQuery?, _ reply: @Sendable (ControlReply) -> Void) async {
        guard let question, question.text.utf8.count <= 1000 else {
            return reply(ControlReply(message: "geocode takes a question of at most 1000 bytes", isSuccess: false))
        }
        do {
            guard let services = try await locators.current.ask(question) else {
                return reply(ControlReply(message: "not asked: the daemon is stopping", isSuccess: false))
            }
            for service in services { reply(ControlReply(message: service.provider.rawValue, service: service)) }
        } catch {
            reply(ControlReply(message: "the services cannot be asked: \(error)", isSuccess: false))
        }
    }

    private func correct(_ request: ControlRequest, _ reply: @Sendable (ControlReply) -> Void) async {
        guard let event = request.event, let correction = request.correction, let user = request.user,
            max(event.utf8.count, user.utf8.count) <= 100
        else {
            return reply(ControlReply(message: "place takes the id of an event, a place and a user", isSuccess: false))
        }
        do {
            let outcome = try await poller.correct(event, correction, by: user)
            let message = outcome.message(event, correction)
            if outcome.isSuccess, outcome != .uncorrected {
                // An event may wait for a place again without a change of its own.
                if correction == .automatic { locators.current.look() }
                logger.notice("place was corrected", metadata: [LogKey.detail: "\(message), by \(user)"])
            }
            reply(ControlReply(message: message, isSuccess: outcome.isSuccess))
        } catch {
            reply(failed(message: "\(event): \(error)", error))
        }
    }

    private func tryWatch(_ request: ControlRequest, _ reply: @Sendable (ControlReply) -> Void) async {
        guard let watch = request.watch, watch.utf8.count <= 100 else {
            return reply(ControlReply(message: "a test takes the name of a watch", isSuccess: false))
        }
        do {
            for test in try await reporter.test(watch, to: request.target) {
                let outcome = test.outcome
                let detail = outcome.failure.map { ": \($0.message)" } ?? " (\(outcome.code), \(test.took.compact))"
                let words = "\(test.target): \(outcome.verdict.rawValue)\(detail)"
                var answer = ControlReply(message: words, isSuccess: outcome.failure == nil)
                if !answer.isSuccess { answer.isTemporary = true }
                reply(answer)
            }
        } catch {
            reply(failed(message: (error as? Failure)?.message ?? "\(watch): \(error)", error))
        }
    }

    private func resend(_ request: ControlRequest, _ reply: @Sendable (ControlReply) -> Void) async {
        guard let id = request.delivery, id.utf8.count <= 100 else {
            return reply(ControlReply(message: "resend takes the id of a message", isSuccess: false))
        }
        do {
            let targets = try await reporter.resend(id, to: request.target)
            guard !targets.isEmpty else {
                let words = "no message \(id) is known that is about one event and has ended"
                return reply(ControlReply(message: words, isSuccess: false))
            }
            for target in targets { reply(ControlReply(message: "\(target): waiting again")) }
        } catch {
            reply(failed(message: "\(id): \(error)", error))
        }
    }

    /// The reply to a request that has failed with the error.
    private func failed(source: String? = nil, message: String, _ error: any Error) -> ControlReply {
        var reply = ControlReply(source: source, message: message, isSuccess: false)
        if (error as? StoreError)?.isTemporary == true { reply.isTemporary = true }
        return reply
    }

    /// Carries out a request for one source.
    private func outcome(of request: ControlRequest, on name: String) async -> ControlReply {
        switch request.command {
        case .poll:
            switch await poller.pollNow(name) {
            case .success(let report):
                return ControlReply(source: name, message: report.summary, isSuccess: report.end.failure == nil)
            case .failure(let reason):
                var message = reason.notPolled(name)
                if reason.hasCode(.store), let next = poller.nextStoreTry { message += "; next try \(next)" }
                return ControlReply(source: name, message: message, isSuccess: false)
            }
        case .reset:
            do {
                let count = try await poller.reset(name, includingEvents: request.includingEvents)
                let message = Daemon.resetMessage(name, count, request.includingEvents)
                try? await poller.notePlan()
                logger.notice("source was reset", metadata: [LogKey.source: "\(name)", LogKey.detail: "\(message)"])
                return ControlReply(source: name, message: message)
            } catch {
                return failed(source: name, message: "\(name): \(error)", error)
            }
        case .geocode, .place, .reload, .health, .tryWatch, .resend:
            let message = "\(name): \(request.command.rawValue) takes no source"
            return ControlReply(source: name, message: message, isSuccess: false)
        }
    }
}
