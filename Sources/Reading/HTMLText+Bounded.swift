extension HTMLText {
    /// The text, cut to at most `limit` characters, the last of which is then `…`.
    public static func bounded(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit, let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text.prefix(max(0, limit - 1)) + "…"
    }
}
