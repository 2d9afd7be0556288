import Model

/// A parameter of a query, decoded.
struct QueryItem: Sendable, Hashable {
    var name: String
    var value: String

    /// The parameters of a query string in order; empty parts between ampersands are left out.
    static func items(of query: String?) throws(Problem) -> [QueryItem] {
        var items: [QueryItem] = []
        for part in (query ?? "").split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(halves[0], plusIsSpace: true),
                let value = decoded(halves.count > 1 ? halves[1] : "", plusIsSpace: true)
            else {
                throw .parameter(
                    String(halves[0]), found: String(part), accepted: "UTF-8 with percent-encoding (RFC 3986 §2.1)")
            }
            items.append(QueryItem(name: name, value: value))
        }
        return items
    }

    /// The query string of parameters, without a question mark.
    static func query(of items: [QueryItem]) -> String {
        items.map { $0.name.percentEncoded + "=" + $0.value.percentEncoded }.joined(separator: "&")
    }

    /// The decoded text; nil for a broken escape, for other bytes than UTF-8 and for U+0000.
    static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
