public import Foundation

/// Reads XML, one item at a time. Memory does not grow with the document.
///
/// libxml2 reads well-formed documents (`CLibXML2`). It is strict and feeds often are not, so `XMLMender` mends a
/// refused document once and libxml2 reads it again. Encodings are detected and converted (byte order marks, the
/// charset of Content-Type, the XML declaration; RFC 7303 §3, XML 1.0 appendix F). Entity declarations and external
/// entities are never followed, and nothing is fetched.
public enum XMLReader {
    /// Passes each item of a document to `onItem` and returns the rest.
    ///
    /// An item is an outermost element with a name in `itemNames`, including its subtree. The rest contains neither the
    /// item nor white space right after it. If the root element is an item itself, the rest is a copy of it with only
    /// its attributes. An item cut off by the end of the document is not delivered, but listed in `lostItems`.
    ///
    /// - Parameters:
    ///   - data: The document's bytes.
    ///   - itemNames: Local names (`item`, `entry`, `Placemark`). An undeclared prefix is ignored.
    ///   - charset: The charset of Content-Type; nil (the default) without one.
    ///   - limits: Sizes beyond which items or documents are refused; by default those of `XMLLimits`.
    ///   - onItem: Receives an item, which is valid only within the call, on the calling thread and in document order.
    /// - Throws: `ReadingError` with code `empty`, `html_page`, `not_xml`, `too_deep`, `too_large` (a limit, or for
    ///   example more than 20,000 different names or 256 namespace declarations in force), `too_slow` (`WorkLimit`) or `out_of_memory`. Earlier
    ///   items may have been delivered by then.
    public static func read(
        _ data: Data, itemNames: Set<String>, charset: String? = nil, limits: XMLLimits = XMLLimits(),
        onItem: (XMLNode) -> Void
    ) throws(ReadingError) -> XMLDocument {
        try read(data, itemNames: itemNames, charset: charset, limits: limits, cut: 0, onItem: onItem)
    }

    /// Reads a whole small document of at most `limits.skeletonBytes` (8 MiB by default) into one tree, `root`;
    /// `lostItems` is empty.
    ///
    /// - Parameter charset: The charset of Content-Type; nil (the default) without one.
    /// - Throws: As `read(_:itemNames:charset:limits:onItem:)`.
    public static func read(
        _ data: Data, charset: String? = nil, limits: XMLLimits = XMLLimits()
    ) throws(ReadingError) -> XMLDocument {
        try read(data, itemNames: [], charset: charset, limits: limits) { _ in }
    }

    /// As `read(_:itemNames:charset:limits:onItem:)`.
    /// - Parameter cut: The size of the pieces for libxml2 in bytes; 0 lets libxml2's reader choose.
    static func read(
        _ data: Data, itemNames: Set<String>, charset: String? = nil, limits: XMLLimits = XMLLimits(), cut: Int,
        onItem: (XMLNode) -> Void
    ) throws(ReadingError) -> XMLDocument {
        let decoded = TextEncoding.decode(data, charset: charset, declared: declaredEncoding(of: data))
        // `Data.withUnsafeBytes` rethrows untyped errors only.
        let outcome = withoutActuallyEscaping(onItem) { onItem -> Result<XMLDocument, ReadingError> in
            decoded.text.withUnsafeBytes { bytes -> Result<XMLDocument, ReadingError> in
                do throws(ReadingError) {
                    let passes = try XMLPasses(
                        bytes.assumingMemoryBound(to: UInt8.self), itemNames: itemNames, limits: limits)
                    return .success(try passes.read(decoded, cut: cut, onItem))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try outcome.get()
    }

    /// The encoding in an XML declaration, in single or double quotes; nil without one.
    static func declaredEncoding(of data: Data) -> String? {
        let head = Array(data.prefix(1024).drop { $0 <= 0x20 || $0 >= 0x80 })
        guard head.starts(with: "<?xml".utf8), let close = head.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let declaration = head[..<close]
        let key = Array("encoding".utf8)
        guard let start = declaration.indices.first(where: { declaration[$0...].starts(with: key) }) else { return nil }
        let value = declaration[(start + key.count)...].drop { $0.isXMLSpace || $0 == UInt8(ascii: "=") }
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        let name = value.dropFirst().prefix { $0 != quote }
        return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }
}
