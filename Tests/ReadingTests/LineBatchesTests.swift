import Foundation
import Reading
import Testing

@Suite struct LineBatchesTests {
    /// The batches of a text in chunks of the given size, including the last, incomplete one.
    private func batches(_ text: String, every size: Int, of lines: Int = 2, limit: Int = 20) -> [LineBatches.Batch] {
        var gathering = LineBatches(longestLine: limit, maximumLines: lines, maximumBytes: 1000)
        let bytes = Data(text.utf8)
        var found: [LineBatches.Batch] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += gathering.feed(bytes[start..<min(start + size, bytes.count)])
        }
        let last = gathering.release()
        if !last.isEmpty { found.append(last) }
        return found
    }

    @Test func chunksOfAnySizeGiveTheSameBatches() {
        let text = "{\"a\":1}\r\n\r\n{\"b\":2}\n\n{\"c\":\"é\"}\r\n\r\n{\"unfinished"
        for size in 1...text.utf8.count {
            let found = batches(text, every: size)
            #expect(
                found.map { String(decoding: $0.data, as: UTF8.self) } == ["{\"a\":1}\n{\"b\":2}\n", "{\"c\":\"é\"}\n"])
            #expect(found.map { $0.lines } == [2, 1])
            #expect(found.map { $0.keepAlives } == [1, 1], "CRLF alone, which makes no batch full")
        }
    }

    @Test func aLineAboveTheLimitCostsItselfOnly() {
        let text = "a\n" + String(repeating: "x", count: 50) + "\nb\n"
        for size in [1, 7, 100] {
            let found = batches(text, every: size, of: 10)
            #expect(found.map { String(decoding: $0.data, as: UTF8.self) } == ["a\nb\n"])
            #expect(found.map { $0.tooLong } == [[50]])
        }
    }

    @Test func manyBytesMakeABatchFullToo() {
        let line = String(repeating: "x", count: 600) + "\n"
        let found = batches(line + line + line, every: 4096, of: 100, limit: 700)
        #expect(found.map { $0.lines } == [2, 1])
    }

    @Test func nothingButKeepAlivesIsALifeSignButNothingToRead() {
        var gathering = LineBatches(longestLine: 10, maximumLines: 1)
        #expect(!gathering.isKeptAlive)
        #expect(gathering.feed(Data("\r\n".utf8)).isEmpty)
        #expect(gathering.isKeptAlive && gathering.isEmpty)
        #expect(gathering.release().keepAlives == 1)
        #expect(!gathering.isKeptAlive)
    }

    @Test func otherBlankLinesAndBeginningsOfLinesAreNoLifeSign() {
        for text in ["\n\n", " \r\n", "\r\r\n", "\r\n<html", "\r"] {
            var gathering = LineBatches(longestLine: 100, maximumLines: 1)
            #expect(gathering.feed(Data(text.utf8)).isEmpty)
            #expect(!gathering.isKeptAlive, "\(text.debugDescription)")
        }
    }

    @Test func theEndGivesWhatHasNoLineEnd() {
        var gathering = LineBatches(longestLine: 10, maximumLines: 9)
        #expect(gathering.feed(Data("a\nbc".utf8)).isEmpty)
        #expect(String(decoding: gathering.end().data, as: UTF8.self) == "a\nbc\n")
        #expect(gathering.end().isEmpty)
    }
}
