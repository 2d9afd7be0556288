import CSimdJSON
public import Foundation

/// Parses JSON documents one after another with simdjson and reuses its memory. For one thread at a time.
public final class JSONParser {
    private let handle: OpaquePointer?
    private let maximumDepth: Int
    /// Whether the last document of `withValue` was mended: invalid UTF-8 and invalid escapes became U+FFFD, control
    /// characters in strings spaces, and numbers out of range `null`.
    public private(set) var hasMended = false

    /// Creates a parser that refuses documents nested deeper than `maximumDepth` (1…, 64 by default). If memory is
    /// short, `withValue` throws `out_of_memory`.
    public init(maximumDepth: Int = 64) {
        handle = simdjson_parser_new()
        self.maximumDepth = maximumDepth
    }

    deinit { simdjson_parser_free(handle) }

    /// Parses one document and passes its root to `body`. Neither the root nor values reached from it may leave `body`,
    /// and `body` must not parse with this parser.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 text of one JSON value, at most 4 GiB. A byte order mark is skipped.
    ///   - padding: The number of readable bytes after `bytes` in the same buffer, 0 by default; 64 or more avoid a
    ///     copy.
    /// - Returns: The result of `body`.
    /// - Throws: `ReadingError` with code `empty`, `not_json` (also truncated JSON, XML, UTF-16), `html_page`, `jsonp`,
    ///   `too_deep`, `too_large` (more than five million values) or `out_of_memory`, always without a line; and the
    ///   errors of `body`.
    public func withValue<Result>(
        of bytes: UnsafeRawBufferPointer, padding: Int = 0, _ body: (JSONValue) throws(ReadingError) -> Result
    ) throws(ReadingError) -> Result {
        hasMended = false
        do throws(ReadingError) {
            return try parse(bytes, padding: padding, body)
        } catch {
            // One bad character or number must not cost the whole document.
            guard error.code == Self.mendable else { throw error }
            guard let mended = JSONMender.mended(bytes) else { throw Self.plain(error) }
            hasMended = true
            let outcome = mended.withUnsafeBytes { bytes -> Swift.Result<Result, ReadingError> in
                do throws(ReadingError) {
                    return .success(try parse(bytes, padding: 0, body))
                } catch {
                    return .failure(Self.plain(error))
                }
            }
            return try outcome.get()
        }
    }

    func parse<Result>(
        _ bytes: UnsafeRawBufferPointer, padding: Int, _ body: (JSONValue) throws(ReadingError) -> Result
    ) throws(ReadingError) -> Result {
        guard let handle else { throw ReadingError(code: "out_of_memory", message: "no memory for a JSON parser") }
        var bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = UnsafeRawBufferPointer(rebasing: bytes[3...]) }
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            throw ReadingError(code: "empty", message: "the document is empty")
        }
        // simdjson checks the depth only after it has indexed each bracket, in four times the memory of the document.
        let text = base.assumingMemoryBound(to: UInt8.self)
        let isTooDeep =
            bytes.count > Self.largeDocument
            && UInt(bitPattern: simdjson_find_end(text, bytes.count, 0, maximumDepth)) == .max
        guard !isTooDeep else { throw ReadingError(code: "too_deep", message: "the JSON is nested too deeply") }
        // Each value takes up to 16 bytes, however short it is.
        let isTooLarge =
            bytes.count > Self.largeDocument && simdjson_count_values(text, bytes.count) > Self.maximumValues
        guard !isTooLarge else {
            throw ReadingError(code: "too_large", message: "the JSON has more than \(Self.maximumValues) values")
        }
        var tape: UnsafePointer<UInt64>?
        var strings: UnsafePointer<UInt8>?
        let code = simdjson_parser_parse(
            handle, text, bytes.count, padding, maximumDepth, &tape, &strings)
        guard code == 0, let tape, let strings else { throw Self.error(code, in: bytes) }
        defer { withExtendedLifetime(self) {} }
        return try body(JSONValue(tape: tape, strings: strings, index: 1))
    }

    /// Parses one document and returns the result of `body`; as `withValue(of:padding:_:)`, also in its errors.
    public func withValue<Result>(
        of data: Data, _ body: (JSONValue) throws(ReadingError) -> Result
    ) throws(ReadingError) -> Result {
        // `Data.withUnsafeBytes` rethrows untyped errors only.
        let outcome = data.withUnsafeBytes { bytes -> Swift.Result<Result, ReadingError> in
            do throws(ReadingError) { return .success(try withValue(of: bytes, body)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// The size in bytes beyond which a document's depth and number of values are checked before parsing.
    private static let largeDocument = 1 << 20
    /// The most commas and opening brackets of a large document, in strings, too. 64 MiB of messages or of earthquakes
    /// have three million.
    private static let maximumValues = 5_000_000

    /// The code of an error that mending may cure; it never leaves the parser.
    private static let mendable = "mendable"

    private static func plain(_ error: ReadingError) -> ReadingError {
        var error = error
        if error.code == mendable { error.code = "not_json" }
        return error
    }

    private static func error(_ code: Int32, in bytes: UnsafeRawBufferPointer) -> ReadingError {
        let sentence = String(cString: simdjson_error_sentence(code))
        let opened = bytes.prefix(2000).lazy.filter { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }.count
        if simdjson_is_too_deep(code) || opened > 1000 {
            return ReadingError(code: "too_deep", message: "the JSON is nested too deeply")
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.prefix(4).contains(0) {
            return ReadingError(code: "not_json", message: "found UTF-16 or binary bytes in place of UTF-8")
        }
        var start = Substring(String(decoding: bytes.prefix(400), as: UTF8.self)).drop { $0.isWhitespace }
        // A comment before the document.
        for (opening, closing) in [("<!--", "-->"), ("/*", "*/")] where start.hasPrefix(opening) {
            if let end = start.range(of: closing) { start = start[end.upperBound...].drop { $0.isWhitespace } }
        }
        let text = start.prefix(60)
        if text.isEmpty && bytes.count < 60 {
            return ReadingError(code: "empty", message: "the document holds nothing but white space")
        }
        let lowered = text.lowercased()
        if lowered.hasPrefix("<!doctype") || lowered.hasPrefix("<html") {
            return .htmlPage("found an HTML page in place of JSON")
        }
        if text.first == "<" { return ReadingError(code: "not_json", message: "found XML in place of JSON") }
        if let bracket = text.firstIndex(of: "("), text.first?.isLetter == true || text.first == "_" {
            let name = text[..<bracket]
            return ReadingError(
                code: "jsonp", message: "found JSONP (a call of \"\(name)\") in place of JSON; ask for the plain feed")
        }
        // Messages have one line.
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return ReadingError(
            code: simdjson_is_mendable(code) ? mendable : "not_json",
            message: "the JSON is broken: \(sentence) It begins with \"\(words)\"")
    }
}
