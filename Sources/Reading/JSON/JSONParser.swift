import CSimdJSON
public import Foundation

/// Parses JSON documents one after another with simdjson, reusing its memory.
public final class JSONParser {
    private let handle: OpaquePointer?
    private let maximumDepth: Int

    /// Creates a parser that refuses documents nested deeper than `maximumDepth` (1…).
    public init(maximumDepth: Int = 64) {
        handle = simdjson_parser_new()
        self.maximumDepth = maximumDepth
    }

    deinit { simdjson_parser_free(handle) }

    /// Parses one document and lends its root to `body`; the value and all values reached from it must not leave it.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 text of one JSON value, at most 4 GiB.
    ///   - padding: how many readable bytes follow `bytes` in the same buffer; 64 or more spare a copy.
    /// - Throws: `ReadingError` with code `empty`, `not_json`, `too_deep` or `too_large`.
    public func withValue<Result>(
        of bytes: UnsafeRawBufferPointer, padding: Int = 0, _ body: (JSONValue) throws(ReadingError) -> Result
    ) throws(ReadingError) -> Result {
        guard let handle else { throw ReadingError(code: "out_of_memory", message: "no memory for a JSON parser") }
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            throw ReadingError(code: "empty", message: "the document is empty")
        }
        var tape: UnsafePointer<UInt64>?
        var strings: UnsafePointer<UInt8>?
        let code = simdjson_parser_parse(
            handle, base.assumingMemoryBound(to: UInt8.self), bytes.count, padding, maximumDepth, &tape, &strings)
        guard code == 0, let tape, let strings else { throw Self.error(code, in: bytes) }
        defer { withExtendedLifetime(self) {} }
        return try body(JSONValue(tape: tape, strings: strings, index: 1))
    }

    /// Parses one document; as `withValue(of:padding:_:)`.
    public func withValue<Result>(
        of data: Data, _ body: (JSONValue) throws(ReadingError) -> Result
    ) throws(ReadingError) -> Result {
        // `Data.withUnsafeBytes` rethrows untyped errors only.
        let outcome = data.withUnsafeBytes { bytes -> Swift.Result<Result, ReadingError> in
            do throws(ReadingError) { return .success(try withValue(of: bytes, body)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private static func error(_ code: Int32, in bytes: UnsafeRawBufferPointer) -> ReadingError {
        let sentence = String(cString: simdjson_error_sentence(code))
        if sentence.contains("depth") || sentence.contains("nested") {
            return ReadingError(code: "too_deep", message: "the JSON is nested too deeply")
        }
        let start = String(decoding: bytes.prefix(60), as: UTF8.self)
        let text = start.drop { $0.isWhitespace }
        if text.isEmpty && bytes.count < 60 {
            return ReadingError(code: "empty", message: "the document holds nothing but white space")
        }
        let lowered = text.lowercased()
        if lowered.hasPrefix("<!doctype") || lowered.hasPrefix("<html") {
            return ReadingError(code: "html_page", message: "found an HTML page in place of JSON")
        }
        if text.first == "<" { return ReadingError(code: "not_json", message: "found XML in place of JSON") }
        if let bracket = text.firstIndex(of: "("), text.first?.isLetter == true || text.first == "_" {
            let name = text[..<bracket]
            return ReadingError(
                code: "jsonp", message: "found JSONP (a call of \"\(name)\") in place of JSON; ask for the plain feed")
        }
        return ReadingError(code: "not_json", message: "the JSON is broken: \(sentence) It begins with \"\(text)\"")
    }
}
