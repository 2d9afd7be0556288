import CCurl
import Foundation
import Model

/// An exchange with its state in libcurl; it lives on the thread that owns the multi handle.
final class Transfer {
    /// The exchange that waits for the answer.
    let exchange: Exchange
    /// libcurl's easy handle; it must leave the multi handle before the transfer is released.
    let easy: UnsafeMutableRawPointer
    // libcurl reads and writes these as long as the handle exists.
    var headerList: UnsafeMutablePointer<curl_slist>?
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// Whether libcurl has accepted all settings so far.
    var isSet = true

    /// The head of the answer, as far as it has come.
    private var head = ResponseHead()
    /// Why this side ended the transfer; nil if it has not.
    private var problem: Failure?
    private let start = SuspendingClock.now
    private var lastProgress = SuspendingClock.now
    private let body = BodyBuffer()
    private var decoder: ContentDecoder?
    private var wireBytes = 0
    private var keepsBody = true
    private var hasBegun = false
    /// The body's part of the budget, from its first byte on, and how much of it is not used yet.
    private var share: BodyShare?
    private var credit = 0
    /// The bytes of the piece that libcurl passes again after a pause that are decoded already.
    private var decodedBytes = 0
    /// Whether the body has waited for room.
    private var hasWaited = false
    private unowned let thread: CurlThread
    /// Receives the body as it arrives; set when the head of a stream has come.
    private var stream: FetchedStream?
    /// Whether the stream or the budget of bodies has no room and libcurl is paused.
    private var isPaused = false
    /// How often libcurl was about to send the request, and whether the first time over a kept connection.
    private var attempts = 0
    private var isOnKeptConnection = false
    /// The mail that is sent; nil: something is fetched.
    private var mail: MailDialogue?

    /// Bytes of an error's body that are read, so that the connection can be reused, and bytes of it that are kept.
    private static let drainedBytes = 64 << 10
    private static let excerptBytes = 2 << 10

    /// Prepares a transfer, which begins when its handle is added to the multi handle.
    init(_ exchange: Exchange, on thread: CurlThread) throws(Failure) {
        guard let easy = curl_easy_init() else { throw Failure.outOfMemory }
        self.easy = easy
        self.exchange = exchange
        self.thread = thread
        mail = exchange.request.mail.map { MailDialogue($0) }
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try setHeaders()
        setOptions()
        try finishSettings()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    var address: WebAddress { exchange.address }
    var limits: FetchLimits { exchange.limits }

    // MARK: Stall

    /// When the transfer counts as stalled; nil while paused, and while connecting, which has its own time-out.
    var stallDeadline: SuspendingClock.Instant? {
        let connected = connectTime
        guard connected > 0, !isPaused else { return nil }
        return max(lastProgress, start + .microseconds(connected)) + silenceLimit
    }

    /// The longest silence: that of the stream once it is open, else the stall time-out.
    private var silenceLimit: Duration {
        stream == nil ? limits.stallTimeout : exchange.request.stream?.silence ?? limits.stallTimeout
    }

    /// The failure for a server that has stopped sending.
    var stalled: Failure {
        Failure(.network, .stalled, "\(address.authority) sent nothing for \(silenceLimit.compact)")
    }

    // MARK: Stream

    /// Passes the stream to the caller once the head has come; returns false for a content coding that is not accepted.
    private func openStream() -> Bool {
        if let coding = head.contentCoding, !exchange.request.isDownload || !ContentDecoder.codings.contains(coding) {
            problem = badEncoding("a stream in the content coding \(coding.prefix(40))")
            return false
        }
        let (thread, exchange) = (self.thread, self.exchange)
        let stream = FetchedStream(
            url: address.url, headers: head.fields, serverDate: head.date,
            whenRoom: { thread.resume(exchange) }, whenClosed: { thread.drop(exchange) })
        self.stream = stream
        exchange.finish(.success(.stream(stream)))
        return true
    }

    /// Resumes libcurl after the stream or the budget was full.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        lastProgress = SuspendingClock.now
        _ = ccurl_resume(easy)
    }

    /// Reports the end of the transfer to the waiting caller or the reader of the stream.
    func conclude(_ answer: Exchange.Answer) {
        guard let stream else { return exchange.finish(answer) }
        switch answer {
        case .success: stream.finish()
        case .failure(let failure): stream.finish(failure)
        }
    }

    // MARK: Response

    /// Whether the request may be sent to the connected peer, over a new or a kept connection; false ends the transfer
    /// before anything is sent. libcurl asks again whenever it repeats the request.
    func accepts(remote: String) -> Bool {
        attempts += 1
        if attempts == 1 { isOnKeptConnection = ccurl_get_long(easy, CURLINFO_NUM_CONNECTS) == 0 }
        // libcurl repeats a request at once when a kept connection ends without an answer, and up to five times when a
        // server refuses an HTTP/2 stream. The caller is told instead, because gaps between requests and paid reads are
        // its concern. Over a new connection a second attempt is allowed: that is the fallback to HTTP/1.1.
        guard attempts == 1 || (attempts == 2 && !isOnKeptConnection) else {
            problem = .lostConnection(exchange.address.authority)
            return false
        }
        guard !exchange.isFinished else {
            problem = .cancelled
            return false
        }
        // libcurl 8 gives the address that was asked for; an unspecified one has led to this machine.
        let isUnspecified = remote == "0.0.0.0" || remote == "::"
        let zone = isUnspecified ? .loopback : AddressZone(remote) ?? .special
        exchange.peer.withLock { $0 = zone }
        // A proxy is the operator's choice and may be anywhere.
        if let zones = exchange.zones, exchange.request.proxy == nil, !zones.contains(zone) {
            problem = Failure.refusedAddress(exchange.address.authority, remote, zone)
            return false
        }
        exchange.request.whenSent?()
        return true
    }

    /// Takes a header line; returns the number of bytes taken. 0 ends the transfer.
    func takeHeader(_ line: UnsafeRawBufferPointer) -> Int {
        lastProgress = SuspendingClock.now
        if let isLast = mail?.take(line) {
            // All transfers wait for the reply to libcurl's good-bye.
            if isLast { _ = ccurl_set_long(easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, 5) }
            return line.count
        }
        // Trailers are only counted.
        head.take(line)
        guard head.byteCount <= limits.maximumHeaderBytes else {
            problem = Failure(
                .server, .tooLarge, "\(address.authority) sent headers above \(limits.maximumHeaderBytes) bytes")
            return 0
        }
        let opens = exchange.request.isHeldOpen && stream == nil && head.isComplete && isWanted
        return !opens || openStream() ? line.count : 0
    }

    /// Fills a buffer with the next bytes of the mail; returns their number.
    func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        lastProgress = SuspendingClock.now
        return mail?.give(buffer) ?? 0
    }

    /// Takes bytes of the body; returns the number of bytes taken. 0 ends the transfer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastProgress = SuspendingClock.now
        if let stream { return hand(bytes, to: stream) }
        if !hasBegun {
            hasBegun = true
            beginBody()
        }
        if isWanted {
            guard wireBytes + bytes.count <= limits.maximumTransferBytes else {
                problem = tooLarge("a body above \(limits.maximumTransferBytes) bytes")
                return 0
            }
            // libcurl passes the same bytes again.
            var left = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(decodedBytes))
            if problem == nil, let trouble = store(&left, limit: limits.maximumBodyBytes, within: share) {
                if trouble == .full {
                    decodedBytes = bytes.count - left.count
                    isPaused = true
                    hasWaited = true
                    return Int(CURL_WRITEFUNC_PAUSE)
                }
                problem = failure(for: trouble)
            }
            decodedBytes = max(0, decodedBytes - bytes.count)
            wireBytes += bytes.count
            return problem == nil ? bytes.count : 0
        }
        wireBytes += bytes.count
        var left = bytes
        if keepsBody, body.count >= Self.excerptBytes || store(&left, limit: Self.drainedBytes) != nil {
            keepsBody = false
        }
        return wireBytes <= Self.drainedBytes ? bytes.count : 0
    }

    private func hand(_ bytes: UnsafeRawBufferPointer, to stream: FetchedStream) -> Int {
        switch stream.put(Data(bytes)) {
        case .taken:
            wireBytes += bytes.count
            return bytes.count
        case .full:
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        case .closed:
            problem = .cancelled
            return 0
        }
    }

    private func beginBody() {
        if isWanted { share = thread.budget.begin() }
        if let coding = head.contentCoding {
            decoder = ContentDecoder(coding)
            guard decoder == nil else { return }
            keepsBody = false
            if isWanted { problem = badEncoding("the unknown content coding \(coding.prefix(40))") }
            return
        }
        if isWanted, let length = head.fields["content-length"].flatMap({ Int($0) }), length > 0 {
            // The server's claim is not trusted beyond a limit; a lack of memory shows in `store`.
            _ = body.reserve(min(length, 8 << 20, limits.maximumTransferBytes))
        }
    }

    /// Adds bytes to the body, decoded; `bytes` becomes the rest if something goes wrong.
    /// - Parameter share: What the body may take of the budget; nil: any size.
    private func store(
        _ bytes: inout UnsafeRawBufferPointer, limit: Int, within share: BodyShare? = nil
    ) -> ContentDecoder.Trouble? {
        let before = body.count
        defer { credit -= body.count - before }
        if let decoder {
            return decoder.decode(&bytes, into: body, limit: limit) {
                self.mayGrow(by: ContentDecoder.step + self.body.count - before, within: share)
            }
        }
        guard body.count + bytes.count <= limit else { return .tooLarge }
        guard mayGrow(by: bytes.count, within: share) else { return .full }
        return body.append(bytes) ? nil : .outOfMemory
    }

    /// Whether the budget has room; if it has none, the transfer is resumed when it is worth another try.
    private func mayGrow(by bytes: Int, within share: BodyShare?) -> Bool {
        guard let share, credit < bytes else { return true }
        let (thread, exchange) = (self.thread, self.exchange)
        guard share.take(bytes - credit, whenRoom: { thread.resume(exchange) }) else { return false }
        credit = bytes
        return true
    }

    private func failure(for trouble: ContentDecoder.Trouble) -> Failure {
        switch trouble {
        case .outOfMemory: .outOfMemory
        case .tooLarge: tooLarge("a body above \(limits.maximumBodyBytes) bytes after decoding")
        case .damaged: badEncoding("damaged compressed data")
        case .full: noRoom
        }
    }

    /// The failure of a body for which the others left no room in time.
    private var noRoom: Failure {
        Failure(.ours, .outOfMemory, "other bodies left no room for that of \(address.authority)")
    }

    private func badEncoding(_ found: String) -> Failure {
        let clean = found.replacing { character, _ in character.value < 0x20 || character.value >= 0x7F }
        return Failure(.server, .badEncoding, "\(exchange.address.authority) sent \(clean)", status: status)
    }

    private func tooLarge(_ found: String) -> Failure {
        Failure(.server, .tooLarge, "\(exchange.address.authority) sent \(found)", status: status == 0 ? nil : status)
    }

    // MARK: Outcome

    /// The status of the answer; 0 before it has come.
    private var status: Int { ccurl_get_long(easy, CURLINFO_RESPONSE_CODE) }

    /// Whether the status promises the requested body; a POST may be answered by 201 (Created), a message by any 2xx.
    private var isWanted: Bool {
        if exchange.request.takesAnySuccess { return (200..<300).contains(status) }
        return [200, 203].contains(status) || (status == 201 && (exchange.request.form ?? exchange.request.json) != nil)
    }

    /// Microseconds from the start until the request could be sent; 0 before.
    private var connectTime: Int64 { ccurl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) }

    /// The answer to the call, after libcurl has ended the transfer with `code`.
    func answer(_ code: CURLcode, now: Date) -> Exchange.Answer {
        if let problem { return .failure(problem) }
        if let mail { return mail.answer(code, String(cString: errorText), of: address) ?? .failure(failure(code)) }
        // A refusal or redirect counts as soon as its head is complete, whatever happens to its body.
        if head.isComplete, status >= 200, !isWanted { return answerWithoutBody(now: now) }
        guard code == CURLE_OK else { return .failure(failure(code)) }
        // libcurl accepts an answer that ends within its headers.
        guard head.isComplete, isWanted else { return .failure(cutShort("ended within its headers")) }
        let transferCoding = (head.fields["transfer-encoding"] ?? "").lowercased()
        guard ["", "identity", "chunked"].contains(transferCoding) else {
            // libcurl decodes other codings without checking their end.
            return .failure(badEncoding("the unknown transfer coding \(transferCoding.prefix(40))"))
        }
        // An empty body is valid in any coding.
        if let decoder, !decoder.isAtEnd { return .failure(cutShort("ended within its compressed data")) }
        let facts = FetchFacts(
            validators: head.validators, serverDate: head.date, maxAge: head.maxAge, bytes: wireBytes)
        share?.finish()
        let release = { @Sendable [share] () -> Void in share?.release() }
        let found = FetchedBody(
            data: body.take(release: release), headers: head.fields, url: exchange.address.url, facts: facts,
            httpVersion: httpVersion, status: status)
        return .success(.body(found))
    }

    private func answerWithoutBody(now: Date) -> Exchange.Answer {
        switch status {
        case 304:
            let sent = exchange.request.validators
            guard !sent.isEmpty else {
                return .failure(refusal(.unexpected304, "answered 304 to an unconditional request", now))
            }
            var validators = head.validators
            validators.etag = validators.etag ?? sent.etag
            validators.lastModified = validators.lastModified ?? sent.lastModified
            let facts = FetchFacts(validators: validators, serverDate: head.date, maxAge: head.maxAge)
            return .success(.notModified(facts))
        case 301, 302, 303, 307, 308:
            guard let location = head.fields["location"], !location.isEmpty else {
                return .failure(refusal(.badRedirect, "answered \(status) without a Location", now))
            }
            guard let target = exchange.address.resolving(location), target.isWeb else {
                return .failure(refusal(.badRedirect, "redirects to something other than an http or https URL", now))
            }
            let isPermanent = status == 301 || status == 308
            let facts = FetchFacts(serverDate: head.date)
            return .success(.redirect(to: target.url, status: status, isPermanent: isPermanent, facts))
        default:
            return .failure(refusal(nil, "answered \(status)", now))
        }
    }

    /// - Parameter code: Nil: the code is made of the status (`http_404`).
    private func refusal(_ code: Failure.Code?, _ what: String, _ now: Date) -> Failure {
        let word = code?.rawValue ?? "http_\(status)"
        let isOperators = status == 401 || status == 407
        let mayWait = status == 429 || status == 503 || status == 403
        let resetHeader = exchange.request.rateLimitResetHeader
        let retry = mayWait ? head.retryAfter(status: status, resetHeader: resetHeader, now: now) : nil
        return Failure(
            isOperators ? .operator : .server, word,
            "\(exchange.address.authority) \(what)" + (isOperators ? ", so it refuses the credentials" : ""),
            status: status, retryAfter: retry, excerpt: excerpt)
    }

    private var excerpt: Data? { body.count == 0 ? nil : body.prefix(Self.excerptBytes) }

    private func cutShort(_ what: String) -> Failure {
        Failure(
            .network, .cutShort, "the answer of \(exchange.address.authority) \(what)",
            status: status == 0 ? nil : status, excerpt: excerpt)
    }

    private func failure(_ code: CURLcode) -> Failure {
        switch code {
        case CURLE_OPERATION_TIMEDOUT where hasWaited: return noRoom
        case CURLE_PARTIAL_FILE:
            let promised = head.fields["content-length"]
            return cutShort("ended after \(wireBytes) " + (promised == nil ? "bytes" : "of the bytes it announced"))
        case CURLE_FILESIZE_EXCEEDED:
            let announced = head.fields["content-length"].flatMap { Int($0) }.map { " of \($0)" } ?? ""
            return tooLarge("a body\(announced) above \(limits.maximumTransferBytes) bytes")
        // From 8.6 on it is CURLE_TOO_LARGE (100), which older headers lack.
        case CURLE_OUT_OF_MEMORY where connectTime > 0 && !head.isComplete,
            CURLcode(100) where connectTime > 0 && !head.isComplete:
            return tooLarge("a header line above 100 KiB")
        default:
            break
        }
        // The status of a message counts, whatever becomes of the rest of the answer.
        if exchange.request.takesAnySuccess, isWanted { return cutShort("has no end") }
        let words = String(cString: errorText)
        let translation = CurlFailure(
            authority: address.authority, usesProxy: exchange.request.proxy != nil, limits: limits,
            isConnected: connectTime > 0 || mail?.reply.isEmpty == false,
            connectStatus: ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE),
            systemError: Int32(truncatingIfNeeded: ccurl_get_long(easy, CURLINFO_OS_ERRNO)),
            tlsDetail: HeaderText.isSendable(words) ? words : "")
        return translation.failure(code)
    }

    private var httpVersion: String? {
        switch ccurl_get_long(easy, CURLINFO_HTTP_VERSION) {
        case 1: "1.0"
        case 2: "1.1"
        case 3: "2"
        case 30: "3"
        default: nil
        }
    }
}
