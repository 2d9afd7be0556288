import NIOCore
import Serving

/// Bounds what one connection costs: the bytes of a request's head, requests in flight, and a client that takes no bytes.
///
/// It stands next to the socket, before the bytes are parsed. While a request is answered, it passes nothing on and reads
/// nothing, so what a client sends meanwhile stays in the kernel.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let limits: ServiceLimits
    private let log: ServiceLog
    /// Whether the client has more connections than its share.
    private let isSurplus: Bool
    private var isRefused = false

    /// Bytes of the present head that have been passed on.
    private var headBytes = 0
    /// Whether the present head has a byte that is no line end, and whether its present line has one.
    private var (hasHead, hasLine) = (false, false)
    /// Whether a head was passed on whose answer has not been taken.
    private var isAnswering = false
    /// Bytes that came with a head, behind it; and whether there were more than are kept.
    private var (unread, isUnreadCut) = (ByteBuffer(), false)
    /// Whether a read was asked for while nothing is read.
    private var mustRead = false
    /// Set for a request with a body, after which the connection is closed: all that follows is passed on.
    var hasBody = false

    /// Bytes given to the socket so far, and those of them that it has taken.
    private var (written, taken) = (0, 0)
    private var waiters: [EventLoopPromise<Void>] = []
    /// The bytes that the client had taken at the last look.
    private var seen = 0
    private var look: Scheduled<Void>?
    private let presence: Presence

    init(limits: ServiceLimits, log: ServiceLog, isSurplus: Bool, presence: Presence) {
        self.limits = limits
        self.log = log
        self.isSurplus = isSurplus
        self.presence = presence
    }

    // MARK: - Reading

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        guard isSurplus else { return }
        refuse(context, .surplus)
        // It would count among all connections while it is open.
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        var bytes = unwrapInboundIn(data)
        guard isAnswering else { return pass(bytes, context) }
        isUnreadCut = isUnreadCut || unread.readableBytes + bytes.readableBytes > limits.headBytes
        if !isUnreadCut { unread.writeBuffer(&bytes) }
    }

    func read(context: ChannelHandlerContext) {
        if isAnswering { mustRead = true } else { context.read() }
    }

    /// The answer has been taken: the next request may come.
    func next(_ context: ChannelHandlerContext) {
        guard isAnswering, !isRefused else { return }
        isAnswering = false
        if isUnreadCut, !hasBody { return context.close(promise: nil) }
        if unread.readableBytes > 0 {
            let bytes = unread
            unread = ByteBuffer()
            pass(bytes, context)
            context.fireChannelReadComplete()
        }
        guard !isAnswering, mustRead else { return }
        mustRead = false
        context.read()
    }

    /// Passes the bytes on up to the end of a head, and keeps the others.
    private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !hasBody else { return context.fireChannelRead(wrapInboundOut(bytes)) }
        var bytes = bytes
        let end = endOfHead(in: bytes)
        let head = bytes.readSlice(length: end ?? bytes.readableBytes) ?? ByteBuffer()
        headBytes += head.readableBytes
        guard headBytes <= limits.headBytes else {
            log.headIsTooLarge()
            refuse(context, .head(limits.headBytes))
            // What still comes is dropped until the client closes or its time is over, so that the answer reaches it.
            return context.close(mode: .output, promise: nil)
        }
        if end != nil {
            (headBytes, hasHead, isAnswering) = (0, false, true)
            unread = bytes
        }
        context.fireChannelRead(wrapInboundOut(head))
    }

    /// The number of bytes up to the end of a head, which is an empty line; nil if the head goes on.
    private func endOfHead(in bytes: ByteBuffer) -> Int? {
        bytes.withUnsafeReadableBytes { bytes in
            for (index, byte) in bytes.enumerated() where byte != 0x0D {
                guard byte == 0x0A else {
                    (hasHead, hasLine) = (true, true)
                    continue
                }
                if hasHead, !hasLine { return index + 1 }
                hasLine = false
            }
            return nil
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ problem: Problem) {
        isRefused = true
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(string: problem.message))), promise: nil)
    }

    // MARK: - The client leaves

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { presence.leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        look?.cancel()
        look = nil
        presence.leave()
        context.fireChannelInactive()
    }

    // MARK: - Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let count = unwrapOutboundIn(data).readableBytes
        written += count
        let done = promise ?? context.eventLoop.makePromise(of: Void.self)
        done.futureResult.assumeIsolatedUnsafeUnchecked().whenComplete { _ in self.took(count) }
        context.write(data, promise: done)
    }

    /// Completed when the socket has taken all bytes written so far, or the connection has ended.
    func whenTaken(on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard taken < written else { return loop.makeSucceededVoidFuture() }
        let promise = loop.makePromise(of: Void.self)
        waiters.append(promise)
        return promise.futureResult
    }

    private func took(_ count: Int) {
        taken += count
        guard taken == written else { return }
        let done = waiters
        waiters = []
        for promise in done { promise.succeed() }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        watch(context)
    }

    /// Looks again later whether the client has taken any of the bytes that wait.
    private func watch(_ context: ChannelHandlerContext) {
        let waiting = waiting(context)
        guard look == nil, waiting > 0 else { return }
        seen = written - waiting
        look = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: TimeAmount(limits.stall)) {
            self.look = nil
            let waiting = self.waiting(context)
            if waiting > 0, self.written - waiting == self.seen {
                self.log.closedSlowClient()
                context.close(promise: nil)
            } else {
                self.watch(context)
            }
        }
    }

    /// Bytes that the socket has not taken yet.
    private func waiting(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
    }
}
