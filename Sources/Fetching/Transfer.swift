import CCurl
import Foundation
import Model

/// An exchange with what it collects; it lives on the thread that owns the multi handle.
final class Transfer: EasyTransfer {
    /// The call that waits for it.
    let exchange: Exchange

    private let start = SuspendingClock.now
    private var lastProgress = SuspendingClock.now
    private let body = BodyBuffer()
    private var decoder: ContentDecoder?
    private var wireBytes = 0
    private var keepsBody = true
    private unowned let thread: CurlThread
    /// Where the body goes as it arrives, once the head of a stream has come.
    private var stream: FetchedStream?
    /// Whether the stream has no room, and libcurl waits.
    private var isPaused = false
    /// How often libcurl was about to send the request, and whether over a connection that was kept at first.
    private var attempts = 0
    private var isOnKeptConnection = false

    /// How much of an error's body is read so that the connection can be used again, and how much of it is kept.
    private static let drainedBytes = 64 << 10
    private static let excerptBytes = 2 << 10

    /// Prepares a transfer; it begins when its handle is added to the multi handle.
    init(_ exchange: Exchange, on thread: CurlThread) throws(Failure) {
        self.exchange = exchange
        self.thread = thread
        try super.init(exchange.address, limits: exchange.limits)
        try setHeaders()
        setOptions()
        try finishSettings()
    }

    // MARK: Request

    private func setHeaders() throws(Failure) {
        let request = exchange.request
        var own: [(name: String, value: String)] = [("Expect", "")]
        if let etag = request.validators.etag { own.append(("If-None-Match", etag)) }
        if let date = request.validators.lastModified { own.append(("If-Modified-Since", date)) }
        if let authorization = request.authorization { own.append(("Authorization", authorization.value)) }
        var ownNames = Set(own.map { $0.name.lowercased() })
        if request.stream != nil { ownNames.insert("accept-encoding") }
        if request.json != nil { ownNames.insert("content-type") }
        let theirs = request.headers.sorted { $0.key < $1.key }.filter { !ownNames.contains($0.key.lowercased()) }
        if request.stream != nil {
            // A line should not have to wait in a compressor for those after it.
            own.append(("Accept-Encoding", "identity"))
        } else if !theirs.contains(where: { $0.key.lowercased() == "accept-encoding" }) {
            own.append(("Accept-Encoding", ContentDecoder.accepted))
        }
        if request.json != nil { own.append(("Content-Type", "application/json")) }
        for (name, value) in theirs {
            // An empty value is written with a semicolon, without one libcurl drops the header.
            try add(name, value, separator: value.isEmpty ? ";" : ": ")
        }
        for (name, value) in own { try add(name, value, separator: value.isEmpty ? ":" : ": ") }
    }

    private func setOptions() {
        let request = exchange.request
        if request.stream == nil {
            set(CURLOPT_TIMEOUT_MS, Self.milliseconds(limits.totalTimeout))
            set(CURLOPT_MAXFILESIZE_LARGE, offset: Int64(limits.maximumTransferBytes))
        } else {
            // Of HTTP/2, libcurl would take up to 32 MiB for a reader that has no room; a connection of its own cannot
            // hold up other requests either.
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            set(CURLOPT_FRESH_CONNECT, 1)
            set(CURLOPT_FORBID_REUSE, 1)
        }
        if request.needsNewConnection { set(CURLOPT_FRESH_CONNECT, 1) }
        if let proxy = request.proxy { set(CURLOPT_PROXY, proxy) }
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if let file = request.certificateAuthorityFile {
            set(CURLOPT_CAINFO, file)
            set(CURLOPT_CAPATH, nil)
        }
        if let content = request.form ?? request.json {
            set(CURLOPT_POST, 1)
            set(CURLOPT_POSTFIELDSIZE, content.utf8.count)
            set(CURLOPT_COPYPOSTFIELDS, content)
        }
    }

    // MARK: Stall

    /// When the transfer counts as stalled; nil before it is connected, which has a time-out of its own.
    var stallDeadline: SuspendingClock.Instant? {
        let connected = connectTime
        guard connected > 0, !isPaused else { return nil }
        return max(lastProgress, start + .microseconds(connected)) + patience
    }

    /// How long the server may be silent: a stream's own time once it is open.
    private var patience: Duration {
        stream == nil ? limits.stallTimeout : exchange.request.stream?.silence ?? limits.stallTimeout
    }

    override var stalled: Failure {
        Failure(.network, "stalled", "\(address.authority) sent nothing for \(patience.compact)")
    }

    // MARK: Stream

    /// Gives the stream to the call that waits, once the head has come; false when it cannot be read.
    private func openStream() -> Bool {
        if let coding = head.contentCoding {
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

    /// Goes on after the stream was full.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        lastProgress = SuspendingClock.now
        _ = ccurl_resume(easy)
    }

    /// Tells how the transfer ended: the call that waits, or whoever reads the stream.
    func conclude(_ answer: Exchange.Answer) {
        guard let stream else { return exchange.finish(answer) }
        switch answer {
        case .success: stream.finish()
        case .failure(let failure): stream.finish(failure)
        }
    }

    // MARK: Response

    override func accepts(remote: String) -> Bool {
        attempts += 1
        if attempts == 1 { isOnKeptConnection = ccurl_get_long(easy, CURLINFO_NUM_CONNECTS) == 0 }
        // libcurl repeats a request by itself, at once, when a kept connection ends in place of an answer, and up to
        // five times when a server refuses an HTTP/2 stream. Host's gap and paid reads are the caller's, so it is told
        // instead. Over a new connection a second one passes: that is how HTTP/1.1 is spoken with a server that wants it.
        guard attempts == 1 || (attempts == 2 && !isOnKeptConnection) else {
            problem = .lostConnection(exchange.address.authority)
            return false
        }
        guard !exchange.isFinished else {
            problem = .cancelled
            return false
        }
        // A proxy is the operator's, and may be anywhere.
        if let zones = exchange.zones, exchange.request.proxy == nil {
            let zone = AddressZone(remote) ?? .special
            guard zones.contains(zone) else {
                problem = Failure.refusedAddress(exchange.address.authority, remote, zone)
                return false
            }
        }
        exchange.request.whenSent?()
        return true
    }

    override func takeHeader(_ line: UnsafeRawBufferPointer) -> Int {
        lastProgress = SuspendingClock.now
        let taken = super.takeHeader(line)
        guard exchange.request.stream != nil, taken > 0, stream == nil, head.isComplete, status == 200 else {
            return taken
        }
        return openStream() ? taken : 0
    }

    override func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastProgress = SuspendingClock.now
        if let stream { return hand(bytes, to: stream) }
        if wireBytes == 0 { beginBody() }
        wireBytes += bytes.count
        if isWanted {
            guard wireBytes <= limits.maximumTransferBytes else {
                problem = tooLarge("a body above \(limits.maximumTransferBytes) bytes")
                return 0
            }
            if problem == nil, let trouble = store(bytes, limit: limits.maximumBodyBytes) {
                problem = failure(for: trouble)
            }
            return problem == nil ? bytes.count : 0
        }
        if keepsBody, body.count >= Self.excerptBytes || store(bytes, limit: Self.drainedBytes) != nil {
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
        if let coding = head.contentCoding {
            decoder = ContentDecoder(coding)
            guard decoder == nil else { return }
            keepsBody = false
            if isWanted { problem = badEncoding("the unknown content coding \(coding.prefix(40))") }
            return
        }
        if isWanted, let length = head.fields["content-length"].flatMap({ Int($0) }), length > 0 {
            // A promise of the server's, so it is not believed beyond some size; a shortage shows when storing.
            _ = body.reserve(min(length, 8 << 20, limits.maximumTransferBytes))
        }
    }

    private func store(_ bytes: UnsafeRawBufferPointer, limit: Int) -> ContentDecoder.Trouble? {
        if let decoder { return decoder.decode(bytes, into: body, limit: limit) }
        guard body.count + bytes.count <= limit else { return .tooLarge }
        return body.append(bytes) ? nil : .outOfMemory
    }

    private func failure(for trouble: ContentDecoder.Trouble) -> Failure {
        switch trouble {
        case .outOfMemory: .outOfMemory
        case .tooLarge: tooLarge("a body above \(limits.maximumBodyBytes) bytes after decoding")
        case .damaged: badEncoding("damaged compressed data")
        }
    }

    private func badEncoding(_ found: String) -> Failure {
        let printable = found.unicodeScalars.lazy.filter { $0.value >= 0x20 && $0.value < 0x7F }
        let clean = String(String.UnicodeScalarView(printable))
        return Failure(.server, "bad_encoding", "\(exchange.address.authority) sent \(clean)", status: status)
    }

    private func tooLarge(_ found: String) -> Failure {
        Failure(.server, "too_large", "\(exchange.address.authority) sent \(found)", status: status == 0 ? nil : status)
    }

    // MARK: Outcome

    /// What a POST makes may be told by 201 (Created).
    override var isWanted: Bool {
        super.isWanted || (status == 201 && (exchange.request.form ?? exchange.request.json) != nil)
    }

    /// The answer to the call, once libcurl has ended the transfer with `code`.
    func answer(_ code: CURLcode, now: Date) -> Exchange.Answer {
        if let problem { return .failure(problem) }
        // A refusal or a redirect counts as soon as its head is whole, whatever becomes of its body.
        if head.isComplete, status >= 200, !isWanted { return answerWithoutBody(now: now) }
        guard code == CURLE_OK else { return .failure(failure(code)) }
        // libcurl takes an answer for whole that ends within its headers.
        guard head.isComplete, isWanted else { return .failure(cutShort("ended within its headers")) }
        let transferCoding = (head.fields["transfer-encoding"] ?? "").lowercased()
        guard ["", "identity", "chunked"].contains(transferCoding) else {
            // libcurl undoes other codings without noticing where they end.
            return .failure(badEncoding("the unknown transfer coding \(transferCoding.prefix(40))"))
        }
        // No bytes at all is an empty body in any coding.
        if let decoder, !decoder.isAtEnd { return .failure(cutShort("ended within its compressed data")) }
        let found = FetchedBody(
            data: body.take(), headers: head.fields, validators: head.validators, url: exchange.address.url,
            maxAge: head.maxAge, serverDate: head.date, wireBytes: wireBytes, httpVersion: httpVersion)
        return .success(.body(found))
    }

    private func answerWithoutBody(now: Date) -> Exchange.Answer {
        switch status {
        case 304:
            let sent = exchange.request.validators
            guard !sent.isEmpty else {
                return .failure(refusal("unexpected_304", "answered 304 to an unconditional request", now))
            }
            var validators = head.validators
            validators.etag = validators.etag ?? sent.etag
            validators.lastModified = validators.lastModified ?? sent.lastModified
            return .success(.notModified(headers: head.fields, validators: validators, serverDate: head.date))
        case 301, 302, 303, 307, 308:
            guard let location = head.fields["location"], !location.isEmpty else {
                return .failure(refusal("bad_redirect", "answered \(status) without a Location", now))
            }
            guard let target = exchange.address.resolving(location), target.isWeb else {
                return .failure(refusal("bad_redirect", "redirects to something other than an http or https URL", now))
            }
            let isPermanent = status == 301 || status == 308
            return .success(
                .redirect(to: target.url, status: status, isPermanent: isPermanent, serverDate: head.date))
        default:
            return .failure(refusal("http_\(status)", "answered \(status)", now))
        }
    }

    private func refusal(_ code: String, _ what: String, _ now: Date) -> Failure {
        let isOperators = status == 401 || status == 407
        let mayWait = status == 429 || status == 503 || status == 403
        return Failure(
            isOperators ? .operator : .server, code,
            "\(exchange.address.authority) \(what)" + (isOperators ? ", so it refuses the credentials" : ""),
            status: status, retryAfter: mayWait ? head.retryAfter(status: status, now: now) : nil, excerpt: excerpt)
    }

    private var excerpt: Data? { body.count == 0 ? nil : body.prefix(Self.excerptBytes) }

    private func cutShort(_ what: String) -> Failure {
        Failure(
            .network, "cut_short", "the answer of \(exchange.address.authority) \(what)",
            status: status == 0 ? nil : status, excerpt: excerpt)
    }

    private func failure(_ code: CURLcode) -> Failure {
        switch code {
        case CURLE_PARTIAL_FILE:
            let promised = head.fields["content-length"]
            return cutShort("ended after \(wireBytes) " + (promised == nil ? "bytes" : "of the bytes it announced"))
        case CURLE_FILESIZE_EXCEEDED:
            let announced = head.fields["content-length"].flatMap { Int($0) }.map { " of \($0)" } ?? ""
            return tooLarge("a body\(announced) above \(limits.maximumTransferBytes) bytes")
        case CURLE_OUT_OF_MEMORY where connectTime > 0 && !head.isComplete:
            return tooLarge("a header line above 100 KiB")
        default:
            break
        }
        return failure(code, usesProxy: exchange.request.proxy != nil)
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
