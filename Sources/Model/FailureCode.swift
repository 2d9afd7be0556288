extension Failure {
    /// The program's own words for what went wrong; `docs/fetching.md` has a table of those of fetches.
    ///
    /// Formats, readers and geocoding services have further words (`not_cap`), and so have statuses (`http_503`).
    public enum Code: String, Sendable {
        // MARK: Network

        /// A name could not be looked up.
        case nameNotFound = "name_not_found"
        /// The server's machine refused the connection.
        case connectionRefused = "connection_refused"
        /// There is no route to the server.
        case unreachable
        /// No connection could be made, for another reason.
        case connect
        /// No connection was made in time.
        case connectTimeout = "connect_timeout"
        /// Nothing came for too long.
        case stalled
        /// The whole fetch took too long.
        case timeout
        /// No trusted TLS connection was made.
        case tls
        /// The connection broke. Of fault `ours`: the source's state is being forgotten.
        case reset
        /// A connection kept from an earlier request ended before any byte of an answer: the server has probably closed
        /// it while the request was on its way, so the same may be asked once more (RFC 9110 §9.2.2).
        case connectionLost = "connection_lost"
        /// The proxy could not be used.
        case proxy
        /// The answer ended early.
        case cutShort = "cut_short"
        /// Another host leads to an address that is not public.
        case refusedAddress = "refused_address"
        /// The server has ended the stream.
        case streamEnded = "stream_ended"

        // MARK: Server

        /// 304 to an unconditional request.
        case unexpected304 = "unexpected_304"
        /// The same from a geocoding service.
        case notModified = "not_modified"
        /// A redirect without a usable target, or one too many of a download.
        case badRedirect = "bad_redirect"
        /// A redirect of a download from https to http.
        case insecureRedirect = "insecure_redirect"
        /// A redirect of a request that posts something.
        case redirectedPost = "redirected_post"
        /// A redirect by a geocoding service.
        case redirected
        /// More redirects than allowed.
        case tooManyRedirects = "too_many_redirects"
        /// An encoding that is unknown or broken.
        case badEncoding = "bad_encoding"
        /// Larger than allowed.
        case tooLarge = "too_large"
        /// Not HTTP.
        case notHTTP = "not_http"
        /// The host has asked to be left alone for longer than a request waits.
        case hostWaiting = "host_waiting"
        /// A service's limit is used up.
        case quotaExceeded = "quota_exceeded"

        // MARK: Feed

        /// A line of a stream is longer than allowed.
        case lineTooLong = "line_too_long"

        // MARK: Operator

        /// The URL cannot be used.
        case badURL = "bad_url"
        /// A request header cannot be sent.
        case badHeader = "bad_header"
        /// The file of certificate authorities cannot be used.
        case caFile = "ca_file"
        /// There is no such file.
        case fileNotFound = "file_not_found"
        /// The path names no regular file: a folder, a FIFO, a device.
        case notAFile = "not_a_file"
        /// The file cannot be read.
        case fileUnreadable = "file_unreadable"
        /// The proxy refuses the credentials.
        case proxyRefused = "proxy_refused"
        /// A secret cannot be read, or none is configured.
        case secret
        /// The source lacks what it asks with.
        case nothingToAsk = "nothing_to_ask"
        /// The month's paid reads are used up.
        case spendCap = "spend_cap"
        /// The source, or the configuration, is not in force.
        case notConfigured = "not_configured"

        // MARK: Ours

        /// The caller gave up.
        case cancelled
        /// The fetcher has been shut down.
        case shutDown = "shut_down"
        /// No descriptor is left.
        case noDescriptors = "no_descriptors"
        /// Memory is short.
        case outOfMemory = "out_of_memory"
        /// libcurl refused a setting.
        case curlSetup = "curl_setup"
        /// A stream came that was not asked for.
        case stream
        /// The geocoding service is not configured.
        case noService = "no_service"
        /// Nothing can be stored.
        case store
        /// The store refuses what a source has brought.
        case storeRefuses = "store_refuses"
        /// There is too little room on the disk for paid reads.
        case lowDisk = "low_disk"
        /// There is too little room on the disk for polls.
        case diskFull = "disk_full"
        /// The program stops.
        case stopping
        /// The source is edited, removed or reset while its stream is open.
        case leaving
        /// The source is edited.
        case edited
    }
}
