import CLibXML2
import Model

extension XMLNode {
    /// The element's content as XML text without its own tags, for XHTML text constructs (RFC 4287 §3.1.1.3); empty
    /// without content.
    ///
    /// Elements and attributes have their local names. Namespaces, comments and processing instructions are left out.
    /// `&`, `<`, `>` and `"` are escaped.
    public var markup: String { written(escapesText: true) }

    /// As `markup`, with unescaped text (attributes stay escaped), for HTML that was escaped only in part.
    ///
    /// A tag that XML does not allow (`<img src=x>`) was read as text and is a tag again here.
    public var html: String { written(escapesText: false) }

    /// As `html`, with a space before and after each element that is not inline in HTML, so that the texts of other
    /// vocabularies do not run together. Tags that HTML cannot have (`<wind_speed>`) are left out.
    public var spacedHTML: String { containsElements ? written(escapesText: false, separates: true) : text }

    private func written(escapesText: Bool, separates: Bool = false) -> String {
        var out: [UInt8] = []
        look { $0.writeContent(of: index, to: &out, escapesText: escapesText, separates: separates) }
        return String(decoding: out, as: UTF8.self)
    }
}

/// Elements of HTML that stand within a word or a sentence. Names that are fields elsewhere (`time`, `code`) are not
/// among them.
private let inlineNames: Set<String> = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "del", "dfn", "em", "font", "i", "img", "ins", "kbd",
    "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "wbr",
]

extension XMLTree {
    fileprivate func writeContent(of index: Int, to out: inout [UInt8], escapesText: Bool, separates: Bool) {
        func write(_ text: UnsafeBufferPointer<UInt8>) {
            if escapesText { out.append(escaping: text) } else { out.append(contentsOf: text) }
        }
        let node = self.node(index)
        var position = node.text_start
        var next = index + 1
        while next < Int(node.end) {
            let child = self.node(next)
            write(text(position, child.text_start))
            position = child.text_end
            let tag = name(of: next).local
            let isSeparate = separates && !inlineNames.contains(tag.lowercased())
            defer {
                if isSeparate { out.append(0x20) }
                next = Int(child.end)
            }
            if isSeparate {
                out.append(0x20)
                guard tag.utf8.allSatisfy(\.isASCIIAlphanumeric) else {
                    writeContent(of: next, to: &out, escapesText: escapesText, separates: separates)
                    continue
                }
            }
            out.append(UInt8(ascii: "<"))
            out.append(contentsOf: tag.utf8)
            for place in attributes(of: next) {
                out.append(UInt8(ascii: " "))
                out.append(contentsOf: names.pointee.all[attributeName(place)].local.utf8)
                out.append(contentsOf: "=\"".utf8)
                out.append(escaping: value(place))
                out.append(UInt8(ascii: "\""))
            }
            if Int(child.end) > next + 1 || child.text_end > child.text_start {
                out.append(UInt8(ascii: ">"))
                writeContent(of: next, to: &out, escapesText: escapesText, separates: separates)
                out.append(contentsOf: "</".utf8)
                out.append(contentsOf: tag.utf8)
                out.append(UInt8(ascii: ">"))
            } else {
                out.append(contentsOf: "/>".utf8)
            }
        }
        write(text(position, node.text_end))
    }
}

extension [UInt8] {
    /// Appends text with `&`, `<`, `>` and `"` escaped.
    fileprivate mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
        for byte in text where !append(reference: Unicode.Scalar(byte)) { append(byte) }
    }
}
