public import Foundation

/// An entry point for bytes from outside, with its invariants.
public struct FuzzTarget: Sendable {
    /// The name that selects it, such as `usgs`.
    public let name: String
    /// Patterns `folder/*ending` of the initial documents below `Fixtures/`.
    public let seeds: [String]
    /// Runs the code on the bytes and checks the outcome.
    private let look: @Sendable (Data) throws -> Void

    init(_ name: String, seeds: [String], _ look: @escaping @Sendable (Data) throws -> Void) {
        self.name = name
        self.seeds = seeds + ["fuzz/seeds/\(name)/*", "fuzz/findings/\(name)/*"]
        self.look = look
    }

    /// Runs the code on the bytes and checks its invariants.
    /// - Throws: `BrokenInvariant` for a broken invariant; a trap is a finding as well.
    public func check(_ data: Data) throws { try look(data) }

    /// All targets, in the order of the documentation.
    public static let all: [FuzzTarget] = feeds + texts + archives + services + tables + [configuration]

    /// The target with a name; nil if unknown.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

extension FuzzTarget: CustomStringConvertible {
    public var description: String { name }
}

/// A broken invariant.
public struct BrokenInvariant: Error, Sendable, Hashable, CustomStringConvertible {
    /// The invariant, with the value that breaks it.
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
