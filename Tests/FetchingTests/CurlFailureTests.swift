import CCurl
import Model
import Testing

@testable import Fetching

@Suite struct CurlFailureTests {
    private func failure(_ code: UInt32) -> Failure {
        let translation = CurlFailure(
            authority: "example.org:443", usesProxy: false, limits: FetchLimits(), isConnected: true, connectStatus: 0,
            systemError: 0, tlsDetail: "")
        return translation.failure(CURLcode(rawValue: code))
    }

    /// A poll is postponed for ever while the fault is ours.
    @Test(
        arguments: [
            (2, .ours), (42, .ours), (45, .ours), (93, .ours), (99, .ours), (9, .network), (23, .network),
            (65, .network), (94, .network), (95, .network), (96, .network), (100, .network), (9999, .network),
        ] as [(UInt32, Failure.Fault)]) func codesWithoutANameAreTheNetworks(code: UInt32, fault: Failure.Fault)
    {
        #expect(failure(code).fault == fault)
        #expect(failure(code).code == "curl_\(code)")
        #expect(failure(code).isTransient)
    }

    @Test func namedCodesKeepTheirNames() {
        #expect(failure(CURLE_OUT_OF_MEMORY.rawValue).fault == .ours)
        #expect(failure(CURLE_HTTP2.rawValue).code == "reset")
        #expect(failure(CURLE_URL_MALFORMAT.rawValue).isUnsent)
    }
}
