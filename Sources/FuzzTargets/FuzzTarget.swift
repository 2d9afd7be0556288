public import Foundation

/// An entry point for bytes from outside, with its invariants.
public struct FuzzTarget: Sendable {
    /// The unique name that selects it, such as `usgs`; also that of its folders below `Fixtures/fuzz/`.
    public let name: String
    /// Patterns `folder/*ending` or paths, below `Fixtures/`, of the initial documents: those of the feed or service,
    /// the made ones in `fuzz/seeds/` and earlier findings in `fuzz/findings/`.
    public let seeds: [String]
    /// Runs the code on the bytes and checks the outcome.
    private let look: @Sendable (Data) throws -> Void

    init(_ name: String, seeds: [String], _ look: @escaping @Sendable (Data) throws -> Void) {
        self.name = name
        self.seeds = seeds + ["fuzz/seeds/\(name)/*", "fuzz/findings/\(name)/*"]
        self.look = look
    }

    /// Runs the code on any bytes, also none, and checks its invariants; blocks its thread.
    /// - Throws: `BrokenInvariant` for a broken invariant, or another error that the code lets through; a trap
    ///   is a finding as well.
    public func check(_ data: Data) throws { try look(data) }

    /// The targets of `make fuzz`, each with a name of its own: kinds of feeds, texts, archives, services, tables,
    /// configuration, pictures, what clients of `visiventd serve` send, and messages with what receivers answer.
    public static let all: [FuzzTarget] =
        feeds + texts + archives + services + tables + [configuration, pictures, exchanges, connections] + requests
        + messages

    /// The target with exactly this name; nil if there is none.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

extension FuzzTarget: CustomStringConvertible {
    /// The name, as test reports show it.
    public var description: String { name }
}

/// The finding of a target: an invariant that does not hold for its bytes.
public struct BrokenInvariant: Error, Sendable, Hashable, CustomStringConvertible {
    /// The invariant in words for people, with the value that breaks it; quoted texts are cut to 120 characters.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless the condition holds.
func hold(_ condition: Bool, _ words: @autoclosure () -> String) throws(BrokenInvariant) {
    if !condition { throw BrokenInvariant(words()) }
}

/// The first 120 characters of a value for a message, with control characters escaped.
func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.prefix(120).map { $0.escaped(asASCII: false) }.joined() + "\""
}
