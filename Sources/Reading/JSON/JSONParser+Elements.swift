import CSimdJSON
public import Foundation

extension JSONParser {
    /// Parses an object of which one member is a long array, an element at a time: memory for parsing does not grow with
    /// the array.
    ///
    /// - Parameters:
    ///   - key: the name of the array, a member of the outermost object.
    ///   - data: UTF-8 text of one JSON object.
    ///   - limit: the most elements read this way.
    ///   - start: gives what elements are collected in, with room for so many.
    ///   - take: adds an element, which must be an object and is valid only within the call; they are numbered from 1.
    ///   - rest: takes what has been collected, and the object with an empty array in place of the long one.
    /// - Returns: what `rest` makes of it; nil for a document that is not of that form or not sound. That is to be read
    ///   with `withValue(of:_:)`, which mends it or says what is wrong.
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
                guard isSound else { return nil }
            }
            let skeleton = [UInt8](bytes.prefix(array.start)) + bytes.dropFirst(array.end)
            var result: Result?
            let isSound = skeleton.withUnsafeBytes { text in
                parser.parses(0..<text.count, of: text) { result = rest(&collection, $0) }
            }
            return isSound ? result : nil
        }
    }

    /// Hands a value of the document on; false when it is not sound.
    private func parses(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ body: (JSONValue) -> Void) -> Bool {
        do throws(ReadingError) {
            // Behind the last bytes of the document nothing may be read: those are copied.
            let text = UnsafeRawBufferPointer(rebasing: bytes[range])
            try parse(text, padding: bytes.count - range.upperBound) { value throws(ReadingError) in body(value) }
            return true
        } catch {
            return false
        }
    }
}

/// Finds the elements of a long array by brackets and quotes alone; whether they are sound is for the parser to say.
private struct JSONSplitter {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Where the elements of the array of that name in the outermost object stand, where they begin and where they end;
    /// nil when there is no such array of objects.
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

    /// Moves into the array of that name in the outermost object.
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

    /// Passes over a value of any kind.
    private mutating func passValue() -> Bool {
        for opening in "{[\"".utf8 where pass(opening) != nil { return true }
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]), !",}]".utf8.contains(bytes[position]) {
            position += 1
        }
        return position > start
    }

    /// Passes over white space and then over what begins with the bracket or quote, if that comes next.
    private mutating func pass(_ opening: UInt8) -> Range<Int>? {
        guard skip(opening), let text = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        let start = position - 1
        let end = simdjson_find_end(text, bytes.count, start, bytes.count)
        guard end > 0 else { return nil }
        position = end
        return start..<end
    }

    /// Passes over white space (RFC 8259 §2) and then over the byte, if that comes next.
    private mutating func skip(_ byte: UInt8) -> Bool {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }
}
