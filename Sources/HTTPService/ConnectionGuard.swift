import NIOCore

/// Bounds what one connection costs: the bytes of a request's head, and a client that takes no bytes.
///
/// It stands next to the socket, before the bytes are parsed.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let limits: ServiceLimits
    private let log: ServiceLog
    /// Bytes received since the last written ones. Requests have no bodies, so these are heads.
    private var unanswered = 0
    private var isRefused = false
    /// Bytes given to the socket so far, and those of them that the client had taken at the last look.
    private var (written, taken) = (0, 0)
    private var look: Scheduled<Void>?
    /// Whether the client has closed its side, and what is to be done then.
    private var (isInputEnded, onInputEnd): (Bool, (() -> Void)?) = (false, nil)

    init(limits: ServiceLimits, log: ServiceLog) {
        self.limits = limits
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        unanswered += unwrapInboundIn(data).readableBytes
        guard unanswered > limits.headBytes else { return context.fireChannelRead(data) }
        isRefused = true
        log.headIsTooLarge()
        let answer = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(string: answer))), promise: nil)
        // What still comes is dropped until the client closes or its time is over, so that the answer reaches it.
        context.close(mode: .output, promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        unanswered = 0
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        watch(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { endInput() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        look?.cancel()
        look = nil
        endInput()
        context.fireChannelInactive()
    }

    /// Calls back once when the client has closed its side, at once if it has. A later call takes the place of this one.
    func whenInputEnds(_ body: @escaping () -> Void) {
        if isInputEnded { body() } else { onInputEnd = body }
    }

    private func endInput() {
        isInputEnded = true
        onInputEnd?()
        onInputEnd = nil
    }

    /// Looks again later whether the client has taken any of the bytes that wait.
    private func watch(_ context: ChannelHandlerContext) {
        let waiting = waiting(context)
        guard look == nil, waiting > 0 else { return }
        taken = written - waiting
        look = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: TimeAmount(limits.stall)) {
            self.look = nil
            let waiting = self.waiting(context)
            if waiting > 0, self.written - waiting == self.taken {
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
