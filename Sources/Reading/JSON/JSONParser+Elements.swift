import CSimdJSON
public import Foundation

extension JSONParser {
    /// Parses an object with one long array, one element at a time. Memory for parsing does not grow with the array.
    ///
    /// - Parameters:
    ///   - key: The name of the array, a member of the outermost object; the first of that name counts.
    ///   - data: UTF-8 text of one JSON object.
    ///   - limit: The most elements of the array; with more the result is nil.
    ///   - start: Creates the collection for the given number of elements, 0 or more.
    ///   - take: Adds an element, numbered from 1. The element is an object and valid only within the call.
    ///   - rest: Receives the collection, and the object with an empty array in place of the long one, valid only
    ///     within the call.
    /// - Returns: The result of `rest`; nil for invalid JSON and documents of another form, even after calls of `take`,
    ///   and beyond the `WorkLimit`. `withValue(of:_:)` then mends the document or reports its fault.
    public static func withElements<Collection, Result>(
        of key: StaticString, in data: Data, limit: Int, collectedIn start: (_ elements: Int) -> Collection,
        each take: (_ collection: inout Collection, _ element: JSONValue, _ number: Int) -> Void,
        rest: (_ collection: inout Collection, _ object: JSONValue) -> Result
    ) -> Result? {
        data.withUnsafeBytes { bytes in
            guard let array = JSONSplitter(bytes).array(key, limit: limit) else { return nil }
            let parser = JSONParser()
            var collection = start(array.elements.count)
            for (index, element) in array.elements.enumerated() {
                let isSound = parser.parses(element, of: bytes) { take(&collection, $0, index + 1) }
                guard isSound, !WorkLimit.isExceeded else { return nil }
            }
            let skeleton = [UInt8](bytes.prefix(array.start)) + bytes.dropFirst(array.end)
            var result: Result?
            let isSound = skeleton.withUnsafeBytes { text in
                parser.parses(0..<text.count, of: text) { result = rest(&collection, $0) }
            }
            return isSound ? result : nil
        }
    }

    /// Passes a value of the document to `body`; false when it is invalid.
    private func parses(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ body: (JSONValue) -> Void) -> Bool {
        do throws(ReadingError) {
            // Bytes after the end of the document must not be read, so its last bytes are copied.
            let text = UnsafeRawBufferPointer(rebasing: bytes[range])
            try parse(text, padding: bytes.count - range.upperBound) { value throws(ReadingError) in body(value) }
            return true
        } catch {
            return false
        }
    }
}

/// Finds the elements of a long array by brackets and quotes alone. The parser validates them.
private struct JSONSplitter {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The ranges of the elements of the array `key` in the outermost object, and the array's start and end; nil when
    /// there is no such array of objects.
    consuming func array(_ key: StaticString, limit: Int) -> (elements: [Range<Int>], start: Int, end: Int)? {
        guard enterArray(key) else { return nil }
        let start = position
        if skip(UInt8(ascii: "]")) { return ([], start, start) }
        var elements: [Range<Int>] = []
        elements.reserveCapacity(bytes.count / 512)
        repeat {
            guard elements.count < limit, let range = pass(UInt8(ascii: "{")) else { return nil }
            elements.append(range)
        } while skip(UInt8(ascii: ","))
        return skip(UInt8(ascii: "]")) ? (elements, start, position - 1) : nil
    }

    /// Moves into the array `key` of the outermost object; false when there is none.
    private mutating func enterArray(_ key: StaticString) -> Bool {
        guard skip(UInt8(ascii: "{")) else { return false }
        repeat {
            guard let name = pass(UInt8(ascii: "\"")), skip(UInt8(ascii: ":")) else { return false }
            let isWanted = bytes[name].dropFirst().dropLast().elementsEqual(
                UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
            if isWanted { return skip(UInt8(ascii: "[")) }
            guard passValue() else { return false }
        } while skip(UInt8(ascii: ","))
        return false
    }

    /// Skips a value of any kind.
    private mutating func passValue() -> Bool {
        for opening in "{[\"".utf8 where pass(opening) != nil { return true }
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]), !",}]".utf8.contains(bytes[position]) {
            position += 1
        }
        return position > start
    }

    /// Skips white space and the value that begins with the bracket or quote; nil when another byte comes next.
    private mutating func pass(_ opening: UInt8) -> Range<Int>? {
        guard skip(opening), let text = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        let start = position - 1
        let end = simdjson_find_end(text, bytes.count, start, bytes.count)
        guard end > 0 else { return nil }
        position = end
        return start..<end
    }

    /// Skips white space (RFC 8259 §2) and the byte; false when another byte comes next.
    private mutating func skip(_ byte: UInt8) -> Bool {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }
}
