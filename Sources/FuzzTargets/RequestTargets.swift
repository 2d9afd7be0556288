import Foundation
import Model
import Serving
import Settings
import Store
import TestSupport

extension FuzzTarget {
    /// Targets for requests of the read API.
    static let requests: [FuzzTarget] = [
        FuzzTarget("event-ids", seeds: []) { data in
            let id = String(decoding: data, as: UTF8.self)
            try checkStream(query: nil, headers: ["last-event-id": id])
        },
        FuzzTarget("stream-queries", seeds: []) { data in
            let query = String(decoding: data, as: UTF8.self)
            try checkStream(query: query, headers: [:])
            try checkPage(query)
        },
        FuzzTarget("hosts", seeds: []) { data in try checkHost(String(decoding: data, as: UTF8.self)) },
        queryStrings,
    ]

    /// Without configured hosts, only names of this machine are accepted; `inet_pton` must take the addresses, too.
    private static func checkHost(_ host: String) throws(BrokenInvariant) {
        let check = HostCheck([])
        let isAccepted = check.accepts(host, at: nil)
        if host.utf8.allSatisfy({ $0 < 0x80 }) {
            try hold(check.accepts(host.uppercased(), at: nil) == isAccepted, "the case of \(quoted(host)) decides")
        }
        guard isAccepted else { return }
        try hold(host.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 }, "\(quoted(host)) is accepted")
        let port = host.lastIndex { !$0.isASCII || !$0.isNumber }.flatMap { host[$0] == ":" ? $0 : nil }
        // The last colon of an IPv6 address stands within its brackets.
        let name = host[..<(port ?? host.endIndex)].lowercased()
        var bytes = [UInt8](repeating: 0, count: 16)
        let address = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
        if inet_pton(AF_INET, address, &bytes) == 1 {
            return try hold(bytes[0] == 127, "\(quoted(host)) is accepted")
        }
        if inet_pton(AF_INET6, address, &bytes) == 1 {
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10...11] == [255, 255] && bytes[12] == 127
            return try hold(isMapped || bytes == [UInt8](repeating: 0, count: 15) + [1], "\(quoted(host)) is accepted")
        }
        try hold(name == "localhost", "\(quoted(host)) is accepted")
    }

    /// An empty database, which lasts as long as the process.
    private static let empty: (directory: TemporaryDirectory, store: Result<EventStore, StoreError>) = {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        do throws(StoreError) {
            return (directory, .success(try EventStore(path: path)))
        } catch {
            return (directory, .failure(error))
        }
    }()

    private static let api = ReadAPI(program: "fuzzed")
    /// 2026-09-21T12:53:20Z.
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    private static func answer(_ path: String, _ query: String?, _ headers: [String: String]) throws -> APIAnswer {
        let request = APIRequest(path: path, query: query, headers: headers)
        return api.answer(request, from: try empty.store.get(), now: now)
    }

    private static func checkStream(query: String?, headers: [String: String]) throws {
        let answer = try answer("/stream", query, headers)
        guard case .stream(var client) = answer.body else { return try checkRefusal(answer, with: [400]) }
        try hold(answer.status == 200, "a stream with status \(answer.status)")
        let (store, hub) = (try empty.store.get(), ChangeHub())
        let first = try client.next(from: store, hub: hub, now: now)
        switch first {
        case .bytes(let bytes):
            try checkMessages(bytes, ends: "id: 0\n\n")
            try hold(try client.next(from: store, hub: hub, now: now) == .wait, "a stream of nothing goes on")
        // A cursor ahead of the empty log.
        case .close(let bytes): try checkMessages(bytes, ends: "data: {\"oldest\":1,\"newest\":0}\n\n")
        case .wait: throw BrokenInvariant("a stream without a beginning")
        }
    }

    private static func checkMessages(_ bytes: [UInt8], ends end: String) throws(BrokenInvariant) {
        let text = String(decoding: bytes, as: UTF8.self)
        try hold(text.hasPrefix("retry: 3000\n"), "a stream begins with \(quoted(text))")
        try hold(text.hasSuffix(end), "a stream's first bytes end with \(quoted(String(text.suffix(80))))")
        try hold(!bytes.contains(0x0D), "a stream has a carriage return")
    }

    private static func checkPage(_ query: String) throws {
        let answer = try answer("/changes", query, [:])
        guard answer.status == 200 else { return try checkRefusal(answer, with: [400, 410]) }
        guard case .whole(let body) = answer.body else { throw BrokenInvariant("a page without a body") }
        let text = String(decoding: body, as: UTF8.self)
        let page = "{\"changes\":[],\"next\":0,\"oldest\":1,\"newest\":0}"
        try hold(text == page, "a page of nothing is \(quoted(text))")
    }

    private static func checkRefusal(_ answer: APIAnswer, with statuses: Set<Int>) throws {
        try hold(statuses.contains(answer.status), "a request is answered \(answer.status)")
        guard case .whole(let body) = answer.body else { throw BrokenInvariant("a refusal without words") }
        try TextCheck.check(json: String(decoding: body, as: UTF8.self), "a refusal")
    }
}
