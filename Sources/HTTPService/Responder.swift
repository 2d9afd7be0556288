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
    let headers: ResponseHeaders
    let limits: ServiceLimits
    let held: HeldBytes
    let newest: NewestChange
    let now: @Sendable () -> Date
    let log: ServiceLog
    /// Called after each look into the database.
    let hasLooked: @Sendable () -> Void

    /// The most bytes given to the socket at a time: what it has not taken when an answer ends is about as much.
    private static let writeBytes = 64 << 10

    private static let tooManyBytes = StoreError(.busy, "Too many bytes wait for clients")

    /// Thrown to close the connection after an answer.
    private struct Closing: Error {}

    func respond(
        to request: Request, _ writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        let target = request.head.path ?? ""
        let path = String(target.prefix { $0 != "?" })
        let isHead = request.method == .head
        let refusal = refusal(of: request.head, on: channel)
        let asked = self.request(request.head, path)
        var answer: APIAnswer
        if let refusal { answer = refusal.answer(to: asked, now: now()) } else { answer = await self.answer(asked) }
        // The first piece or step comes before the head, so that a database that cannot be read is told by the status.
        var piece: [UInt8]?
        if case .pieces(let pieces) = answer.body, !isHead {
            do {
                piece = try await read { try pieces.next(from: $0) }
            } catch {
                note(error)
                answer = Problem(error).answer(to: asked, now: now())
            }
        }
        var begun: BegunStream?
        if case .stream(let client) = answer.body, !isHead {
            do {
                begun = BegunStream(commits: pump.commits, stepped: try await pump.step(client))
            } catch {
                note(error)
                answer = Problem(error).answer
            }
        }
        var size = piece?.count ?? 0
        if case .whole(let bytes) = answer.body, !isHead { size = bytes.count }
        let isTaken = held.take(size)
        defer { if isTaken { held.give(size) } }
        if !isTaken {
            answer = Problem(Self.tooManyBytes).answer(to: asked, now: now())
            piece = nil
        }
        log.answered(request.method.rawValue, path, status: answer.status)
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
                try await write(bytes, to: &body)
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
                    while let bytes = piece {
                        piece = nil
                        try await write(bytes, to: &body)
                        held.give(size)
                        size = 0
                        let next = try await read { try pieces.next(from: $0) }
                        guard held.take(next?.count ?? 0) else { throw Self.tooManyBytes }
                        size = next?.count ?? 0
                        piece = next
                    }
                } else if let begun {
                    try await stream(begun, to: &body, on: channel)
                }
            } catch let error as StoreError {
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

    /// The reason not to look into the database for this request; nil: none.
    private func refusal(of head: HTTPRequest, on channel: any Channel) -> Problem? {
        // The first Host is the authority; a second one stays a field.
        guard let host = head.authority, !head.headerFields.contains(where: { $0.name.canonicalName == "host" }) else {
            return .noHost
        }
        let local = channel.localAddress?.ipAddress.flatMap { IPLiteral($0) }
        guard hosts.accepts(host, at: local) else { return .host(host) }
        guard !Self.hasEndlessBody(head) else { return .coding }
        guard head.method == .get || head.method == .head else { return .method }
        guard !Self.hasBody(head) else { return .body }
        return head.path?.hasPrefix("/") == true ? nil : .target
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
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return APIRequest(path: path, query: query, headers: fields, change: newest.mark)
    }

    /// The API's answer.
    private func answer(_ request: APIRequest) async -> APIAnswer {
        let read: @Sendable (EventStore) -> APIAnswer
        switch preparing(request, now()) {
        case .answer(let answer): return answer
        case .read(let prepared): read = prepared
        }
        do {
            let answer = try await pool.run(read)
            hasLooked()
            if let fault = answer.fault { note(fault) } else { log.hasRead() }
            return answer
        } catch {
            hasLooked()
            note(error)
            return Problem(error).answer(to: request, now: now())
        }
    }

    /// Logs a fault of the database. What a query, the load or the end of the program brings about is none.
    func note(_ error: any Error) {
        guard let error = error as? StoreError else { return }
        switch error.code {
        case .busy, .tooCostly, .noFullText, .interrupted, .closed: break
        default: log.cannotRead(error)
        }
    }

    /// Writes bytes as the socket takes them, without a second copy of them all.
    private func write(_ bytes: [UInt8], to body: inout some ResponseBodyWriter) async throws {
        for start in stride(from: 0, to: bytes.count, by: Self.writeBytes) {
            let end = min(start + Self.writeBytes, bytes.count)
            try await body.write(ByteBuffer(bytes: bytes[start..<end]))
        }
    }

    /// Reads for an answer that has begun.
    private func read<T: Sendable>(_ body: @escaping @Sendable (EventStore) throws -> T) async throws -> T {
        defer { hasLooked() }
        return try await pool.runPatiently(body)
    }

    /// The first step of a stream, and the commits noticed before it.
    private struct BegunStream {
        var commits: Int
        var stepped: StreamPump.Stepped
    }

    /// Writes to a client of the stream until it leaves, the service stops or the stream ends.
    private func stream(
        _ begun: BegunStream, to body: inout some ResponseBodyWriter, on channel: any Channel
    ) async throws {
        let place = pump.place()
        let loop = channel.eventLoop
        try await loop.submit { [pump] in
            let handler = try channel.pipeline.syncOperations.handler(type: ConnectionGuard.self)
            handler.whenInputEnds { pump.leave(place) }
        }.get()
        var (commits, stepped) = (begun.commits, begun.stepped)
        while true {
            var mustRest = true
            switch stepped.step {
            case .bytes(let bytes):
                try await body.write(ByteBuffer(bytes: bytes))
                mustRest = stepped.client.isAtEnd
            case .wait: break
            case .close(let bytes): return try await body.write(ByteBuffer(bytes: bytes))
            }
            if mustRest { await pump.rest(place, since: commits, on: loop, atMost: limits.heartbeat) }
            guard !pump.isClosed, !pump.hasLeft(place) else { return }
            commits = pump.commits
            stepped = try await pump.step(stepped.client)
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
