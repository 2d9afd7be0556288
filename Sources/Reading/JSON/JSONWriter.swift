/// Writes the text of one JSON object, member by member; missing values are left out.
public struct JSONWriter {
    private var body = JSONText()

    /// Creates a writer of an empty object.
    public init() {}

    /// Whether nothing has been written.
    public var isEmpty: Bool { body.bytes.isEmpty }

    private mutating func begin(_ key: String) {
        if !isEmpty { body.append(UInt8(ascii: ",")) }
        body.append(quoting: key.utf8)
        body.append(UInt8(ascii: ":"))
    }

    /// Writes a text.
    public mutating func member(_ key: String, _ value: String?) {
        guard let value else { return }
        begin(key)
        body.append(quoting: value.utf8)
    }

    /// Writes a number; one that JSON cannot express (infinity) is left out.
    public mutating func member(_ key: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        begin(key)
        body.append(value)
    }

    /// Writes a whole number.
    public mutating func member(_ key: String, _ value: Int?) {
        guard let value else { return }
        begin(key)
        body.append(text: String(value))
    }

    /// Writes `true` or `false`.
    public mutating func member(_ key: String, _ value: Bool?) {
        guard let value else { return }
        begin(key)
        body.append(text: value ? "true" : "false")
    }

    /// Writes an array of texts; an empty one is left out.
    public mutating func member(_ key: String, _ values: [String]?) {
        guard let values, !values.isEmpty else { return }
        begin(key)
        body.append(UInt8(ascii: "["))
        for (offset, value) in values.enumerated() {
            if offset > 0 { body.append(UInt8(ascii: ",")) }
            body.append(quoting: value.utf8)
        }
        body.append(UInt8(ascii: "]"))
    }

    /// Writes a member whose value is JSON text already.
    public mutating func member(_ key: String, raw: String) {
        begin(key)
        body.append(text: raw)
    }

    /// Writes a member of a parsed document as it is.
    public mutating func member(_ key: JSONKey, _ value: JSONValue) {
        if !isEmpty { body.append(UInt8(ascii: ",")) }
        body.append(quoting: key.utf8)
        body.append(UInt8(ascii: ":"))
        body.append(value)
    }

    /// The text of the whole object, `{…}`; the writer is empty afterwards.
    public mutating func finish() -> String {
        let text = "{" + body.string + "}"
        body = JSONText()
        return text
    }
}

/// JSON text under construction.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(text: String) { bytes.append(contentsOf: text.utf8) }

    /// Whole numbers up to 2^53 are written without a fraction.
    mutating func append(_ number: Double) {
        if abs(number) < 9_007_199_254_740_992, let whole = Int64(exactly: number) {
            append(text: String(whole))
        } else {
            append(text: number.description)
        }
    }

    mutating func append(quoting text: some Collection<UInt8>) {
        append(UInt8(ascii: "\""))
        let isPlain = text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain {
            bytes.append(contentsOf: text)
        } else {
            let hex = Array("0123456789abcdef".utf8)
            for byte in text {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
                case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
                case 0..<0x20: bytes += Array("\\u00".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
                default: bytes.append(byte)
                }
            }
        }
        append(UInt8(ascii: "\""))
    }

    mutating func append(_ value: JSONValue) {
        switch value.kind {
        case .object:
            append(UInt8(ascii: "{"))
            var isFirst = true
            for (key, member) in value.members {
                if !isFirst { append(UInt8(ascii: ",")) }
                isFirst = false
                append(quoting: key.utf8)
                append(UInt8(ascii: ":"))
                append(member)
            }
            append(UInt8(ascii: "}"))
        case .array:
            append(UInt8(ascii: "["))
            var isFirst = true
            for element in value.elements {
                if !isFirst { append(UInt8(ascii: ",")) }
                isFirst = false
                append(element)
            }
            append(UInt8(ascii: "]"))
        case .string: if let utf8 = value.utf8 { append(quoting: utf8) }
        case .number:
            if let whole = value.int64 {
                append(text: String(whole))
            } else if let whole = value.uint64 {
                append(text: String(whole))
            } else {
                append(value.double ?? 0)
            }
        case .bool: append(text: value.bool == true ? "true" : "false")
        case .null: append(text: "null")
        }
    }
}
