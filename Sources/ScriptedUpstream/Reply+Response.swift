import FlyingFox
import Foundation

extension Reply {
    /// Whether a conditional request already has this reply's content (RFC 9110 §13.1.2, §13.1.3).
    func isUnchanged(for request: RecordedRequest) -> Bool {
        if let asked = request.headers["if-none-match"] {
            guard let etag = headers["ETag"] else { return false }
            return asked == "*" || asked == etag
                || asked.split(separator: ",").contains { Self.opaque($0) == Self.opaque(etag[...]) }
        }
        guard let asked = request.headers["if-modified-since"] else { return false }
        return asked == headers["Last-Modified"]
    }

    /// An entity tag without `W/`, since If-None-Match compares weakly.
    private static func opaque(_ tag: Substring) -> Substring {
        let tag = tag.drop { $0 == " " }
        return tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }

    /// The HTTP response of this reply; `date` becomes the Date header.
    func response(to request: RecordedRequest, date: Date) -> HTTPResponse {
        var fields = HTTPHeaders()
        fields[.date] = CivilTime(milliseconds: Int64(date.timeIntervalSince1970 * 1000)).rfc822(zone: "GMT")
        for (name, value) in headers { fields[HTTPHeader(name)] = value }
        if honoursConditions, isUnchanged(for: request) {
            fields[.contentType] = nil
            fields[.contentEncoding] = nil
            return HTTPResponse(statusCode: .notModified, headers: fields)
        }
        return HTTPResponse(
            statusCode: HTTPStatusCode(statusCode, phrase: "Scripted"), headers: fields, body: bodySequence)
    }

    private var bodySequence: HTTPBodySequence {
        let bytes: ScriptedBytes
        var declared = content.count
        switch delivery {
        case .whole, .never:
            bytes = ScriptedBytes(content)
        case .truncated:
            bytes = ScriptedBytes(content, ending: .cut)
            declared += 1000
        case .stalled:
            bytes = ScriptedBytes(content, ending: .silence)
            declared += 1000
        case .slow(let pieceBytes, let pause):
            bytes = ScriptedBytes(content, pieceBytes: pieceBytes, pause: pause)
        case .stream(let pieceBytes, let staysOpen):
            bytes = ScriptedBytes(content, pieceBytes: pieceBytes, ending: staysOpen ? .silence : .complete)
        }
        return isChunked
            ? HTTPBodySequence(from: bytes, suggestedBufferSize: 65_536)
            : HTTPBodySequence(from: bytes, count: declared, suggestedBufferSize: 65_536)
    }
}
