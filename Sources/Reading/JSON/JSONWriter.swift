import Model

/// Writes one JSON object as compact text, member by member in the order of the calls. Nil values and empty arrays of
/// texts are left out; keys are escaped, but not checked for repetition.
public struct JSONWriter: Sendable {
    private var body = JSONText()

    /// Creates a writer of an empty object, whose text is `{}`.
    public init() {}

    /// Whether no member has been written since the start, or since the last `finish` or `move`.
    public var isEmpty: Bool { body.isEmpty }

    /// Writes the part before a member's value. The first member begins with the opening bracket.
    private mutating func begin(_ key: UnsafeBufferPointer<UInt8>) {
        if isEmpty {
            body.reserve(Self.usualSize)
            body.append(UInt8(ascii: "{"))
        } else {
            body.append(UInt8(ascii: ","))
        }
        body.append(quoting: key)
        body.append(UInt8(ascii: ":"))
    }

    /// The initial capacity in bytes, enough for most objects.
    private static let usualSize = 128

    private mutating func begin(_ key: String) {
        var key = key
        key.withUTF8 { begin($0) }
    }

    /// A key that many objects have, escaped once.
    public struct Key: Sendable {
        /// A comma, the quoted key and a colon.
        fileprivate let text: [UInt8]

        /// Escapes a key.
        public init(_ name: String) { text = Array(",\(name.jsonQuoted):".utf8) }
    }

    /// Writes a member whose value is what `append` appends, unchecked: it must be one valid JSON value.
    public mutating func member(_ key: Key, _ append: (inout [UInt8]) -> Void) {
        if isEmpty {
            body.reserve(Self.usualSize)
            body.append(UInt8(ascii: "{"))
            body.bytes.append(contentsOf: key.text.dropFirst())
        } else {
            body.bytes.append(contentsOf: key.text)
        }
        append(&body.bytes)
    }

    /// Writes a text, escaped, also an empty one; writes nothing for nil.
    public mutating func member(_ key: String, _ value: String?) {
        guard let value else { return }
        begin(key)
        body.append(quoting: value)
    }

    /// Writes a number as `Double.jsonText`; writes nothing for nil, infinities and NaN.
    public mutating func member(_ key: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        begin(key)
        body.append(value)
    }

    /// Writes a whole number with all its digits; writes nothing for nil.
    public mutating func member(_ key: String, _ value: Int?) {
        guard let value else { return }
        begin(key)
        body.append(Int64(value))
    }

    /// Writes `true` or `false`; writes nothing for nil.
    public mutating func member(_ key: String, _ value: Bool?) {
        guard let value else { return }
        begin(key)
        body.append(text: value ? "true" : "false")
    }

    /// Writes an array of texts; writes nothing for nil and an empty array.
    public mutating func member(_ key: String, _ values: [String]?) {
        guard let values, !values.isEmpty else { return }
        begin(key)
        body.append(UInt8(ascii: "["))
        for (offset, value) in values.enumerated() {
            if offset > 0 { body.append(UInt8(ascii: ",")) }
            body.append(quoting: value)
        }
        body.append(UInt8(ascii: "]"))
    }

    /// Writes a member with the JSON text `raw` as value, unchecked: it must be one valid JSON value.
    public mutating func member(_ key: String, raw: String) {
        begin(key)
        body.append(text: raw)
    }

    /// Writes a member of a parsed document, as `JSONValue.text`.
    public mutating func member(_ key: JSONKey, _ value: JSONValue) {
        begin(key.utf8)
        body.append(value)
    }

    /// Moves the members so far, without brackets, to the end of `members`; adds no comma before them, and nothing
    /// without members. The writer is then empty and keeps its memory.
    public mutating func move(to members: inout [UInt8]) {
        members.append(contentsOf: body.bytes.dropFirst())
        body.removeAll(keepingCapacity: true)
    }

    /// The text of an object with members from `move(to:)`, followed by `others`, also from it; `{}` if both are empty.
    public static func object(_ members: ArraySlice<UInt8>, _ others: [UInt8]) -> String {
        let comma = members.isEmpty || others.isEmpty ? "" : ","
        return String(unsafeUninitializedCapacity: members.count + others.count + 3) { text in
            var end = text.startIndex
            func append(_ bytes: some Collection<UInt8>) { end = text[end...].update(fromContentsOf: bytes) }
            append("{".utf8)
            append(members)
            append(comma.utf8)
            append(others)
            append("}".utf8)
            return end
        }
    }

    /// The text of the whole object, `{…}`; `{}` without members. The writer is then empty; with `keepingCapacity` it
    /// keeps its memory for the next object.
    public mutating func finish(keepingCapacity: Bool = false) -> String {
        guard !isEmpty else { return "{}" }
        body.append(UInt8(ascii: "}"))
        defer { body.removeAll(keepingCapacity: keepingCapacity) }
        return body.string
    }
}

extension Double {
    /// The shortest text that gives the same number, as `JSONWriter` writes it (`4.5`, `1e-05`); whole numbers below
    /// 2^53 in magnitude have no fraction (`12`). Infinities and NaN give no JSON.
    public var jsonText: String { whole?.description ?? description }

    /// The same number if it is whole and below 2^53, else nil.
    fileprivate var whole: Int64? { abs(self) < 9_007_199_254_740_992 ? Int64(exactly: self) : nil }
}

/// JSON text under construction.
struct JSONText: Sendable {
    fileprivate(set) var bytes: [UInt8] = []
    /// The number of bytes from which on no further value or member is written.
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func removeAll(keepingCapacity: Bool) { bytes.removeAll(keepingCapacity: keepingCapacity) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func append(_ number: Double) {
        if let whole = number.whole {
            append(whole)
        } else {
            append(text: number.description)
        }
    }

    mutating func append(_ number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(number.magnitude)
    }

    mutating func append(_ number: UInt64) {
        // 2^64 has 20 digits; they are produced from last to first.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            var rest = number
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    mutating func append(quoting text: String) { bytes.append(quoting: text) }

    mutating func append(quoting text: UnsafeBufferPointer<UInt8>) { bytes.append(quoting: text) }

    mutating func append(_ value: JSONValue) {
        switch value.kind {
        case .object:
            append(UInt8(ascii: "{"))
            var isFirst = true
            for (key, member) in value.members where bytes.count < limit {
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
            for element in value.elements where bytes.count < limit {
                if !isFirst { append(UInt8(ascii: ",")) }
                isFirst = false
                append(element)
            }
            append(UInt8(ascii: "]"))
        case .string:
            if let utf8 = value.utf8 { append(quoting: UnsafeBufferPointer(rebasing: utf8.prefix(limit))) }
        case .number:
            if let whole = value.int64 {
                append(whole)
            } else if let whole = value.uint64 {
                append(whole)
            } else {
                append(value.double ?? 0)
            }
        case .bool: append(text: value.bool == true ? "true" : "false")
        case .null: append(text: "null")
        }
    }
}
