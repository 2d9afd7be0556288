/// What would be accepted where the parser finds no YAML, told from its words and from the lines it points at.
///
/// Lines are looked at for their punctuation only, and never quoted: they may hold a secret.
struct YAMLAdvice {
    /// What the parser was at, such as `while parsing a flow sequence`; empty when it does not say.
    let context: String
    /// What it stumbled over.
    let problem: String
    /// Where it began what it was at.
    let start: SettingsPosition
    /// Where it stumbled.
    let end: SettingsPosition
    let lines: [Substring]

    static let oneDocument = "one YAML document, indented with spaces"
    private static let keys = "a colon and a space behind each key"
    private static let columns = "the dashes of one list, and the keys of one mapping, in one column"

    /// The advice, as a phrase.
    var accepted: String {
        if isMerge { return "a file without the marks of a merge (<<<<<<<, =======, >>>>>>>)" }
        if [start.line, end.line].contains(where: { line($0).prefix { $0.isWhitespace }.contains("\t") }) {
            return "spaces for indentation, no tabs"
        }
        if problem.contains("alias") || context.contains("alias") { return quotes(around: "*") }
        if context.contains("anchor") { return quotes(around: "&") }
        if context.contains("tag") { return quotes(around: "!") }
        if problem.contains("cannot start any token") { return token }
        if problem.contains("mapping values are not allowed") { return mapping }
        if problem.contains("could not find expected ':'") { return Self.keys }
        if context.contains("quoted scalar") { return quoted }
        if context.contains("flow") { return flow }
        if problem.contains("expected key") || problem.contains("'-' indicator") {
            return upToEnd.contains { $0 == "\"" || $0 == "'" } ? "quotes around the whole text" : Self.columns
        }
        if problem.contains("<document start>") {
            return line(1).hasPrefix("%") ? "a line --- behind those with %" : "keys with values, such as key: value"
        }
        return context.contains("single document") ? "one document, without a further line ---" : Self.oneDocument
    }

    private func line(_ number: Int) -> Substring { lines.indices.contains(number - 1) ? lines[number - 1] : "" }

    /// The line it stumbled on, up to there.
    private var upToEnd: String {
        String(String.UnicodeScalarView(line(end.line).unicodeScalars.prefix(max(0, end.column - 1))))
    }

    private func quotes(around sign: String) -> String { "quotes around a text that begins with \(sign)" }

    private var isMerge: Bool {
        lines.prefix(end.line).contains { line in
            ["<<<<<<<", "=======", ">>>>>>>"].contains { line.hasPrefix($0) }
        }
    }

    private var token: String {
        if let last = upToEnd.last, last == "\"" || last == "'" { return "quotes around the whole text" }
        let sign = line(end.line).unicodeScalars.dropFirst(max(0, end.column - 1)).first
        return sign.map { "@`%".unicodeScalars.contains($0) } == true
            ? quotes(around: sign.map { String($0) } ?? "") : Self.oneDocument
    }

    private var mapping: String {
        if upToEnd.contains(": ") { return "quotes around a text with a colon and a space in it; each key on a line" }
        let before = lines.prefix(end.line - 1).last { line in
            line.contains { !$0.isWhitespace } && line.first { !$0.isWhitespace } != "#"
        }
        guard let before else { return Self.keys }
        let content = before.drop { $0.isWhitespace }
        if content.first == "-", content.dropFirst().first != " " { return "a space behind the dash of a list item" }
        return content.contains(": ") || content.last == ":" ? Self.columns : Self.keys
    }

    private var quoted: String {
        problem.contains("escape")
            ? "\\\\ for a backslash, or single quotes, in which it means nothing" : "a quote at the end of the text"
    }

    private var flow: String {
        // What a comment has swallowed is missed on the line below.
        let region = lines.prefix(end.line).dropFirst(max(0, start.line - 2))
        if region.contains(where: { line in ["[#", "{#", ", #"].contains { line.contains($0) } }) {
            return quotes(around: "#")
        }
        let bracket = context.contains("mapping") ? "}" : "]"
        let quote = region.contains { $0.contains("'") } ? "; '' for a quote within single quotes" : ""
        return "commas between the items, and \(bracket) behind the last\(quote)"
    }
}
