/// A value in the literal of an object: `JSONWriter.object(["name": name, "seen": date?.timestamp])`.
public protocol JSONMember {
    /// Writes a member with this value; writes nothing where `JSONWriter.member` writes nothing.
    func write(to writer: inout JSONWriter, as key: String)
}

extension JSONWriter {
    /// The text of an object with these members, in their order; `{}` if none is written.
    public static func object(_ members: KeyValuePairs<String, any JSONMember>) -> String {
        var writer = JSONWriter()
        writer.add(members)
        return writer.finish()
    }

    /// The same for members that are made one by one.
    public static func object(of members: [(String, any JSONMember)]) -> String {
        var writer = JSONWriter()
        for (key, value) in members { value.write(to: &writer, as: key) }
        return writer.finish()
    }

    /// Writes these members, in their order.
    public mutating func add(_ members: KeyValuePairs<String, any JSONMember>) {
        for (key, value) in members { value.write(to: &self, as: key) }
    }
}

extension String: JSONMember {
    public func write(to writer: inout JSONWriter, as key: String) { writer.member(key, self) }
}

extension Int: JSONMember {
    public func write(to writer: inout JSONWriter, as key: String) { writer.member(key, self) }
}

extension Double: JSONMember {
    public func write(to writer: inout JSONWriter, as key: String) { writer.member(key, self) }
}

extension Bool: JSONMember {
    public func write(to writer: inout JSONWriter, as key: String) { writer.member(key, self) }
}

extension [String]: JSONMember {
    public func write(to writer: inout JSONWriter, as key: String) { writer.member(key, self) }
}

extension Optional: JSONMember where Wrapped: JSONMember {
    public func write(to writer: inout JSONWriter, as key: String) { self?.write(to: &writer, as: key) }
}

/// JSON text as a value, unchecked: it must be one valid JSON value.
public struct RawJSON: JSONMember {
    private let text: String

    /// Takes JSON text.
    public init(_ text: String) { self.text = text }

    public func write(to writer: inout JSONWriter, as key: String) { writer.member(key, raw: text) }
}

extension JSONMember where Self == RawJSON {
    /// A value that is JSON already, unchecked: it must be one valid JSON value.
    public static func raw(_ json: String) -> RawJSON { RawJSON(json) }

    /// An array of values that are JSON already, unchecked.
    public static func array(_ elements: [String]) -> RawJSON {
        RawJSON("[" + elements.joined(separator: ",") + "]")
    }

    /// An object within the object.
    public static func object(_ members: KeyValuePairs<String, any JSONMember>) -> RawJSON {
        RawJSON(JSONWriter.object(members))
    }

    /// The same for members that are made one by one.
    public static func object(of members: [(String, any JSONMember)]) -> RawJSON {
        RawJSON(JSONWriter.object(of: members))
    }
}
