/// A title or a text of the operator's, with places for what is told: `{magnitude} near {place}`.
///
/// A list of placeholders and no language: what is put in is never read again.
public struct Template: Sendable, Hashable {
    /// The text as configured.
    public let text: String

    /// A name in braces that is no placeholder, or a brace without its other one.
    public struct Fault: Error, Hashable {
        /// What was found, from the opening brace on.
        public var found: String
    }

    /// Reads a text.
    public init(_ text: String) throws(Fault) {
        _ = try Self.filled(text) { _ in nil }
        self.text = text
    }

    /// The text with values in place of their names; what has no value is left out.
    func filled(_ value: (Placeholder) -> String?) -> String { (try? Self.filled(text, value)) ?? text }

    private static func filled(_ text: String, _ value: (Placeholder) -> String?) throws(Fault) -> String {
        var (filled, rest) = ("", text[...])
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { throw Fault(found: String(rest[open...])) }
            let name = String(rest[rest.index(after: open)..<close])
            guard let placeholder = Placeholder(rawValue: name) else { throw Fault(found: "{\(name)}") }
            filled += rest[..<open] + (value(placeholder) ?? "")
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }
}

/// What a template may name; the raw value is the name.
public enum Placeholder: String, Sendable, CaseIterable {
    case title, magnitude, category, place, time, depth, status, source, provider, changes, reason, link, id, watch, age
}
