/// The kind of a `JSONValue`; whole and other numbers are one kind.
public enum JSONKind: Sendable {
    /// `{…}`.
    case object
    /// `[…]`.
    case array
    /// Text; its escapes are decoded.
    case string
    /// A number, whole or not, also beyond the range of `Int64`.
    case number
    /// `true` or `false`.
    case bool
    /// `null`.
    case null
}

/// A value of a parsed document: a position on simdjson's tape (doc/tape.md of simdjson 3.0), read without calls into
/// C. It is valid only within `JSONParser.withValue`.
@frozen public struct JSONValue {
    @usableFromInline let tape: UnsafePointer<UInt64>
    @usableFromInline let strings: UnsafePointer<UInt8>
    @usableFromInline let index: Int

    @inlinable init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
        self.tape = tape
        self.strings = strings
        self.index = index
    }

    @inlinable var tag: UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }
    @inlinable var payload: UInt64 { tape[index] & 0x00FF_FFFF_FFFF_FFFF }

    /// The index of the next value.
    @inlinable var next: Int {
        switch tag {
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(payload & 0xFFFF_FFFF)
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
        default: index + 1
        }
    }

    /// The UTF-8 bytes of a string, escapes decoded, valid within `JSONParser.withValue`; nil for other kinds.
    @inlinable public var utf8: UnsafeBufferPointer<UInt8>? {
        guard tag == UInt8(ascii: "\"") else { return nil }
        let start = strings + Int(payload)
        let length = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return UnsafeBufferPointer(start: start + 4, count: Int(length))
    }

    /// The kind of the value: `number` for whole and other numbers alike.
    @inlinable public var kind: JSONKind {
        switch tag {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        default: .null
        }
    }

    /// Whether it is `null`. A missing member is nil instead, not `null`.
    @inlinable public var isNull: Bool { tag == UInt8(ascii: "n") }

    /// The text of a string, escapes decoded, possibly empty; nil for other kinds, also for numbers.
    @inlinable public var string: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

    /// The value of a number, finite, and rounded for a whole number beyond 2^53; nil for other kinds, also for
    /// strings.
    @inlinable public var double: Double? {
        switch tag {
        case UInt8(ascii: "d"): Double(bitPattern: tape[index + 1])
        case UInt8(ascii: "l"): Double(Int64(bitPattern: tape[index + 1]))
        case UInt8(ascii: "u"): Double(tape[index + 1])
        default: nil
        }
    }

    /// The value of a whole number, also of one written `12.0`; nil for other kinds and beyond `Int64`.
    @inlinable public var int64: Int64? {
        switch tag {
        case UInt8(ascii: "l"): Int64(bitPattern: tape[index + 1])
        case UInt8(ascii: "d"): Int64(exactly: Double(bitPattern: tape[index + 1]))
        default: nil
        }
    }

    /// The value of a number written without fraction and exponent; nil for other kinds and beyond `Int64`.
    @inlinable public var integer: Int64? { tag == UInt8(ascii: "l") ? Int64(bitPattern: tape[index + 1]) : nil }

    /// The value of a whole number above the range of `Int64`; nil for others.
    @inlinable var uint64: UInt64? { tag == UInt8(ascii: "u") ? tape[index + 1] : nil }

    /// The value of `true` or `false`; nil for other kinds, also for 0, 1 and strings.
    @inlinable public var bool: Bool? {
        switch tag {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The value of the first member with that key, found by linear search; nil for a missing key and for other kinds
    /// than objects.
    @inlinable public subscript(_ key: StaticString) -> JSONValue? {
        for (name, value) in members where name == key { return value }
        return nil
    }

    /// The members of an object in order, repeated keys included; empty for other kinds.
    @inlinable public var members: JSONMembers {
        tag == UInt8(ascii: "{")
            ? JSONMembers(tape: tape, strings: strings, index: index + 1, end: next - 1)
            : JSONMembers(tape: tape, strings: strings, index: 0, end: 0)
    }

    /// The elements of an array in order; empty for other kinds.
    @inlinable public var elements: JSONElements {
        tag == UInt8(ascii: "[")
            ? JSONElements(tape: tape, strings: strings, index: index + 1, end: next - 1)
            : JSONElements(tape: tape, strings: strings, index: 0, end: 0)
    }

    /// The number of members or elements; 16,777,215 also stands for more. Nil for other kinds than objects and arrays.
    @inlinable public var count: Int? {
        switch tag {
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(payload >> 32)
        default: nil
        }
    }

    /// The value as JSON without white space, members in order; 64-bit whole numbers with all digits, others as
    /// `Double.jsonText`.
    public var text: String {
        var writer = JSONText()
        writer.append(self)
        return writer.string
    }

    /// At least the first 200 bytes of `text`, and not much more, for messages.
    public var beginning: String {
        var writer = JSONText(limit: 200)
        writer.append(self)
        return writer.string
    }
}

/// The keys and values of an object's members, in the order of the document; valid as long as their `JSONValue`.
@frozen public struct JSONMembers: Sequence, IteratorProtocol {
    @usableFromInline let tape: UnsafePointer<UInt64>
    @usableFromInline let strings: UnsafePointer<UInt8>
    @usableFromInline var index: Int
    @usableFromInline let end: Int

    @inlinable init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int, end: Int) {
        self.tape = tape
        self.strings = strings
        self.index = index
        self.end = end
    }

    /// The next key and its value; nil after the last member.
    @inlinable public mutating func next() -> (key: JSONKey, value: JSONValue)? {
        guard index < end else { return nil }
        let key = JSONKey(start: strings + Int(tape[index] & 0x00FF_FFFF_FFFF_FFFF))
        let value = JSONValue(tape: tape, strings: strings, index: index + 1)
        index = value.next
        return (key, value)
    }
}

/// The elements of an array, in order; valid as long as their `JSONValue`.
@frozen public struct JSONElements: Sequence, IteratorProtocol {
    @usableFromInline let tape: UnsafePointer<UInt64>
    @usableFromInline let strings: UnsafePointer<UInt8>
    @usableFromInline var index: Int
    @usableFromInline let end: Int

    @inlinable init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int, end: Int) {
        self.tape = tape
        self.strings = strings
        self.index = index
        self.end = end
    }

    /// The next element; nil after the last.
    @inlinable public mutating func next() -> JSONValue? {
        guard index < end else { return nil }
        let value = JSONValue(tape: tape, strings: strings, index: index)
        index = value.next
        return value
    }
}

/// The key of a member, compared without creating a `String`; valid as long as its `JSONValue`.
@frozen public struct JSONKey {
    @usableFromInline let start: UnsafePointer<UInt8>

    @inlinable init(start: UnsafePointer<UInt8>) { self.start = start }

    @inlinable var count: Int { Int(UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)) }

    /// The UTF-8 bytes of the key, escapes decoded; valid as long as the key.
    @inlinable public var utf8: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start + 4, count: count) }

    /// The key as text, escapes decoded; may be empty.
    @inlinable public var string: String { String(decoding: utf8, as: UTF8.self) }

    /// Whether the key is the given word, byte by byte; case counts.
    @inlinable public static func == (key: JSONKey, word: StaticString) -> Bool {
        let bytes = key.utf8
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        for offset in 0..<bytes.count where bytes[offset] != word.utf8Start[offset] { return false }
        return true
    }

    /// Whether the key is the given word; it allows words as patterns in a `switch` over a key.
    @inlinable public static func ~= (word: StaticString, key: JSONKey) -> Bool { key == word }
}
