extension Failure {
    /// The program's own failure codes; the raw value is `Failure.code`. `docs/fetching.md` lists the codes of fetches.
    ///
    /// Unless a case says otherwise, the fault is `network` up to `streamEnded`, `server` up to `quotaExceeded`, `feed`
    /// for `lineTooLong` and `tooSlow`, `operator` up to `notConfigured`, and `ours` for the rest. Formats, readers and geocoding
    /// services have further codes (`not_cap`), as have HTTP statuses (`http_503`).
    public enum Code: String, Sendable, CaseIterable {
        // MARK: Network

        /// The host's name could not be looked up; nothing was sent.
        case nameNotFound = "name_not_found"
        /// The server, or the proxy, refused the connection; nothing was sent.
        case connectionRefused = "connection_refused"
        /// There is no route to the server's address.
        case unreachable
        /// The connection failed for a reason without a code of its own; nothing was sent.
        case connect
        /// The connection, with name look-up and TLS, was not made within the connect time-out (`connect_timeout`).
        case connectTimeout = "connect_timeout"
        /// No byte arrived within the stall time-out (`stall_timeout`); of a stream within `StreamTerms.silence`.
        case stalled
        /// The fetch, or a request to a geocoding service, exceeded its total time-out.
        case timeout
        /// No trusted TLS connection could be made, for instance because the certificate is not trusted.
        case tls
        /// The connection broke, or ended without an answer. With fault `ours`: the source's state is being reset.
        case reset
        /// A reused connection ended before the first byte of an answer. The server probably closed it while the
        /// request was on its way, so the request may be sent once more (RFC 9110 §9.2.2).
        case connectionLost = "connection_lost"
        /// The proxy was not found, does not speak its protocol, or refused the connection to the host.
        case proxy
        /// The answer ended early, or a local file changed while it was read.
        case cutShort = "cut_short"
        /// A redirect or an index of another host led to an address that is not public. The fault is `network` if the
        /// host's name has that address, `feed` if the URL itself names it.
        case refusedAddress = "refused_address"
        /// A stream ended without an error, by the server or after this side closed it. In the latter case the engine
        /// records its own reason.
        case streamEnded = "stream_ended"

        // MARK: Server

        /// Status 304 in answer to an unconditional request.
        case unexpected304 = "unexpected_304"
        /// Status 304 from a geocoding service, which was not asked conditionally.
        case notModified = "not_modified"
        /// A redirect without a Location or to something other than http or https, or too many redirects of a download.
        case badRedirect = "bad_redirect"
        /// A download was redirected from https to something else; it is not followed.
        case insecureRedirect = "insecure_redirect"
        /// A redirect of a request with a body; it is not followed.
        case redirectedPost = "redirected_post"
        /// A redirect from a geocoding service; it is not followed.
        case redirected
        /// More redirects in a row than `maximum_redirects` (default 5) allows.
        case tooManyRedirects = "too_many_redirects"
        /// A content coding that is unknown or broken.
        case badEncoding = "bad_encoding"
        /// The headers, the body or the file exceed their limit (`maximum_transfer`, `maximum_body`). The fault of a
        /// file is `operator`.
        case tooLarge = "too_large"
        /// The server sent something other than HTTP, such as bytes without a status line; fault `server`, transient.
        case notHTTP = "not_http"
        /// The host asked for a longer pause than a request waits in its queue; `Failure.retryAfter` has its end.
        case hostWaiting = "host_waiting"
        /// The quota of a geocoding service is used up, by the service's own word.
        case quotaExceeded = "quota_exceeded"

        // MARK: Feed

        /// A batch of a stream holds nothing but lines above `StreamTerms.longestLine`, which are skipped.
        case lineTooLong = "line_too_long"
        /// The decoding of a document took more CPU time than allowed; nothing of it is kept.
        case tooSlow = "too_slow"

        // MARK: Operator

        /// The URL cannot be used: it is not absolute, names a user, or its scheme is not allowed.
        case badURL = "bad_url"
        /// A request header holds characters that cannot be sent; nothing is sent.
        case badHeader = "bad_header"
        /// The file with the certificate authorities cannot be read or is no regular file.
        case caFile = "ca_file"
        /// The local file of a `file` URL does not exist.
        case fileNotFound = "file_not_found"
        /// The path leads to something other than a regular file: a folder, a FIFO, a device.
        case notAFile = "not_a_file"
        /// The file cannot be opened or read, for instance without permission.
        case fileUnreadable = "file_unreadable"
        /// The proxy refused the credentials.
        case proxyRefused = "proxy_refused"
        /// A secret cannot be read, or none is configured.
        case secret
        /// The source has no request to make, because a setting is missing; the message names it.
        case nothingToAsk = "nothing_to_ask"
        /// The month's cap of paid reads (`monthly_cap`) is reached; the source is asked again in the next month (UTC).
        case spendCap = "spend_cap"
        /// The source has used up its budget of rows or bytes, so new events wait and nothing is read that costs money.
        case overBudget = "over_budget"
        /// The source is no longer configured, or the configuration is not in force.
        case notConfigured = "not_configured"

        // MARK: Ours

        /// The caller cancelled the fetch.
        case cancelled
        /// The fetcher was shut down before or during the request.
        case shutDown = "shut_down"
        /// No file descriptor is free for a connection or a file.
        case noDescriptors = "no_descriptors"
        /// An allocation for the request or its body failed.
        case outOfMemory = "out_of_memory"
        /// libcurl refused an option; nothing is sent.
        case curlSetup = "curl_setup"
        /// A stream arrived where a document was requested; it is closed.
        case stream
        /// The geocoding service that is to be asked is not configured.
        case noService = "no_service"
        /// Nothing can be stored at present, so no poll is made; the message has the reason.
        case store
        /// The store rejected the events of the source for good; the reason is in the message. The source backs off.
        case storeRefuses = "store_refuses"
        /// Less free disk space than twice `disk.minimum_free`, so no paid read is made.
        case lowDisk = "low_disk"
        /// Less free disk space than `disk.minimum_free`; polls pause until an eighth more is free.
        case diskFull = "disk_full"
        /// The program is stopping; the request or the reset is not completed.
        case stopping
        /// The source was edited, removed or reset while its stream was open.
        case leaving
        /// The configuration was edited during the poll; the poll is given up and may be asked for again.
        case edited
    }
}
