extension Failure {
    /// The program's own failure codes. `docs/fetching.md` lists the codes of fetches.
    ///
    /// Formats, readers and geocoding services have further codes (`not_cap`), as have HTTP statuses (`http_503`).
    public enum Code: String, Sendable {
        // MARK: Network

        /// The host's name could not be looked up.
        case nameNotFound = "name_not_found"
        /// The server refused the connection.
        case connectionRefused = "connection_refused"
        /// There is no route to the server.
        case unreachable
        /// The connection failed for another reason.
        case connect
        /// The connect time-out passed.
        case connectTimeout = "connect_timeout"
        /// No byte arrived within the stall time-out.
        case stalled
        /// The fetch exceeded its total time-out.
        case timeout
        /// No trusted TLS connection could be made.
        case tls
        /// The connection broke. With fault `ours`: the source's state is being reset.
        case reset
        /// A reused connection ended before the first byte of an answer. The server probably closed it while the
        /// request was on its way, so the request may be sent once more (RFC 9110 §9.2.2).
        case connectionLost = "connection_lost"
        /// The proxy could not be used.
        case proxy
        /// The answer ended early, or a file changed while it was read.
        case cutShort = "cut_short"
        /// A redirect or an index led to an address that is not public.
        case refusedAddress = "refused_address"
        /// The server ended the stream.
        case streamEnded = "stream_ended"

        // MARK: Server

        /// Status 304 in answer to an unconditional request.
        case unexpected304 = "unexpected_304"
        /// Status 304 from a geocoding service.
        case notModified = "not_modified"
        /// A redirect without a usable target, or too many redirects of a download.
        case badRedirect = "bad_redirect"
        /// A download was redirected from https to something else.
        case insecureRedirect = "insecure_redirect"
        /// A redirect of a request with a body.
        case redirectedPost = "redirected_post"
        /// A redirect from a geocoding service.
        case redirected
        /// More redirects than `maximum_redirects` allows.
        case tooManyRedirects = "too_many_redirects"
        /// A content coding that is unknown or broken.
        case badEncoding = "bad_encoding"
        /// The headers, the body or the file exceed their limit.
        case tooLarge = "too_large"
        /// The answer is not HTTP.
        case notHTTP = "not_http"
        /// The host asked for a longer pause than a request waits in its queue.
        case hostWaiting = "host_waiting"
        /// The quota of a geocoding service is used up.
        case quotaExceeded = "quota_exceeded"

        // MARK: Feed

        /// A line of a stream exceeds its limit.
        case lineTooLong = "line_too_long"

        // MARK: Operator

        /// The URL cannot be used.
        case badURL = "bad_url"
        /// A request header holds characters that cannot be sent.
        case badHeader = "bad_header"
        /// The file with the certificate authorities cannot be read.
        case caFile = "ca_file"
        /// The file does not exist.
        case fileNotFound = "file_not_found"
        /// The path leads to something other than a regular file: a folder, a FIFO, a device.
        case notAFile = "not_a_file"
        /// The file cannot be read.
        case fileUnreadable = "file_unreadable"
        /// The proxy refused the credentials.
        case proxyRefused = "proxy_refused"
        /// A secret cannot be read, or none is configured.
        case secret
        /// The source has no request to make, because a setting is missing.
        case nothingToAsk = "nothing_to_ask"
        /// The month's cap of paid reads is reached.
        case spendCap = "spend_cap"
        /// The source is no longer configured, or the configuration is not in force.
        case notConfigured = "not_configured"

        // MARK: Ours

        /// The caller cancelled the fetch.
        case cancelled
        /// The fetcher was shut down.
        case shutDown = "shut_down"
        /// No file descriptor is free.
        case noDescriptors = "no_descriptors"
        /// An allocation failed.
        case outOfMemory = "out_of_memory"
        /// libcurl refused an option.
        case curlSetup = "curl_setup"
        /// A stream arrived where a document was requested.
        case stream
        /// The geocoding service is not configured.
        case noService = "no_service"
        /// The store cannot be written.
        case store
        /// The store rejected the events of the source.
        case storeRefuses = "store_refuses"
        /// Too little disk space for paid reads.
        case lowDisk = "low_disk"
        /// Too little disk space for polls.
        case diskFull = "disk_full"
        /// The program is stopping.
        case stopping
        /// The source was edited, removed or reset while its stream was open.
        case leaving
        /// The configuration was edited during the poll.
        case edited
    }
}
