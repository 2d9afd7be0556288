/// The text of a document, with tests of what stands around its names.
struct DocumentText {
    let content: String
    let tokens: [TextToken]

    init(_ content: String) {
        self.content = content
        tokens = TextToken.tokens(of: content)
    }

    /// The position after a comma or an opening bracket, which a full stop may precede; nil if neither follows.
    func afterComma(_ start: String.Index) -> String.Index? {
        var index = start
        if index < content.endIndex, content[index] == "." { index = content.index(after: index) }
        index = skippingSpace(index)
        guard index < content.endIndex, content[index] == "," || content[index] == "(" else { return nil }
        return skippingSpace(content.index(after: index))
    }

    private func skippingSpace(_ start: String.Index) -> String.Index {
        content[start...].firstIndex { !$0.isWhitespace } ?? content.endIndex
    }

    /// The position of the next item of a list: after a comma, `and`, `or` or a combination; nil if there is none.
    func afterListSign(_ start: String.Index) -> String.Index? {
        var index = skippingSpace(start)
        var isSign = false
        if index < content.endIndex, content[index] == "," {
            index = skippingSpace(content.index(after: index))
            isSign = true
        }
        for word in ["and", "or"] where content.utf8[index...].starts(with: word.utf8) {
            let end = content.utf8.index(index, offsetBy: word.utf8.count)
            guard end < content.endIndex, content[end].isWhitespace else { continue }
            return skippingSpace(end)
        }
        return isSign ? index : nil
    }

    /// Whether `and` or `or` follows, with or without a comma before it.
    func isAndNext(_ start: String.Index) -> Bool {
        guard let next = afterListSign(start) else { return false }
        // A comma alone skips no letters.
        return content[start..<next].contains { $0.isLetter }
    }

    /// Whether a comma precedes directly.
    func isAfterComma(_ start: String.Index) -> Bool {
        content[..<start].last { !$0.isWhitespace } == ","
    }

    /// Whether at most `most` bytes, such as a sign and spaces, separate the position from a name before it.
    func isRightBehind(_ name: Range<String.Index>, _ start: String.Index, within most: Int = 3) -> Bool {
        name.upperBound <= start && content.utf8.distance(from: name.upperBound, to: start) <= most
    }

    /// Whether a comma precedes directly, and before it a capitalised word other than one like `However` or a month.
    func isBehindCapitalised(_ start: String.Index) -> Bool {
        guard let comma = content[..<start].lastIndex(where: { !$0.isWhitespace }), content[comma] == "," else {
            return false
        }
        let head = content[..<comma]
        let word = head.lastIndex { !$0.isLetter }.map { head[head.index(after: $0)...] } ?? head
        guard word.first?.isUppercase == true else { return false }
        let folded = NameFolding.folded(String(word))
        return !PlaceWords.functionWords.contains(folded) && !PlaceWords.never.contains(folded)
    }

    /// Whether a word in lower case follows that may be a verb of several: no preposition or the like, and not `signs`.
    func isBeforePlural(_ start: String.Index) -> Bool {
        guard start < content.endIndex, content[start].isWhitespace else { return false }
        let word = content[skippingSpace(start)...].prefix { $0.isLetter }
        return word.first?.isLowercase == true && word.last != "s" && !PlaceWords.functionWords.contains(String(word))
    }

    /// Whether the words around the name tell that it is a region: `Washington state`, `the governor of New York`.
    func isCalledRegion(_ range: Range<String.Index>) -> Bool {
        let after = content[range.upperBound...].prefix(12)
        if after.first?.isWhitespace == true {
            let next = after.drop { $0.isWhitespace }.prefix { $0.isLetter }
            let followers = ["state", "province", "State", "Province", "Gov", "Governor", "governor", "Sen", "border"]
            if followers.contains(String(next)) { return true }
        }
        var before = content[..<range.lowerBound].suffix(16)
        guard before.last?.isWhitespace == true else { return false }
        while before.last?.isWhitespace == true { before.removeLast() }
        return ["state of", "province of", "Gov.", "Governor", "governor of"].contains { before.hasSuffix($0) }
    }
}
