import Foundation

extension String {
    /// The text in canonical decomposition (Unicode NFD), for comparing names and words.
    ///
    /// Foundation sorts the marks of one character in quadratic time, so a long text is decomposed in pieces of at most
    /// 512 characters. Marks keep their order across the end of such a piece, which falls before a letter unless 256
    /// marks follow each other.
    public var decomposed: String {
        guard utf8.count > Self.piece else { return decomposedStringWithCanonicalMapping }
        var out = ""
        let scalars = unicodeScalars
        var (start, length) = (scalars.startIndex, 0)
        for index in scalars.indices {
            let isBegin = length >= Self.piece && scalars[index].properties.canonicalCombiningClass == .notReordered
            if isBegin || length == 2 * Self.piece {
                out += String(scalars[start..<index]).decomposedStringWithCanonicalMapping
                (start, length) = (index, 0)
            }
            length += 1
        }
        return out + String(scalars[start...]).decomposedStringWithCanonicalMapping
    }

    private static let piece = 256
}
