import CCurl
import Foundation
import Model

extension Failure {
    /// The caller cancelled the fetch.
    static let cancelled = Failure(.ours, .cancelled, "the fetch was cancelled")
    /// The fetcher was shut down.
    static let shutDown = Failure(.ours, .shutDown, "the fetcher has been shut down")
    /// An allocation failed.
    static let outOfMemory = Failure(.ours, .outOfMemory, "memory is short")

    /// A kept connection ended without an answer, and libcurl was about to repeat the request.
    static func lostConnection(_ authority: String) -> Failure {
        Failure(.network, .connectionLost, "\(authority) ended the connection in place of an answer")
    }

    /// The URL itself names an address that is not allowed, so the failure is permanent.
    static func refusedHost(_ address: WebAddress, _ zone: AddressZone) -> Failure {
        Failure(
            .feed, .refusedAddress,
            "another host leads to \(address.authority), which is \(zone.words), so it was not asked")
    }

    /// The name has an address that is not allowed, which may change.
    static func refusedAddress(_ authority: String, _ remote: String, _ zone: AddressZone) -> Failure {
        Failure(
            .network, .refusedAddress,
            "another host leads to \(authority), which is at \(remote), \(zone.words), so it was not asked")
    }
}

/// Makes failures of libcurl's result codes (libcurl-errors(3)).
///
/// It has its own messages because libcurl's may contain a whole URL.
struct CurlFailure {
    /// Host and port of the request, for messages.
    var authority: String
    /// Whether the request goes through a proxy.
    var usesProxy: Bool
    /// The limits of the fetch.
    var limits: FetchLimits
    /// Whether the connection was established, so that the request could be sent.
    var isConnected: Bool
    /// The proxy's status for CONNECT; 0 if there was none.
    var connectStatus: Int
    /// errno of the connection attempt; 0 if unknown.
    var systemError: Int32
    /// The TLS library's message, which names no URL.
    var tlsDetail: String

    /// The failure for a result code other than CURLE_OK.
    func failure(_ code: CURLcode) -> Failure {
        let target = usesProxy ? "the proxy for \(authority)" : authority
        if connectStatus >= 300 {
            let message = "the proxy refused the connection to \(authority) with status \(connectStatus)"
            return connectStatus == 407
                ? Failure(.operator, .proxyRefused, message) : Failure(.network, .proxy, message)
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
            return connecting(code, target)
        case CURLE_OPERATION_TIMEDOUT:
            return isConnected
                ? Failure(.network, .timeout, "\(authority) took longer than \(limits.totalTimeout.compact) to answer")
                : Failure(.network, .connectTimeout, "no connection to \(target) was made in time")
        case CURLE_PROXY:
            return Failure(.network, .proxy, "the proxy for \(authority) does not speak its protocol")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            let detail = tlsDetail.isEmpty ? "" : ": \(tlsDetail)"
            return Failure(.network, .tls, "no trusted TLS connection to \(authority)\(detail)")
        case CURLE_SSL_CACERT_BADFILE:
            return Failure(.operator, .caFile, "the file of certificate authorities for \(authority) cannot be read")
        case CURLE_PARTIAL_FILE:
            return Failure(.network, .cutShort, "the answer of \(authority) ended early")
        case CURLE_GOT_NOTHING:
            return Failure(.network, .reset, "\(authority) closed the connection without an answer")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return Failure(.network, .reset, "the connection to \(authority) broke")
        case CURLE_BAD_CONTENT_ENCODING:
            return Failure(.server, .badEncoding, "the answer of \(authority) is compressed wrongly")
        // A head whose first line is folded is a bad argument of libcurl's own.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT:
            return Failure(.server, .notHTTP, "\(authority) does not answer in HTTP")
        case CURLE_URL_MALFORMAT:
            return Failure(.operator, .badURL, "the URL at \(authority) cannot be used")
        case CURLE_OUT_OF_MEMORY:
            return .outOfMemory
        default:
            return Failure(
                Self.isOurs(code) ? .ours : .network, "curl_\(code.rawValue)",
                "\(authority): \(String(cString: curl_easy_strerror(code)))")
        }
    }

    /// Whether only this program or machine can be the cause. Such a failure postpones the poll for as long as it
    /// lasts; any other has its source back off.
    private static func isOurs(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_READ_ERROR, CURLE_ABORTED_BY_CALLBACK,
            CURLE_INTERFACE_FAILED, CURLE_UNKNOWN_OPTION, CURLE_SETOPT_OPTION_SYNTAX, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_NO_CONNECTION_AVAILABLE,
            CURLE_RECURSIVE_API_CALL, CURLE_UNRECOVERABLE_POLL:
            true
        default: false
        }
    }

    private func connecting(_ code: CURLcode, _ target: String) -> Failure {
        if DescriptorReserve.isReached(for: .request) {
            return Failure(.ours, .noDescriptors, "no descriptor is left for a connection to \(target)")
        }
        switch (code, systemError) {
        case (CURLE_COULDNT_RESOLVE_HOST, _):
            let host = authority.prefix { $0 != ":" }
            return Failure(.network, .nameNotFound, "the name \(host) could not be looked up")
        case (CURLE_COULDNT_RESOLVE_PROXY, _):
            return Failure(.network, .proxy, "the name of the proxy for \(authority) could not be looked up")
        case (_, ECONNREFUSED):
            return Failure(.network, .connectionRefused, "\(target) refused the connection")
        case (_, ENETUNREACH), (_, EHOSTUNREACH):
            return Failure(.network, .unreachable, "there is no route to \(target)")
        case (_, ETIMEDOUT):
            return Failure(.network, .connectTimeout, "no connection to \(target) was made in time")
        default:
            return Failure(.network, .connect, "no connection to \(target) could be made")
        }
    }
}
