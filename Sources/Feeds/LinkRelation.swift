import Reading

extension XMLNode {
    /// The relation of an Atom link in lower case, `alternate` without one; the registry's address of a word is the word
    /// (RFC 4287 §4.2.7.2).
    var relation: String {
        guard let written = attribute("rel") else { return "alternate" }
        let relation = HTMLText.cleaned(written).lowercased()
        guard relation.utf8.contains(UInt8(ascii: "/")) else { return relation }
        // `http://www.iana.org/assignments/relation/alternate`
        let parts = relation.split { $0 == "/" || $0 == "#" }
        guard parts.count > 4, parts[1] == "www.iana.org" || parts[1] == "iana.org", parts[2] == "assignments" else {
            return relation
        }
        return String(parts[parts.count - 1])
    }
}
