import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Serving
import Settings
import Store

/// Answers one request after the other of each connection.
struct Responder: Sendable {
    /// Prepares the answer to a request; does not block.
    typealias Preparing = @Sendable (APIRequest, Date) -> ReadAPI.Preparation

    let preparing: Preparing
    let pool: ReaderPool
    let pump: StreamPump
    let hosts: HostCheck
    let clients: ClientNames
    let headers: ResponseHeaders
    let basePath: String
    /// Whether pages of other origins may frame the map page; its policy says which.
    let mayBeFramed: Bool
    let limits: ServiceLimits
    /// The bytes that the clients' answers hold, and their streams.
    let (bytes, streams): (Shares, Shares)
    let newest: NewestChange
    let now: @Sendable () -> Date
    let log: ServiceLog
    let requests: RequestCounts
    /// Called after each look into the database.
    let hasLooked: @Sendable () -> Void

    /// The most bytes given to the socket at a time; the next come when it has taken them.
    private static let writeBytes = 128 << 10

    private static let tooManyBytes = StoreError(.busy, "Too many bytes wait for clients")
    private static let tooManyStreams = StoreError(.busy, "The client has too many streams")

    /// Thrown to close the connection after an answer, or without one when the client has left.
    private struct Closing: Error {}

    func respond(
        to request: Request, _ writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        let target = request.head.path ?? ""
        let path = String(target.prefix { $0 != "?" })
        let isHead = request.method == .head
        let refusal = refusal(of: request.head, on: channel)
        let asked = self.request(request.head, path)
        let client = clients.name(of: channel.remoteAddress, forwarded: asked.headers["x-forwarded-for"])
        let exchange = Exchange(
            channel: channel, client: client, budget: pool.budget(), held: HeldBytes(bytes, of: client))
        var made: Made
        if let refusal {
            made = Made(answer: refusal.answer(to: asked, now: now()))
        } else if request.method == .options {
            made = Made(answer: ResponseHeaders.preflight)
        } else {
            do {
                made = try await make(asked, isHead: isHead, exchange)
            } catch {
                note(error)
                made = Made(answer: Problem(error).answer(to: asked, now: now()))
            }
            // Nobody reads an answer any more.
            if exchange.budget.isCancelled { throw Closing() }
        }
        let answer = made.answer
        log.answered(request.method.rawValue, path, status: answer.status)
        requests.count(answer.status)
        var fields = headers.fields(of: answer, origin: request.headers[.origin], now: now())
        let mustClose = refusal?.status == 400 || Self.hasBody(request.head)
        if mustClose || request.headers[.connection] == "close" { fields[.connection] = "close" }
        let status = HTTPResponse.Status(code: answer.status)
        switch answer.body {
        case .none:
            fields[.contentLength] = "0"
            try await writer.writeResponse(HTTPResponse(status: status, headerFields: fields))
        case .whole(let bytes):
            fields[.contentLength] = "\(bytes.count)"
            let head = HTTPResponse(status: status, headerFields: fields)
            if isHead {
                try await writer.writeResponse(head)
            } else if bytes.count <= Self.writeBytes {
                try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
            } else {
                var body = try await writer.writeHead(head)
                try await write(bytes, to: &body, exchange)
                try await body.finish(nil)
            }
        case .pieces, .stream:
            if isHead {
                // The end of an answer without Content-Length would be taken for a body.
                fields[.connection] = "close"
                _ = try await writer.writeHead(HTTPResponse(status: status, headerFields: fields))
                throw Closing()
            }
            var body = try await writer.writeHead(HTTPResponse(status: status, headerFields: fields))
            let isStream = if case .stream = answer.body { true } else { false }
            do {
                if case .pieces(let pieces) = answer.body {
                    while let bytes = made.piece {
                        made.piece = nil
                        try await write(bytes, to: &body, exchange)
                        try await exchange.taken(bytes.count)
                        made.piece = try await next(of: pieces, exchange)
                    }
                } else if let begun = made.begun {
                    try await stream(begun, to: &body, exchange)
                }
            } catch let error as StoreError {
                if exchange.budget.isCancelled { throw Closing() }
                // All streams end with the same fault.
                if isStream { note(error) } else { log.brokeOff(path, error) }
                throw error
            }
            try await body.finish(nil)
            if isStream { throw Closing() }
        }
        if mustClose {
            // A body that drips in does not keep the connection.
            let end = channel.eventLoop.scheduleTask(in: TimeAmount(limits.headTime)) {
                channel.close(mode: .all, promise: nil)
            }
            defer { end.cancel() }
            // A body that cannot be parsed has its answer already.
            try? await skipBody(of: request)
            throw Closing()
        }
    }

    // MARK: - Making

    /// What an answer begins with. The first piece or step comes before the head, so that a database that cannot be read
    /// is told by the status.
    private struct Made {
        var answer: APIAnswer
        var piece: [UInt8]?
        var begun: BegunStream?
    }

    /// The first step of a stream, the commits noticed before it, and the client's share of streams.
    private struct BegunStream: Sendable {
        var commits: Int
        var stepped: StreamPump.Stepped
        var place: StreamPump.Place
    }

    /// Makes the answer as far as it is needed for its head.
    private func make(_ request: APIRequest, isHead: Bool, _ exchange: Exchange) async throws -> Made {
        var made: Made
        switch preparing(request, now()) {
        case .answer(let answer):
            made = Made(answer: answer)
            if case .whole(let bytes) = answer.body, !isHead, !answer.isShared {
                guard exchange.held.set(to: bytes.count) else { throw Self.tooManyBytes }
            }
        case .read(let read):
            exchange.watch()
            made = try await self.read(within: exchange) { store in
                let answer = read(store)
                guard case .pieces(let pieces) = answer.body, !isHead else { return Made(answer: answer) }
                return Made(answer: answer, piece: try pieces(store))
            } bytes: { made in
                if case .whole(let bytes) = made.answer.body {
                    isHead ? 0 : bytes.count
                } else {
                    made.piece?.count ?? 0
                }
            }
            if let fault = made.answer.fault { note(fault) } else { log.hasRead() }
        }
        if case .stream(let client) = made.answer.body, !isHead {
            exchange.watch()
            guard let place = pump.place(of: exchange.client, on: streams) else { throw Self.tooManyStreams }
            let commits = pump.commits
            made.begun = BegunStream(commits: commits, stepped: try await pump.step(client, at: place), place: place)
        }
        return made
    }

    /// Reads on a thread of the pool, with room for a piece before it is made.
    /// - Parameters:
    ///   - isNeeded: Whether what was made cannot be made again.
    ///   - bytes: The bytes of what was made.
    private func read<T: Sendable>(
        within exchange: Exchange, isNeeded: Bool = false, _ body: @escaping @Sendable (EventStore) throws -> T,
        bytes: @escaping @Sendable (T) -> Int
    ) async throws -> T {
        defer { hasLooked() }
        return try await pool.run(for: exchange.client, within: exchange.budget) { [held = exchange.held] store in
            guard held.reserve() else { throw Self.tooManyBytes }
            do {
                let made = try body(store)
                guard held.set(to: bytes(made), isNeeded: isNeeded) else { throw Self.tooManyBytes }
                return made
            } catch {
                held.set(to: 0)
                throw error
            }
        }
    }

    /// The next piece of an answer that has begun; waits for its turn and for room.
    private func next(of pieces: @escaping AnswerPieces, _ exchange: Exchange) async throws -> [UInt8]? {
        try await StoreError.patiently {
            try await read(within: exchange, isNeeded: true) {
                try pieces($0)
            } bytes: {
                $0?.count ?? 0
            }
        }
    }

    /// The reason not to look into the database for this request; nil: none.
    private func refusal(of head: HTTPRequest, on channel: any Channel) -> Problem? {
        // The first Host is the authority; a second one stays a field.
        guard let host = head.authority, !head.headerFields.contains(where: { $0.name.canonicalName == "host" }) else {
            return .noHost
        }
        let local = channel.localAddress?.ipAddress.flatMap { IPLiteral($0) }
        guard hosts.accepts(host, at: local) else { return .host(host) }
        guard !isForeignPart(head) else { return .foreignPart }
        guard !Self.hasEndlessBody(head) else { return .coding }
        guard head.method == .get || head.method == .head || headers.isPreflight(head) else { return .method }
        guard !Self.hasBody(head) else { return .body }
        return head.path?.hasPrefix("/") == true ? nil : .target
    }

    /// Whether the page of another origin has the browser load this as a part of it, such as a picture or a frame, which
    /// the page could not use (Fetch Metadata). Navigations, requests by CORS and other programs are none.
    private func isForeignPart(_ head: HTTPRequest) -> Bool {
        func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }
        guard let site = value("sec-fetch-site"), site != "same-origin", site != "none" else { return false }
        switch value("sec-fetch-mode") {
        case "no-cors": return true
        // No answer may be framed but the map page, whose policy the browser obeys.
        case "navigate":
            guard let destination = value("sec-fetch-dest") else { return false }
            if destination == "iframe", mayBeFramed, isStart(head) { return false }
            return destination != "document" && destination != "empty"
        default: return false
        }
    }

    /// Whether the request is for the start, with or without the path that a proxy may have taken away.
    private func isStart(_ head: HTTPRequest) -> Bool {
        let path = (head.path ?? "").prefix { $0 != "?" }
        return path == "/" || path == basePath + "/"
    }

    /// Whether a body follows the head (RFC 9112 §6.3).
    private static func hasBody(_ head: HTTPRequest) -> Bool {
        let length = head.headerFields[.contentLength]
        return head.headerFields.contains(.transferEncoding) || (length != nil && length != "0")
    }

    /// Whether nothing tells where the body ends: chunked is not its last transfer coding (RFC 9112 §6.3).
    private static func hasEndlessBody(_ head: HTTPRequest) -> Bool {
        guard let codings = head.headerFields[.transferEncoding] else { return false }
        let last = codings.split(separator: ",").last ?? ""
        return last.trimmingCharacters(in: .whitespaces).lowercased() != "chunked"
    }

    /// The request as the API takes it. A HEAD is asked as GET: it differs in the writing alone.
    private func request(_ head: HTTPRequest, _ path: String) -> APIRequest {
        let query = head.path.flatMap { target in
            target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
        }
        var fields: [String: String] = ["host": head.authority ?? ""]
        for field in head.headerFields {
            let name = field.name.canonicalName
            // In place, since a head may repeat a field thousands of times.
            if fields[name] == nil { fields[name] = field.value } else { fields[name]?.append(", " + field.value) }
        }
        return APIRequest(path: path, query: query, headers: fields, change: newest.mark, basePath: basePath)
    }

    /// Logs a fault of the database. What a query, the load or the end of the program brings about is none.
    func note(_ error: any Error) {
        guard let error = error as? StoreError else { return }
        switch error.code {
        case .busy, .tooCostly, .noFullText, .interrupted, .closed: break
        default: log.cannotRead(error)
        }
    }

    // MARK: - Writing

    /// Writes bytes as the socket takes them, without a second copy of them all. The last are not waited for: the next
    /// request is read when they are taken.
    private func write(_ bytes: [UInt8], to body: inout some ResponseBodyWriter, _ exchange: Exchange) async throws {
        for start in stride(from: 0, to: bytes.count, by: Self.writeBytes) {
            let end = min(start + Self.writeBytes, bytes.count)
            try await body.write(ByteBuffer(bytes: bytes[start..<end]))
            if end < bytes.count { try await exchange.taken(end - start) }
        }
    }

    /// Writes to a client of the stream until it leaves, the service stops or the stream ends.
    private func stream(
        _ begun: BegunStream, to body: inout some ResponseBodyWriter, _ exchange: Exchange
    ) async throws {
        let (place, loop) = (begun.place, exchange.channel.eventLoop)
        exchange.presence.whenLeft { [pump] in pump.leave(place) }
        var (commits, stepped) = (begun.commits, begun.stepped)
        while true {
            var mustRest = true
            switch stepped.step {
            case .bytes(let bytes):
                try await write(bytes, to: &body, exchange)
                try await exchange.taken(bytes.count)
                mustRest = stepped.client.isAtEnd
            case .wait: break
            case .close(let bytes): return try await body.write(ByteBuffer(bytes: bytes))
            }
            exchange.held.set(to: 0)
            if mustRest { await pump.rest(place, since: commits, on: loop, atMost: limits.heartbeat) }
            guard !pump.isClosed, !pump.hasLeft(place) else { return }
            commits = pump.commits
            stepped = try await pump.step(stepped.client, at: place)
            if case .bytes(let bytes) = stepped.step, !exchange.held.set(to: bytes.count) { throw Self.tooManyBytes }
        }
    }

    /// Takes what has been sent of a refused body, so that the answer is not lost to a reset; no more than 64 KiB.
    private func skipBody(of request: Request) async throws {
        var skipped = 0
        for try await buffer in request.body {
            skipped += buffer.readableBytes
            if skipped > 64 << 10 { return }
        }
    }
}

/// One request with its answer: who asks, over which connection, and what it costs.
private struct Exchange: Sendable {
    let channel: any Channel
    let client: String
    let budget: ReadBudget
    let held: HeldBytes
    let presence = Presence.current

    /// From now on the request ends when its client leaves.
    func watch() { presence.whenLeft { [budget] in budget.cancel() } }

    /// Waits until the socket has taken all that was written. Few bytes are not waited for.
    func taken(_ count: Int) async throws {
        guard count > 16 << 10 else { return }
        try await channel.eventLoop.flatSubmit { [channel] in
            do {
                let connection = try channel.pipeline.syncOperations.handler(type: ConnectionGuard.self)
                return connection.whenTaken(on: channel.eventLoop)
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }.get()
    }
}
