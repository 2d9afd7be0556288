import CCurl
import Foundation
public import Model

/// A large body on its way: a thread asks for the URL and passes the bytes on through a socket, as fast as the reader
/// takes them and in constant memory.
///
/// There is no limit of size or time, but for the connection and for silence. Up to 5 redirects are followed, none of
/// them from https to http, and none to an address that is not public, unless the first server is in the same zone. Content codings are not asked for, since large tables come packed as files.
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
    public convenience init(_ url: String, limits: FetchLimits) throws(Failure) {
        try self.init(url, limits: limits, home: nil)
    }

    /// - Parameter home: where the first server counts as being, for tests, which have but one zone; nil: where it is.
    package init(_ url: String, limits: FetchLimits, home: AddressZone?) throws(Failure) {
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
                address, limits: limits, maximumRedirects: Self.maximumRedirects, home: home, sink: writer,
                progress: progress)
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
private final class DownloadTransfer: EasyTransfer, @unchecked Sendable {
    private let sink: Int32
    private let progress: DownloadProgress
    private var hasBegun = false
    private var bytes = 0
    /// Where the server is that was asked first.
    private var home: AddressZone?
    private var hasAsked = false

    private static let isCurlReady = ccurl_start()

    init(
        _ address: WebAddress, limits: FetchLimits, maximumRedirects: Int, home: AddressZone?, sink: Int32,
        progress: DownloadProgress
    ) throws(Failure) {
        guard Self.isCurlReady else { throw Failure.outOfMemory }
        self.home = home
        self.sink = sink
        self.progress = progress
        try super.init(address, limits: limits)
        let isSecure = address.url.lowercased().hasPrefix("https:")
        set(CURLOPT_FOLLOWLOCATION, 1)
        set(CURLOPT_MAXREDIRS, maximumRedirects)
        set(CURLOPT_REDIR_PROTOCOLS_STR, isSecure ? "https" : "http,https")
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, max(1, Int(limits.stallTimeout.milliseconds + 999) / 1000))
        set(CURLOPT_BUFFERSIZE, 1 << 17)
        try add("Accept-Encoding", "identity")
        try finishSettings()
    }

    /// Carries the transfer out, tells its end, and closes the sink.
    func run() {
        let code = curl_easy_perform(easy)
        progress.ended(outcome(code))
        close(sink)
    }

    override func accepts(remote: String) -> Bool {
        let zone = AddressZone(remote) ?? .special
        defer { hasAsked = true }
        if !hasAsked { home = home ?? zone }
        guard hasAsked, zone != .open, zone != home else { return true }
        problem = Failure(
            .server, Failure.refusedAddressCode,
            "\(address.authority) redirects to \(remote), \(zone.words), which was not asked", status: status)
        return false
    }

    override func takeBody(_ piece: UnsafeRawBufferPointer) -> Int {
        if !hasBegun {
            hasBegun = true
            guard isWanted else { return 0 }
            // gzip is undone by whoever reads the table.
            guard [nil, "gzip", "x-gzip"].contains(head.contentCoding) else {
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
        case CURLE_OPERATION_TIMEDOUT where connectTime > 0: return stalled
        default: return failure(code, usesProxy: false)
        }
    }
}
