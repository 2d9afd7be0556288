import Foundation
import Reading
import Testing

@Suite struct LineCutterTests {
    /// Lines as words: `3:text`, `4:blank`, `5:too long 12`.
    private func cut(_ text: String, every size: Int, limit: Int = 1 << 20) -> [String] {
        let bytes = Array(text.utf8)
        var lines = LineCutter(limit: limit)
        var found: [String] = []
        func take(_ number: Int, _ line: LineCutter.Line) {
            switch line {
            case .text(let bytes, _): found.append("\(number):" + String(decoding: bytes, as: UTF8.self))
            case .blank: found.append("\(number):blank")
            case .tooLong(let length): found.append("\(number):too long \(length)")
            }
        }
        var start = 0
        while start < bytes.count {
            let end = min(start + size, bytes.count)
            bytes[start..<end].withUnsafeBytes { lines.feed($0) { take($0, $1) } }
            start = end
        }
        lines.end { take($0, $1) }
        return found
    }

    @Test func chunksOfAnySizeGiveTheSameLines() {
        let text = "{\"a\":\"é\"}\r\n\r\n{\"b\":2}\n \t\r\n\n{\"last\":\"without end\"}"
        let expected = [
            "1:{\"a\":\"é\"}", "2:blank", "3:{\"b\":2}", "4:blank", "5:blank", "6:{\"last\":\"without end\"}",
        ]
        for size in 1...text.utf8.count { #expect(cut(text, every: size) == expected, "chunks of \(size) bytes") }
    }

    @Test func longLinesAreSkippedUpToTheirEndOnly() {
        let text = "1234567\n12345678\n123456789\r\nnext\n123456789012"
        let expected = ["1:1234567", "2:12345678", "3:too long 10", "4:next", "5:too long 12"]
        for size in 1...text.utf8.count {
            #expect(cut(text, every: size, limit: 8) == expected, "chunks of \(size) bytes")
        }
    }

    @Test func theReadableBytesBehindALineAreCounted() {
        var paddings: [Int] = []
        var lines = LineCutter()
        Array("ab\r\ncd\nef".utf8).withUnsafeBytes { bytes in
            lines.feed(bytes) { _, line in
                if case .text(_, let padding) = line { paddings.append(padding) }
            }
        }
        lines.end { _, line in
            if case .text(_, let padding) = line { paddings.append(padding) }
        }
        // The CR counts as padding of the first; the last was copied, so no padding is known.
        #expect(paddings == [7, 3, 0])
    }

    @Test func nothingGivesNothing() {
        #expect(cut("", every: 1).isEmpty)
        #expect(cut("a\n", every: 1) == ["1:a"])
    }
}
