import Daemon
import Fetching
import Foundation
import Model

/// All bytes of a file, of an http or https URL, or of standard input (`-`); for inputs that fit into memory.
///
/// A URL may redirect five times, but not from https to http.
/// - Throws: `Failure` for a URL, and for more than `limit` bytes; `CocoaError` for a file that cannot be read.
func wholeInput(_ argument: String, limit: Int = 64 << 20) async throws -> Data {
    let scheme = argument.prefix { $0 != ":" }.lowercased()
    if scheme == "http" || scheme == "https" { return try await download(argument, limit: limit) }
    let file =
        try argument == "-" ? FileHandle.standardInput : FileHandle(forReadingFrom: URL(fileURLWithPath: argument))
    var data = Data()
    while let chunk = try file.read(upToCount: 1 << 20), !chunk.isEmpty {
        data.append(chunk)
        guard data.count <= limit else {
            throw Failure(.feed, "too_large", "\(argument) has more than \(limit) bytes")
        }
    }
    return data
}

private func download(_ url: String, limit: Int) async throws -> Data {
    let limits = FetchLimits(
        maximumBodyBytes: limit, maximumTransferBytes: limit, userAgent: "visiventd/\(Version.current)")
    let fetcher = try Fetcher(limits: limits, now: { Date() })
    defer { fetcher.shutdown() }
    var url = url
    for _ in 0...5 {
        switch try await fetcher.fetch(FetchRequest(url: url)) {
        case .body(let body): return body.data
        case .notModified: throw Failure(.server, "http_304", "the server says that nothing has changed, unasked")
        case .redirect(let target, let status, _, _):
            guard !url.lowercased().hasPrefix("https:") || target.lowercased().hasPrefix("https:") else {
                throw Failure(.server, "insecure_redirect", "the server redirects from https to http", status: status)
            }
            url = target
        }
    }
    throw Failure(.server, "too_many_redirects", "the server redirects more than five times")
}
