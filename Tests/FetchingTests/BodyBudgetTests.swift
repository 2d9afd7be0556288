import Foundation
import Model
import Synchronization
import Testing

@testable import Fetching

@Suite(.timeLimit(.minutes(60)))
struct BodyBudgetTests {
    private let mebibyte = 1 << 20

    /// Counts the calls that tell of room.
    private final class Calls: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        @Sendable func add() { number.withLock { $0 += 1 } }
    }

    @Test func aBodyWaitsUntilAWholeOneIsReleased() {
        let budget = BodyBudget(2 * mebibyte)
        let calls = Calls()
        let (first, second) = (budget.begin(), budget.begin())
        #expect(first.take(2 * mebibyte, whenRoom: calls.add))
        first.finish()
        #expect(!second.take(mebibyte, whenRoom: calls.add), "there is no room")
        #expect(calls.count == 0 && budget.bytes == 2 * mebibyte)
        first.release()
        #expect(calls.count == 1)
        #expect(second.take(mebibyte, whenRoom: calls.add) && budget.bytes == mebibyte)
    }

    @Test func ofBodiesThatAreHalfReadOneGoesOn() {
        let budget = BodyBudget(2 * mebibyte)
        let calls = Calls()
        let shares = (0..<3).map { _ in budget.begin() }
        for share in shares.prefix(2) { #expect(share.take(mebibyte, whenRoom: calls.add)) }
        #expect(shares[1].take(3 * mebibyte, whenRoom: calls.add), "no whole body will ever make room")
        #expect(!shares[0].take(mebibyte, whenRoom: calls.add), "only one exceeds the budget")
        #expect(!shares[2].take(mebibyte, whenRoom: calls.add))
        #expect(shares[1].take(mebibyte, whenRoom: calls.add))
        shares[1].finish()
        #expect(calls.count == 2, "both may try again")
        #expect(!shares[0].take(mebibyte, whenRoom: calls.add), "a whole body will make room")
        shares[1].release()
        #expect(shares[0].take(mebibyte, whenRoom: calls.add))
    }

    @Test func smallBodiesNeverWait() {
        let budget = BodyBudget(mebibyte)
        let large = budget.begin()
        #expect(large.take(mebibyte) {})
        large.finish()
        let small = budget.begin()
        #expect(small.take(BodyBudget.free) {})
        #expect(!small.take(1) {})
    }

    @Test func aBodyThatIsGivenUpReturnsItsBytes() {
        let budget = BodyBudget(mebibyte)
        let calls = Calls()
        let waiting = budget.begin()
        do {
            let whole = budget.begin()
            #expect(whole.take(mebibyte) {})
            whole.finish()
            #expect(!waiting.take(mebibyte, whenRoom: calls.add))
            #expect(budget.begin().take(1000) {}, "and is given up at once")
            #expect(calls.count == 1 && budget.bytes == mebibyte)
            whole.release()
        }
        #expect(budget.bytes == 0)
        #expect(waiting.take(mebibyte) {})
    }

    /// Bytes that gzip packs well, with each piece of the answer larger than the free part when unpacked.
    @Test(arguments: [false, true]) func transfersWaitForRoomAndAllArrive(isPacked: Bool) async throws {
        let size = 2 * mebibyte
        let plain = [UInt8](repeating: 0x20, count: size)
        let packed = Array(try #require(Data(base64Encoded: Self.spaces)))
        let server = try RawServer(
            reply: isPacked ? reply(200, ["Content-Encoding: gzip"], body: packed) : reply(body: plain))
        defer { server.stop() }
        let fetcher = try Fetcher(limits: .patient, bodies: mebibyte, now: { testTime })
        let url = server.url("/")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                // Each body is released as soon as its size is known.
                group.addTask { try await fetcher.body(url)?.data.count ?? 0 }
            }
            for try await count in group { #expect(count == size) }
        }
    }

    @Test func aFileWaitsForRoom() async throws {
        let server = try RawServer(reply: reply(body: [UInt8](repeating: 0x20, count: 2 * mebibyte)))
        defer { server.stop() }
        let fetcher = try Fetcher(limits: .patient, bodies: mebibyte, now: { testTime })
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("visiventd-\(UUID().uuidString)")
        try Data(count: mebibyte).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        var body = try await fetcher.body(server.url("/"))
        #expect(body?.data.count == 2 * mebibyte)
        var request = FetchRequest(url: path.absoluteString)
        request.allowsFile = true
        async let file = fetcher.body(request)
        body = nil
        #expect(try await file?.data.count == mebibyte)
    }

    /// 2 MiB of spaces, packed.
    static let spaces = """
        H4sIAAAAAAACA+3BMQEAAADCoCrrn9IYPkABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAfA1+GoVcAAAgAA==
        """
}
