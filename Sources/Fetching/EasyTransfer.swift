import CCurl
import Foundation
import Model

private let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

/// What all transfers have: libcurl's easy handle with the settings of every request, and the head of the answer.
///
/// A subclass makes its own settings, calls `finishSettings`, and takes the body.
class EasyTransfer {
    /// libcurl's handle; to be taken off a multi handle before the transfer goes.
    let easy: UnsafeMutableRawPointer
    let address: WebAddress
    let limits: FetchLimits
    /// The answer's head as far as it has come.
    private(set) var head = ResponseHead()
    /// Why this side ended the transfer.
    var problem: Failure?

    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var isSet = true

    init(_ address: WebAddress, limits: FetchLimits) throws(Failure) {
        guard let easy = curl_easy_init() else { throw Failure.outOfMemory }
        self.easy = easy
        self.address = address
        self.limits = limits
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_URL, address.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_USERAGENT, limits.userAgent)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a look-up that hangs would have to end before the handle can go.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(limits.connectTimeout))
        // An empty text keeps the environment's proxies and exceptions out.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    // MARK: Settings

    /// A setting that libcurl refuses is told by `finishSettings`.
    func set(_ option: CURLoption, _ value: Int) { isSet = ccurl_set_long(easy, option, value) == CURLE_OK && isSet }

    func set(_ option: CURLoption, _ text: String?) {
        isSet = ccurl_set_string(easy, option, text) == CURLE_OK && isSet
    }

    func set(_ option: CURLoption, offset: Int64) {
        isSet = ccurl_set_offset(easy, option, offset) == CURLE_OK && isSet
    }

    /// Adds a request header; an empty value is parted from the name by `:` to drop it, by `;` to send it.
    func add(_ name: String, _ value: String, separator: String = ": ") throws(Failure) {
        guard HeaderText.isName(name), HeaderText.isSendable(value) else {
            throw Failure(.operator, "bad_header", "the request header \(name) holds characters that cannot be sent")
        }
        let line = Array((name + separator).utf8) + HeaderText.bytes(value) + [0]
        guard let longer = curl_slist_append(headerList, line.map { CChar(truncatingIfNeeded: $0) }) else {
            throw Failure.outOfMemory
        }
        headerList = longer
    }

    func finishSettings() throws(Failure) {
        let list = ccurl_set_list(easy, CURLOPT_HTTPHEADER, headerList)
        let words = ccurl_set_error_buffer(easy, errorText)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let headerSink = ccurl_set_header_sink(
            easy,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let transfer = Unmanaged<EasyTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, context)
        let bodySink = ccurl_set_body_sink(
            easy,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let transfer = Unmanaged<EasyTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, context)
        let gate = ccurl_set_gate(
            easy,
            { context, remote, _, _, _ in
                guard let context, let remote else { return CURL_PREREQFUNC_ABORT }
                let transfer = Unmanaged<EasyTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.accepts(remote: String(cString: remote)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, context)
        let opener = ccurl_set_opener(
            easy,
            { _, _, address in
                guard let address = address?.pointee else { return CURL_SOCKET_BAD }
                let descriptor = socket(address.family, address.socktype | closeOnExec, address.protocol)
                return DescriptorReserve.keep(descriptor, for: .request) ?? CURL_SOCKET_BAD
            }, context)
        guard isSet, [list, words, headerSink, bodySink, gate, opener].allSatisfy({ $0 == CURLE_OK }) else {
            throw Failure(.ours, "curl_setup", "libcurl refused a setting")
        }
    }

    static func milliseconds(_ duration: Duration) -> Int {
        Int(clamping: max(1, min(duration.milliseconds, Int64(Int32.max))))
    }

    // MARK: Answer

    /// Whether a request may be sent to the address of the peer that is connected, by a new connection or one that was
    /// kept; false ends the transfer before anything of the request is sent. Asked again for each redirect that libcurl
    /// follows, and whenever it repeats a request.
    func accepts(remote: String) -> Bool { true }

    /// Takes a header line; returns how many bytes it took, 0 ends the transfer.
    func takeHeader(_ line: UnsafeRawBufferPointer) -> Int {
        // A trailer is only counted.
        head.take(line)
        guard head.byteCount <= limits.maximumHeaderBytes else {
            problem = Failure(
                .server, "too_large", "\(address.authority) sent headers above \(limits.maximumHeaderBytes) bytes")
            return 0
        }
        return line.count
    }

    /// Takes bytes of the body; returns how many it took, 0 ends the transfer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int { bytes.count }

    /// The status of the answer; 0 before it has come.
    var status: Int { ccurl_get_long(easy, CURLINFO_RESPONSE_CODE) }

    /// Whether the status promises the body that was asked for.
    var isWanted: Bool { status == 200 || status == 203 }

    /// Time from the start until the request could be sent, in microseconds; 0 before.
    var connectTime: Int64 { ccurl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) }

    /// What to say of a server that sends nothing any more.
    var stalled: Failure {
        Failure(.network, "stalled", "\(address.authority) sent nothing for \(limits.stallTimeout.compact)")
    }

    /// The failure for a result code of libcurl's.
    func failure(_ code: CURLcode, usesProxy: Bool) -> Failure {
        let words = String(cString: errorText)
        let translation = CurlFailure(
            authority: address.authority, usesProxy: usesProxy, limits: limits, isConnected: connectTime > 0,
            connectStatus: ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE),
            systemError: Int32(truncatingIfNeeded: ccurl_get_long(easy, CURLINFO_OS_ERRNO)),
            tlsDetail: HeaderText.isSendable(words) ? words : "")
        return translation.failure(code)
    }
}
