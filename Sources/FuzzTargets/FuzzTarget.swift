public import Foundation

/// One way in for bytes from outside, and what must hold for whatever comes of them.
public struct FuzzTarget: Sendable {
    /// The word it is chosen by: `usgs`.
    public let name: String
    /// Documents to begin with: patterns `folder/*ending` below `Fixtures/`.
    public let seeds: [String]
    /// Takes the bytes in twice and looks at the outcome.
    private let look: @Sendable (Data) throws -> Void

    init(_ name: String, seeds: [String], _ look: @escaping @Sendable (Data) throws -> Void) {
        self.name = name
        self.seeds = seeds + ["fuzz/seeds/\(name)/*", "fuzz/findings/\(name)/*"]
        self.look = look
    }

    /// Takes the bytes in and checks what comes of them.
    /// - Throws: `BrokenInvariant` when something does not hold; a trap is a finding as well.
    public func check(_ data: Data) throws { try look(data) }

    /// All targets, in the order of the documentation.
    public static let all: [FuzzTarget] = feeds + texts + archives + services + tables + [configuration]

    /// The target of that name; nil when there is none.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

extension FuzzTarget: CustomStringConvertible {
    public var description: String { name }
}

/// Something that must hold for every input and does not.
public struct BrokenInvariant: Error, Sendable, Hashable, CustomStringConvertible {
    /// What does not hold, with the value that shows it.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless the condition holds.
func hold(_ condition: Bool, _ words: @autoclosure () -> String) throws(BrokenInvariant) {
    if !condition { throw BrokenInvariant(words()) }
}

/// The beginning of a value, with control characters written out, for a message.
func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.prefix(120).map { $0.escaped(asASCII: false) }.joined() + "\""
}
