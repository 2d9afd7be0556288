import CCurl
import Foundation
import Model

private let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

extension Transfer {
    /// Makes the list of request headers, of a mail that of its recipient, which `finishSettings` passes to libcurl.
    func setHeaders() throws(Failure) {
        let request = exchange.request
        if let mail = request.mail {
            headerList = curl_slist_append(nil, mail.to.description)
            return
        }
        var own: [(name: String, value: String)] = [("Expect", "")]
        if let etag = request.validators.etag { own.append(("If-None-Match", etag)) }
        if let date = request.validators.lastModified { own.append(("If-Modified-Since", date)) }
        if let authorization = request.authorization { own.append(("Authorization", authorization.value)) }
        var ownNames = Set(own.map { $0.name.lowercased() })
        if request.isHeldOpen { ownNames.insert("accept-encoding") }
        if request.json != nil { ownNames.insert("content-type") }
        let theirs = request.headers.sorted { $0.key < $1.key }.filter { !ownNames.contains($0.key.lowercased()) }
        if request.isHeldOpen {
            // A compressor could hold a line back until later ones come, and large tables are packed files.
            own.append(("Accept-Encoding", "identity"))
        } else if !theirs.contains(where: { $0.key.lowercased() == "accept-encoding" }) {
            own.append(("Accept-Encoding", ContentDecoder.accepted))
        }
        if request.json != nil { own.append(("Content-Type", "application/json")) }
        for (name, value) in theirs {
            // A semicolon sends an empty value; with a colon libcurl would drop the header.
            try add(name, value, separator: value.isEmpty ? ";" : ": ")
        }
        for (name, value) in own { try add(name, value, separator: value.isEmpty ? ":" : ": ") }
    }

    func setOptions() {
        let request = exchange.request
        set(CURLOPT_URL, address.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_USERAGENT, limits.userAgent)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a hanging look-up would have to end before the handle can be freed.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(limits.connectTimeout))
        // An empty text disables the environment's proxies and exceptions.
        set(CURLOPT_PROXY, request.proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        if !request.isHeldOpen {
            set(CURLOPT_TIMEOUT_MS, Self.milliseconds(limits.totalTimeout))
            set(CURLOPT_MAXFILESIZE_LARGE, offset: Int64(limits.maximumTransferBytes))
        } else {
            // With HTTP/2, libcurl would accept up to 32 MiB for a reader without room. Its own connection delays no
            // others.
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            set(CURLOPT_FRESH_CONNECT, 1)
            set(CURLOPT_FORBID_REUSE, 1)
        }
        if request.needsNewConnection { set(CURLOPT_FRESH_CONNECT, 1) }
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
        if let mail = request.mail { setMail(mail) }
    }

    private func setMail(_ mail: Mail) {
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        set(CURLOPT_USE_SSL, Int(mail.requiresTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_NONE.rawValue))
        set(CURLOPT_FORBID_REUSE, 1)
        set(CURLOPT_UPLOAD, 1)
        set(CURLOPT_MAIL_FROM, mail.from.description)
        set(CURLOPT_USERNAME, mail.user)
        set(CURLOPT_PASSWORD, mail.password?.value)
        let source = ccurl_set_source(
            easy,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            }, Unmanaged.passUnretained(self).toOpaque())
        isSet = source == CURLE_OK && isSet
    }

    /// `finishSettings` reports a setting that libcurl refuses.
    private func set(_ option: CURLoption, _ value: Int) {
        isSet = ccurl_set_long(easy, option, value) == CURLE_OK && isSet
    }

    private func set(_ option: CURLoption, _ text: String?) {
        isSet = ccurl_set_string(easy, option, text) == CURLE_OK && isSet
    }

    private func set(_ option: CURLoption, offset: Int64) {
        isSet = ccurl_set_offset(easy, option, offset) == CURLE_OK && isSet
    }

    /// Adds a request header. With an empty value the separator `:` removes the header, `;` sends it empty.
    private func add(_ name: String, _ value: String, separator: String = ": ") throws(Failure) {
        guard HeaderText.isName(name), HeaderText.isSendable(value) else {
            throw Failure(.operator, .badHeader, "the request header \(name) holds characters that cannot be sent")
        }
        let line = Array((name + separator).utf8) + HeaderText.bytes(value) + [0]
        guard let longer = curl_slist_append(headerList, line.map { CChar(truncatingIfNeeded: $0) }) else {
            throw Failure.outOfMemory
        }
        headerList = longer
    }

    /// Sets libcurl's callbacks.
    /// - Throws: `Failure` with fault `ours` if libcurl has refused a setting.
    func finishSettings() throws(Failure) {
        let list = ccurl_set_list(
            easy, exchange.request.mail == nil ? CURLOPT_HTTPHEADER : CURLOPT_MAIL_RCPT, headerList)
        let words = ccurl_set_error_buffer(easy, errorText)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let headerSink = ccurl_set_header_sink(
            easy,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, context)
        let bodySink = ccurl_set_body_sink(
            easy,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, context)
        let gate = ccurl_set_gate(
            easy,
            { context, remote, _, _, _ in
                guard let context, let remote else { return CURL_PREREQFUNC_ABORT }
                let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.accepts(remote: String(cString: remote)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, context)
        let opener = ccurl_set_opener(
            easy,
            { _, _, address in
                guard let address = address?.pointee else { return CURL_SOCKET_BAD }
                let descriptor = socket(address.family, address.socktype | closeOnExec, address.protocol)
                return DescriptorReserve.keep(descriptor, for: .request) ?? CURL_SOCKET_BAD
            }, nil)
        guard isSet, [list, words, headerSink, bodySink, gate, opener].allSatisfy({ $0 == CURLE_OK }) else {
            throw Failure(.ours, .curlSetup, "libcurl refused a setting")
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(clamping: max(1, min(duration.milliseconds, Int64(Int32.max))))
    }
}
