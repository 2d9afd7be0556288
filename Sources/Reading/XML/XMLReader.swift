public import Foundation

/// Reads XML, one item at a time, in memory that does not grow with the document.
///
/// libxml2 reads what is well-formed (`CLibXML2`). It is strict and feeds are not: what it refuses goes once through
/// `XMLMender` and is read again. Encodings are found out and converted (byte order marks, the XML declaration, XML 1.0
/// §4.3.3 and appendix F), entity declarations and external entities are never followed, and nothing is fetched.
public enum XMLReader {
    /// Passes each item of a document to `onItem` and returns the rest.
    ///
    /// An item is an outermost element whose name is in `itemNames`, with its whole subtree; it leaves no trace in the
    /// rest, nor does white space right behind it. When the root element is an item itself, the rest is a copy of it
    /// with its attributes alone. An item that the document does not finish is not passed on but named in `lostItems`.
    ///
    /// - Parameters:
    ///   - data: the document's bytes.
    ///   - itemNames: local names (`item`, `entry`, `Placemark`); an undeclared prefix is passed over.
    ///   - limits: sizes beyond which items or documents are refused.
    ///   - onItem: takes an item, which is valid only within the call.
    /// - Throws: `ReadingError` with code `empty`, `html_page`, `not_xml`, `too_deep` or `too_large`; items found
    ///   before may have been passed on by then.
    public static func read(
        _ data: Data, itemNames: Set<String>, limits: XMLLimits = XMLLimits(), onItem: (XMLNode) -> Void
    ) throws(ReadingError) -> XMLDocument {
        try read(data, itemNames: itemNames, limits: limits, cut: 0, onItem: onItem)
    }

    /// Reads a whole small document into one tree, of at most `limits.skeletonBytes`.
    ///
    /// - Throws: as `read(_:itemNames:limits:onItem:)`.
    public static func read(_ data: Data, limits: XMLLimits = XMLLimits()) throws(ReadingError) -> XMLDocument {
        try read(data, itemNames: [], limits: limits) { _ in }
    }

    /// As `read(_:itemNames:limits:onItem:)`.
    /// - Parameter cut: after how many bytes the pieces that libxml2 gets end; 0: where it suits.
    static func read(
        _ data: Data, itemNames: Set<String>, limits: XMLLimits = XMLLimits(), cut: Int,
        onItem: (XMLNode) -> Void
    ) throws(ReadingError) -> XMLDocument {
        let decoded = TextEncoding.decode(data, declared: declaredEncoding(of: data))
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

    /// The encoding an XML declaration names, in either kind of quotes.
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
