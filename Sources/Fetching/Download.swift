import CCurl
import Foundation
public import Model

/// A large body on its way: a thread asks for the URL and passes the bytes on through a socket, as fast as the reader
/// takes them and in constant memory.
///
/// There is no limit of size or time, but for the connection and for silence. Up to 5 redirects are followed, none of
/// them from https to http. Content codings are not asked for, since large tables come packed as files.
public final class Download: Sendable {
    /// Where the body can be read, until 0 bytes say that it has ended; for whoever reads it to close.
    public let descriptor: Int32
    /// Bytes of the body, where the server has announced them.
    public let totalBytes: Int64?

    private let progress: DownloadProgress

    /// Redirects that are followed.
    private static let maximumRedirects = 5

    /// Starts the download and waits for the head of the answer.
    /// - Parameters:
    ///   - url: absolute, `http` or `https`, without a user name.
    ///   - limits: `connectTimeout`, `stallTimeout`, `maximumHeaderBytes` and `userAgent` of them.
    /// - Throws: `Failure` with the codes that `Fetcher` has (`docs/fetching.md`) for an answer other than a whole 200.
    public init(_ url: String, limits: FetchLimits) throws(Failure) {
        guard !url.utf8.contains(0), let address = WebAddress(url), address.isWeb else {
            throw Failure(
                .operator, "bad_url", "the URL is not an absolute http or https URL, or it holds a user name")
        }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(.ours, "no_descriptors", "no descriptor is left for the download")
        }
        let (reader, writer) = (ends[0], ends[1])
        let progress = DownloadProgress()
        let transfer: DownloadTransfer
        do throws(Failure) {
            transfer = try DownloadTransfer(
                address, limits: limits, maximumRedirects: Self.maximumRedirects, sink: writer, progress: progress)
        } catch {
            close(reader)
            close(writer)
            throw error
        }
        let thread = Thread { transfer.run() }
        thread.name = "download"
        thread.start()
        do throws(Failure) {
            totalBytes = try progress.waitForHead()
        } catch {
            close(reader)
            throw error
        }
        descriptor = reader
        self.progress = progress
    }

    /// Why the body is not whole; nil when it is. Waits until the transfer has ended, so it is to be asked once the
    /// reader has met the end.
    public func failure() -> Failure? { progress.waitForEnd() }

    /// The same as far as it is known by now.
    public var knownFailure: Failure? { progress.endSoFar }
}

/// How far a download is, between its thread and the reader's.
private final class DownloadProgress: @unchecked Sendable {
    // All of it under the condition's lock.
    private let condition = NSCondition()
    private var head: Int64??
    private var end: Failure??

    /// The head is whole; `length`: what it announces.
    func headCame(length: Int64?) {
        condition.lock()
        if head == nil { head = .some(length) }
        condition.broadcast()
        condition.unlock()
    }

    func ended(_ failure: Failure?) {
        condition.lock()
        end = .some(failure)
        condition.broadcast()
        condition.unlock()
    }

    func waitForHead() throws(Failure) -> Int64? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let head { return head }
            if let end {
                if let end { throw end }
                return nil
            }
            condition.wait()
        }
    }

    var endSoFar: Failure? {
        condition.lock()
        defer { condition.unlock() }
        return end ?? nil
    }

    func waitForEnd() -> Failure? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let end { return end }
            condition.wait()
        }
    }
}

/// The transfer of a download, on its thread.
private final class DownloadTransfer: @unchecked Sendable {
    private let easy: UnsafeMutableRawPointer
    private let address: WebAddress
    private let limits: FetchLimits
    private let sink: Int32
    private let progress: DownloadProgress
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headerList: UnsafeMutablePointer<curl_slist>?
    // Used by the thread alone.
    private var head = ResponseHead()
    private var hasBegun = false
    private var problem: Failure?
    private var bytes = 0

    private static let isCurlReady = ccurl_start()

    init(
        _ address: WebAddress, limits: FetchLimits, maximumRedirects: Int, sink: Int32, progress: DownloadProgress
    ) throws(Failure) {
        guard Self.isCurlReady, let easy = curl_easy_init() else { throw Failure.outOfMemory }
        self.easy = easy
        self.address = address
        self.limits = limits
        self.sink = sink
        self.progress = progress
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try setOptions(maximumRedirects)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    private func setOptions(_ maximumRedirects: Int) throws(Failure) {
        let isSecure = address.url.lowercased().hasPrefix("https:")
        let stall = max(1, Int(limits.stallTimeout.milliseconds + 999) / 1000)
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, maximumRedirects), (CURLOPT_TCP_KEEPALIVE, 1),
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
            (CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(1, min(limits.connectTimeout.milliseconds, 1 << 30)))),
            (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, stall), (CURLOPT_BUFFERSIZE, 1 << 17),
        ]
        let texts = [
            (CURLOPT_URL, address.url), (CURLOPT_PROTOCOLS_STR, "http,https"),
            (CURLOPT_REDIR_PROTOCOLS_STR, isSecure ? "https" : "http,https"), (CURLOPT_USERAGENT, limits.userAgent),
            // Empty texts keep the environment's proxies and exceptions out.
            (CURLOPT_PROXY, ""), (CURLOPT_NOPROXY, ""),
        ]
        var isSet = numbers.allSatisfy { ccurl_set_long(easy, $0.0, $0.1) == CURLE_OK }
        isSet = texts.allSatisfy { ccurl_set_string(easy, $0.0, $0.1) == CURLE_OK } && isSet
        headerList = curl_slist_append(nil, "Accept-Encoding: identity")
        isSet = ccurl_set_list(easy, CURLOPT_HTTPHEADER, headerList) == CURLE_OK && isSet
        isSet = ccurl_set_error_buffer(easy, errorText) == CURLE_OK && isSet
        let context = Unmanaged.passUnretained(self).toOpaque()
        let headerSink = ccurl_set_header_sink(
            easy,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let transfer = Unmanaged<DownloadTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, context)
        let bodySink = ccurl_set_body_sink(
            easy,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let transfer = Unmanaged<DownloadTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, context)
        guard isSet, headerList != nil, headerSink == CURLE_OK, bodySink == CURLE_OK else {
            throw Failure(.ours, "curl_setup", "libcurl refused a setting")
        }
    }

    /// Carries the transfer out, tells its end, and closes the sink.
    func run() {
        let code = curl_easy_perform(easy)
        progress.ended(outcome(code))
        close(sink)
    }

    private func takeHeader(_ line: UnsafeRawBufferPointer) -> Int {
        head.take(line)
        guard head.byteCount <= limits.maximumHeaderBytes else {
            problem = Failure(
                .server, "too_large", "\(address.authority) sent headers above \(limits.maximumHeaderBytes) bytes")
            return 0
        }
        return line.count
    }

    private func takeBody(_ piece: UnsafeRawBufferPointer) -> Int {
        if !hasBegun {
            hasBegun = true
            guard isWanted else { return 0 }
            let coding = (head.fields["content-encoding"] ?? "").lowercased()
            // gzip is undone by whoever reads the table.
            guard ["", "identity", "gzip", "x-gzip"].contains(coding) else {
                problem = Failure(.server, "bad_encoding", "\(address.authority) sent an unknown content coding")
                return 0
            }
            progress.headCame(length: head.fields["content-length"].flatMap { Int64($0) })
        }
        var sent = 0
        while sent < piece.count {
            let more = send(sink, piece.baseAddress.map { $0 + sent }, piece.count - sent, Int32(MSG_NOSIGNAL))
            if more < 0 && errno == EINTR { continue }
            guard more > 0 else {
                problem = Failure(.ours, "cancelled", "nobody reads the download of \(address.authority) any more")
                return 0
            }
            sent += more
        }
        bytes += piece.count
        return piece.count
    }

    private var status: Int { ccurl_get_long(easy, CURLINFO_RESPONSE_CODE) }

    /// Whether the status promises the body that was asked for.
    private var isWanted: Bool { status == 200 || status == 203 }

    private func outcome(_ code: CURLcode) -> Failure? {
        if let problem { return problem }
        if code == CURLE_UNSUPPORTED_PROTOCOL, (300...399).contains(status) {
            return Failure(
                .server, "insecure_redirect",
                "\(address.authority) redirects to something other than \(address.url.prefix { $0 != ":" })",
                status: status)
        }
        if head.isComplete, status >= 200, !isWanted, code != CURLE_TOO_MANY_REDIRECTS {
            return Failure(
                status == 401 || status == 407 ? .operator : .server, "http_\(status)",
                "\(address.authority) answered \(status)", status: status)
        }
        switch code {
        case CURLE_OK:
            guard head.isComplete, isWanted else {
                return Failure(
                    .network, "cut_short", "the answer of \(address.authority) ended within its headers",
                    status: status == 0 ? nil : status)
            }
            return nil
        case CURLE_TOO_MANY_REDIRECTS:
            return Failure(.server, "bad_redirect", "\(address.authority) redirects too often")
        case CURLE_PARTIAL_FILE:
            return Failure(
                .network, "cut_short",
                "the answer of \(address.authority) ended after \(bytes) of the bytes it announced", status: status)
        case CURLE_OPERATION_TIMEDOUT where isConnected:
            return Failure(
                .network, "stalled", "\(address.authority) sent nothing for \(limits.stallTimeout.compact)")
        default:
            let words = String(cString: errorText)
            let translation = CurlFailure(
                authority: address.authority, usesProxy: false, limits: limits, isConnected: isConnected,
                connectStatus: 0,
                systemError: Int32(truncatingIfNeeded: ccurl_get_long(easy, CURLINFO_OS_ERRNO)),
                tlsDetail: HeaderText.isSendable(words) ? words : "")
            return translation.failure(code)
        }
    }

    private var isConnected: Bool { ccurl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) > 0 }
}
