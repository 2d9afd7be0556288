public import Foundation

/// Reads comma-separated and similar text (RFC 4180), one record at a time.
///
/// The text must fit into memory. A quoted field may contain delimiters, doubled quotes and line ends; a quote inside
/// an unquoted field is text. Lines end with LF, CRLF or CR. Empty lines are no records.
///
/// An unclosed quote would swallow the lines that follow. So a record over several lines is read again as its first
/// line only, if a quoted field exceeds 64 KiB or the caller does not accept the number of fields; reading continues
/// with the next line. After a thousand such records fields no longer span lines.
public struct DelimitedText {
    /// One record: its fields and its place in the text.
    public struct Record: Sendable, Hashable {
        /// The number of the record's first line, from 1; empty lines count.
        public var line: Int
        /// The fields without their quotes, with LF as line end: 1…1,000; further ones are dropped.
        public var fields: [String]
        /// Whether the first line alone was read, because a quote was not closed properly or `accepts` refused the
        /// record.
        public var isTruncated: Bool
    }

    /// The most bytes of a text: 64 MiB.
    public static let maximumBytes = 64 << 20
    private static let maximumQuotedBytes = 64 << 10
    private static let maximumFields = 1000
    private static let maximumMendings = 1000

    private let bytes: [UInt8]
    private let delimiter: UInt8
    private var position = 0
    private var line = 1
    private var mendings = 0

    /// Begins with the first record; the text is copied.
    /// - Parameters:
    ///   - text: UTF-8 without a byte order mark, as `TextEncoding` returns it.
    ///   - delimiter: An ASCII character other than a quote or a line end, by default a comma; not checked.
    /// - Throws: `ReadingError` with code `too_large` for more than `maximumBytes`.
    public init(_ text: Data, delimiter: UInt8 = UInt8(ascii: ",")) throws(ReadingError) {
        guard text.count <= Self.maximumBytes else {
            throw ReadingError(
                code: "too_large", message: "the text has \(text.count) bytes, of at most \(Self.maximumBytes)")
        }
        bytes = Array(text)
        self.delimiter = delimiter
    }

    /// The next record; nil after the last. Malformed text gives records, too, with `isTruncated`.
    /// - Parameter accepts: Whether a record over several lines may have that many fields; by default any number.
    public mutating func next(accepts: (_ fields: Int) -> Bool = { _ in true }) -> Record? {
        while position < bytes.count, isLineEnd(bytes[position]) { skipLineEnd() }
        guard position < bytes.count else { return nil }
        let (start, first) = (position, line)
        let isWhole = mendings < Self.maximumMendings
        if isWhole {
            if let found = read(overLines: true), found.lines == 0 || accepts(found.fields.count) {
                return Record(line: first, fields: found.fields, isTruncated: false)
            }
            mendings += 1
            (position, line) = (start, first)
        }
        guard let found = read(overLines: false) else { return nil }
        return Record(line: first, fields: found.fields, isTruncated: isWhole || found.isOpen)
    }

    /// Reads one record and its line end.
    /// - Parameter overLines: Whether a quoted field may contain line ends; otherwise it ends with the line at the
    ///   latest.
    /// - Returns: The fields, the number of line ends in them, and whether the last field is unclosed. Nil for an
    ///   unclosed field with `overLines`.
    private mutating func read(overLines: Bool) -> (fields: [String], lines: Int, isOpen: Bool)? {
        var fields: [String] = []
        var field: [UInt8] = []
        var lines = 0
        var openedAt: Int?
        var isAtStart = true
        while position < bytes.count {
            let byte = bytes[position]
            if let opened = openedAt {
                guard !overLines || position - opened <= Self.maximumQuotedBytes else { return nil }
                if byte == quote {
                    position += 1
                    if position < bytes.count, bytes[position] == quote {
                        field.append(quote)
                        position += 1
                    } else {
                        openedAt = nil
                    }
                } else if isLineEnd(byte) {
                    guard overLines else { break }
                    field.append(lineFeed)
                    lines += 1
                    skipLineEnd()
                } else {
                    field.append(byte)
                    position += 1
                }
                continue
            }
            if isLineEnd(byte) { break }
            if byte == delimiter {
                if fields.count < Self.maximumFields { fields.append(String(decoding: field, as: UTF8.self)) }
                field.removeAll(keepingCapacity: true)
                isAtStart = true
            } else if byte == quote, isAtStart {
                openedAt = position
                isAtStart = false
            } else {
                field.append(byte)
                isAtStart = false
            }
            position += 1
        }
        guard openedAt == nil || !overLines else { return nil }
        if fields.count < Self.maximumFields { fields.append(String(decoding: field, as: UTF8.self)) }
        if position < bytes.count { skipLineEnd() }
        return (fields, lines, openedAt != nil)
    }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

    private mutating func skipLineEnd() {
        let isPair = bytes[position] == carriageReturn && position + 1 < bytes.count && bytes[position + 1] == lineFeed
        position += isPair ? 2 : 1
        line += 1
    }
}

private let quote = UInt8(ascii: "\"")
private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
