import Foundation
import Model
import Reading

/// Reads a body that is either a single JSON document or JSON lines.
enum TwitterBody {
    /// The size up to which a body is first tried as one document, in bytes.
    static let smallBody = 1 << 20
    /// The longest line of a body in bytes. It exceeds a stream's limit, since the body is in memory anyway and
    /// archives have whole responses in one line (twarc: 2 MB for 500 messages with their references).
    static let longestLine = 16 << 20

    /// Reads a whole body.
    /// - Throws: `Failure` (fault `feed`, `operator` or `server`) for a body without any message of Twitter.
    static func read(_ body: Data) throws(Failure) -> TwitterDecoder {
        var decoder = TwitterDecoder()
        let refusal = body.withUnsafeBytes { bytes in read(withoutMark(bytes), into: &decoder) }
        guard var failure = refusal else { return decoder }
        failure.excerpt = Data(body.prefix(64 << 10))
        throw failure
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, into decoder: inout TwitterDecoder) -> Failure? {
        let parser = JSONParser()
        var unreadable: Failure?
        if bytes.count <= smallBody || !beginsWithLines(bytes, parser) {
            do throws(ReadingError) {
                return try parser.withValue(of: bytes) { root throws(ReadingError) in decoder.read(document: root) }
            } catch {
                unreadable = .feed(error, body: Data())
            }
        }
        decoder.readLines(bytes, limit: longestLine, with: parser)
        guard decoder.understood == 0 else { return nil }
        return unreadable ?? .feed("not_twitter", "no line holds a Twitter message")
    }

    /// Whether one of the first four lines is a whole object, so that a large body need not be parsed at once.
    ///
    /// A pretty-printed document begins with a lone bracket, so it has none.
    static func beginsWithLines(_ bytes: UnsafeRawBufferPointer, _ parser: JSONParser) -> Bool {
        var start = 0
        var tried = 0
        while start < bytes.count, tried < 4 {
            let rest = bytes[start...].prefix(smallBody)
            guard let end = rest.firstIndex(of: 0x0A) else { return false }
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            start = end + 1
            let visible = line.lazy.filter { $0 > 0x20 }.prefix(2).count
            if visible == 0 { continue }
            if visible == 1 { return false }
            tried += 1
            let isObject = try? parser.withValue(of: line) { value throws(ReadingError) in value.kind == .object }
            if isObject == true { return true }
        }
        return false
    }

    /// The bytes without a byte order mark.
    private static func withoutMark(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? UnsafeRawBufferPointer(rebasing: bytes[3...]) : bytes
    }
}
