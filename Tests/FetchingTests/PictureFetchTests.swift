import Fetching
import Foundation
import Model
import Testing

@Suite(.timeLimit(.minutes(60)))
struct PictureFetchTests {
    /// A redirect of a source may stay in the zone of its configured host; a picture may not.
    @Test func aPictureReachesPublicAddressesOnlyWhateverItsHome() async throws {
        let server = try RawServer(reply: reply(200, body: Array("picture".utf8)))
        defer { server.stop() }
        var request = FetchRequest(url: server.url("/"), home: server.url("/"))
        _ = try await makeFetcher().fetch(request)
        #expect(server.requests.count == 1)
        request.reachesPublicOnly = true
        for url in [server.url("/"), "http://192.168.0.7/a.png", "http://[fd00::1]/a.png", "http://169.254.169.254/"] {
            request.url = url
            #expect(try await makeFetcher().failure(request)?.code == "refused_address")
        }
        #expect(server.requests.count == 1)
    }

    @Test func aRequestMayLimitItsBody() async throws {
        let server = try RawServer(reply: reply(200, body: [UInt8](repeating: 1, count: 101)))
        defer { server.stop() }
        var request = FetchRequest(url: server.url("/"))
        request.maximumBytes = 101
        _ = try await makeFetcher().fetch(request)
        request.maximumBytes = 100
        #expect(try await makeFetcher().failure(request)?.code == "too_large")
    }

    @Test func compressedBytesCountUnpacked() async throws {
        let bytes = Array(try #require(Data(base64Encoded: FetchLimitTests.bomb)))
        let server = try RawServer(reply: reply(200, ["Content-Encoding: gzip"], body: bytes))
        defer { server.stop() }
        var request = FetchRequest(url: server.url("/"))
        request.maximumBytes = 199_999
        #expect(try await makeFetcher().failure(request)?.code == "too_large")
    }
}
