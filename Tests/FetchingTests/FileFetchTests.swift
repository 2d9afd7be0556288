import Fetching
import Foundation
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)))
struct FileFetchTests {
    let directory = TemporaryDirectory()

    private func request(_ name: String, _ validators: Validators = Validators()) -> FetchRequest {
        FetchRequest(url: "file://\(directory.path)/\(name)", validators: validators, allowsFile: true)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.url.appendingPathComponent(name))
    }

    @Test func filesAreReadOnlyWhereAllowed() async throws {
        try write("events", to: "a b.xml")
        let fetcher = try makeFetcher()
        let body = try #require(try await fetcher.body(request("a%20b.xml")))
        #expect(body.data == Data("events".utf8))
        #expect(body.facts.bytes == 6)
        var refused = request("a%20b.xml")
        refused.allowsFile = false
        let failure = await fetcher.failure(refused)
        #expect(failure?.code == "bad_url")
        #expect(failure?.fault == .operator)
    }

    @Test func anUnchangedFileIsNotModified() async throws {
        try write("one", to: "feed")
        let fetcher = try makeFetcher()
        let first = try #require(try await fetcher.body(request("feed")))
        let outcome = try await fetcher.fetch(request("feed", first.facts.validators))
        guard case .notModified(let facts) = outcome else {
            Issue.record("the file has not changed")
            return
        }
        #expect(facts.validators == first.facts.validators)
        try write("three", to: "feed")
        let second = try #require(try await fetcher.body(request("feed", first.facts.validators)))
        #expect(second.data == Data("three".utf8))
        #expect(second.facts.validators != first.facts.validators)
    }

    @Test func whatIsNoRegularFileIsNotRead() async throws {
        mkfifo("\(directory.path)/fifo", 0o600)
        let fetcher = try makeFetcher()
        let device = FetchRequest(url: "file:///dev/zero", allowsFile: true)
        for (request, code) in [
            (request("missing"), "file_not_found"), (request(""), "not_a_file"), (request("fifo"), "not_a_file"),
            (device, "not_a_file"),
        ] {
            let failure = try #require(await fetcher.failure(request), "\(request.url)")
            #expect(failure.code == code)
            #expect(failure.fault == .operator)
        }
        #expect(await fetcher.failure(request(""))?.message == "\(directory.path)/ is a folder, not a file")
    }

    @Test func sizesAreLimited() async throws {
        try write("12345", to: "feed")
        let failure = try await makeFetcher { $0.maximumBodyBytes = 4 }.failure(request("feed"))
        #expect(failure?.code == "too_large")
        let body = try await makeFetcher { $0.maximumBodyBytes = 5 }.body(request("feed"))
        #expect(body?.data.count == 5)
        try write("", to: "empty")
        #expect(try await makeFetcher().body(request("empty"))?.data.isEmpty == true)
    }
}
