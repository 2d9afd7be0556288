import Model
import NIOCore
import NIOHTTP1
import Serving

/// Brings the head of a request to the form that the handlers behind it know.
///
/// They close a connection after `Connection: close` in exactly these letters. Of a target in absolute form they take
/// the path, but not the host. They answer in HTTP/1.1 only, and without words where the parser cannot read a request.
final class RequestHeadHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: ConnectionGuard
    /// The version of the present request.
    private var version = HTTPVersion.http1_1
    /// What the parser could not read, after which the connection ends; nil: nothing.
    private var fault: HTTPParserError?

    init(_ connection: ConnectionGuard) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        version = head.version
        connection.hasBody =
            head.headers.contains(name: "transfer-encoding") || head.headers["content-length"].contains { $0 != "0" }
        // It reads the option in any letters, also among others (RFC 9112 §9.3). Of HTTP/1.0 no connection is kept, since
        // its end may be the end of an answer.
        if !head.isKeepAlive || isOld { head.headers.replaceOrAdd(name: "connection", value: "close") }
        if !head.uri.hasPrefix("/") { Self.readTarget(of: &head) }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { fault = error }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status == .badRequest && head.headers["content-length"] == ["0"]:
            guard let fault else { return context.write(data, promise: promise) }
            explain(fault, context, promise)
        case .head(var head) where isOld:
            // An answer of unknown length is not chunked then, but ends with the connection (RFC 9112 §6.1).
            head.version = .http1_0
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            let done = promise ?? context.eventLoop.makePromise(of: Void.self)
            done.futureResult.assumeIsolatedUnsafeUnchecked().whenSuccess {
                guard let context = try? context.pipeline.syncOperations.context(handler: self.connection) else {
                    return
                }
                self.connection.next(context)
            }
            context.write(data, promise: done)
        default: context.write(data, promise: promise)
        }
    }

    /// Writes head and body of an answer with words; its end comes from behind.
    private func explain(
        _ fault: HTTPParserError, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        let problem = Problem.unreadable(fault)
        let body = ByteBuffer(string: problem.json)
        var headers = HTTPHeaders(problem.answer.headers.map { ($0.name, $0.value) })
        headers.add(name: "connection", value: "close")
        headers.add(name: "content-length", value: "\(body.readableBytes)")
        let head = HTTPResponseHead(
            version: isOld ? .http1_0 : .http1_1, status: HTTPResponseStatus(statusCode: problem.status),
            headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }

    /// Whether the client speaks HTTP/1.0, or older.
    private var isOld: Bool { version.major < 1 || version == .http1_0 }

    /// Takes host and path from a target in absolute form; its host counts in place of the field's (RFC 9112 §3.2.2).
    private static func readTarget(of head: inout HTTPRequestHead) {
        guard let target = AbsoluteTarget(head.uri) else {
            // No path, so it is refused; the path of another scheme would be taken for one of ours.
            head.uri = "*"
            return
        }
        head.uri = target.path
        // A request needs exactly one field Host all the same (§3.2), so none and two are left to be refused.
        if head.headers["host"].count == 1 { head.headers.replaceOrAdd(name: "host", value: target.host) }
    }
}

/// A target of a request in absolute form (RFC 9112 §3.2.2), such as `http://localhost:8423/status?f=json`.
struct AbsoluteTarget {
    /// The host in lower case, with its port if there is one; never empty.
    let host: String
    /// The path with the query; it begins with a slash.
    let path: String

    /// Reads a target; nil unless it is one of http with a host and without a user (RFC 9110 §4.2.4).
    init?(_ target: String) {
        guard let parts = URLParts(target), parts.scheme == "http", parts.hasHost, !parts.hasUser else { return nil }
        host = parts.authority
        path = (parts.path.isEmpty ? "/" : parts.path) + (parts.query.map { "?\($0)" } ?? "")
    }
}
