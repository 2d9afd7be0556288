import Fetching
import Foundation
import Model

/// 2023-11-14T22:13:20Z, the wall time of all fetchers here.
let testTime = Date(timeIntervalSince1970: 1_700_000_000)

extension FetchLimits {
    /// Limits of time that no test reaches, however busy the machine is.
    static let patient = FetchLimits(
        connectTimeout: .seconds(3600), totalTimeout: .seconds(3600), stallTimeout: .seconds(3600))
}

/// A fetcher with changed limits; those of time are patient.
func makeFetcher(_ change: (inout FetchLimits) -> Void = { _ in }) throws -> Fetcher {
    var limits = FetchLimits.patient
    change(&limits)
    return try Fetcher(limits: limits, now: { testTime })
}

/// An answer with the length of its body; `headers` are lines without line breaks.
func reply(_ status: Int = 200, _ headers: [String] = [], body: [UInt8] = []) -> [UInt8] {
    let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.count)"] + headers
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
}

extension Fetcher {
    /// The failure of a fetch; nil on success.
    func failure(_ request: FetchRequest) async -> Failure? {
        do throws(Failure) {
            _ = try await fetch(request)
            return nil
        } catch {
            return error
        }
    }

    /// The failure of fetching a URL; nil on success.
    func failure(_ url: String) async -> Failure? { await failure(FetchRequest(url: url)) }

    /// The body of an answer; nil for other outcomes.
    func body(_ request: FetchRequest) async throws -> FetchedBody? {
        guard case .body(let body) = try await fetch(request) else { return nil }
        return body
    }

    /// The body of a URL.
    func body(_ url: String) async throws -> FetchedBody? { try await body(FetchRequest(url: url)) }
}
