/// Namespace declarations in force, and the names that have been looked up under them (Namespaces in XML 1.0).
///
/// As a document commonly declares its namespaces on the root, the same few names come again and again in one scope:
/// they are found by their bytes as written. A scope is a set of declarations in force; each element that declares
/// anything begins one, and its end goes back to the one around it.
struct XMLNamespaces {
    /// A name that has been looked up.
    struct Found {
        /// Its number in `XMLNames`.
        var number: Int32
        /// Whether elements of this name are items.
        var isItem: Bool
        /// What is wrong with it.
        var fault: Fault
    }

    /// What can be wrong with a name.
    enum Fault: UInt8 {
        case none, undeclaredPrefix, misplacedColon
    }

    /// Where an element's own declarations begin, to go back to.
    struct Mark {
        fileprivate var declarations: Int
        fileprivate var scope: Int
    }

    /// More declarations in force at once are refused, for they are searched one by one.
    static let maximum = 256
    /// The namespace of the prefix `xml`, which nobody has to declare.
    static let xml = "http://www.w3.org/XML/1998/namespace"
    /// The namespace of declarations themselves; nothing may be bound to it.
    private static let xmlns = "http://www.w3.org/2000/xmlns/"

    private struct Declaration {
        /// Where the prefix stands; empty for the default namespace.
        var prefix: Range<Int>
        /// "" takes the default namespace away.
        var uri: String
        /// The number of the namespace; -1: no name has needed it.
        var number: Int32 = -1
    }

    /// A name by its bytes: the first eight, the last eight, their number; a longer one is compared where it stands.
    private struct Slot {
        var low: UInt64 = 0
        var high: UInt64 = 0
        var start = 0
        var count = 0
        /// The scope, and whether it is an attribute's name; -1: empty.
        var context = -1
        var found = Found(number: 0, isItem: false, fault: .none)
    }

    private var declarations: [Declaration] = []
    private var scope = 0
    private var lastScope = 0
    private var slots = [Slot](repeating: Slot(), count: 512)

    // MARK: Declarations

    /// How it stands before an element declares anything.
    var mark: Mark { Mark(declarations: declarations.count, scope: scope) }

    /// Goes back to how it stood before an element.
    @inline(__always) mutating func goBack(to mark: Mark) {
        guard scope != mark.scope else { return }
        declarations.removeLast(declarations.count - mark.declarations)
        scope = mark.scope
    }

    /// What comes of a declaration.
    enum Outcome {
        case declared, repeated, forbidden, tooMany
    }

    /// Declares a namespace for the element that began at `mark`; an empty prefix stands for the default namespace.
    mutating func declare(_ prefix: Range<Int>, _ uri: String, since mark: Mark, in input: XMLInput) -> Outcome {
        let isForbidden =
            uri == Self.xml || uri == Self.xmlns || input.isSame(prefix, "xmlns") || (uri.isEmpty && !prefix.isEmpty)
        // To declare `xml` as what it is, is allowed and changes nothing.
        if input.isSame(prefix, "xml") { return uri == Self.xml ? .declared : .forbidden }
        if isForbidden { return .forbidden }
        for known in declarations[mark.declarations...] where input.isSame(known.prefix, prefix) { return .repeated }
        guard declarations.count < Self.maximum else { return .tooMany }
        if scope == mark.scope {
            lastScope += 1
            scope = lastScope
        }
        declarations.append(Declaration(prefix: prefix, uri: uri))
        return .declared
    }

    /// The number of the namespace that a prefix stands for; nil when it is undeclared.
    private mutating func namespace(
        _ prefix: Range<Int>, in input: XMLInput, _ names: UnsafeMutablePointer<XMLNames>
    ) -> Int32? {
        if input.isSame(prefix, "xml") { return names.pointee.namespace(Self.xml) }
        for index in declarations.indices.reversed() where input.isSame(declarations[index].prefix, prefix) {
            if declarations[index].number < 0 {
                declarations[index].number = names.pointee.namespace(declarations[index].uri)
            }
            return declarations[index].number
        }
        return nil
    }

    // MARK: Names

    /// Looks a name up as it stands in the document; nil when there are too many names.
    @inline(__always) mutating func find(
        _ name: Range<Int>, isAttribute: Bool, in input: XMLInput, _ names: UnsafeMutablePointer<XMLNames>
    ) -> Found? {
        let count = name.count
        let low = input.word(at: name.lowerBound, count: count)
        let high = count > 8 ? input.word(at: name.upperBound - 8) : 0
        let context = scope &<< 1 | (isAttribute ? 1 : 0)
        let home = Self.home(low, high, context)
        for step in 0..<4 {
            let place = (home &+ step) & 511
            guard slots[place].low == low, slots[place].high == high, slots[place].count == count,
                slots[place].context == context
            else { continue }
            let start = slots[place].start
            if count <= 16 || input.isSame(start..<start + count, name) { return slots[place].found }
        }
        guard let found = resolve(name, isAttribute: isAttribute, in: input, names) else { return nil }
        // The first free place of the four, or else the home of this name: what it displaces is looked up again.
        let free = (0..<4).first { slots[(home &+ $0) & 511].context < 0 } ?? 0
        slots[(home &+ free) & 511] = Slot(
            low: low, high: high, start: name.lowerBound, count: count, context: context, found: found)
        return found
    }

    /// Where among 512 slots a name is looked for first.
    @inline(__always) private static func home(_ low: UInt64, _ high: UInt64, _ context: Int) -> Int {
        let mixed =
            (low &* 0x9E37_79B9_7F4A_7C15) ^ (high &* 0xC2B2_AE3D_27D4_EB4F)
            ^ (UInt64(truncatingIfNeeded: context) &* 0x1656_67B1_9E37_79F9)
        return Int(truncatingIfNeeded: mixed &>> 55)
    }

    @inline(never) private mutating func resolve(
        _ name: Range<Int>, isAttribute: Bool, in input: XMLInput, _ names: UnsafeMutablePointer<XMLNames>
    ) -> Found? {
        let (prefix, local, isSound) = Self.parts(of: name, in: input)
        var fault = isSound ? Fault.none : .misplacedColon
        var space: Int32 = 0
        if !prefix.isEmpty || !isAttribute {
            // An attribute without prefix has no namespace, an element without one has the default.
            if let declared = namespace(prefix, in: input, names) {
                space = declared
            } else if !prefix.isEmpty {
                fault = .undeclaredPrefix
            }
        }
        let undeclared = fault == .undeclaredPrefix ? input.text(prefix) : ""
        guard let number = names.pointee.number(input.text(local), prefix: undeclared, namespace: space) else {
            return nil
        }
        return Found(number: number, isItem: names.pointee.all[Int(number)].isItem, fault: fault)
    }

    /// Prefix and local part of a name, and whether it has at most the one colon between them. A colon that does not
    /// stand between two names belongs to the local part.
    static func parts(
        of name: Range<Int>, in input: XMLInput
    ) -> (prefix: Range<Int>, local: Range<Int>, isSound: Bool) {
        let none = name.lowerBound..<name.lowerBound
        guard let colon = input.find(UInt8(ascii: ":"), from: name.lowerBound, to: name.upperBound) else {
            return (none, name, true)
        }
        let start = colon + 1
        guard colon > name.lowerBound, start < name.upperBound, input[start] != UInt8(ascii: ":"),
            input.nameEnd(from: start) > start
        else { return (none, name, false) }
        let isSound = input.find(UInt8(ascii: ":"), from: start, to: name.upperBound) == nil
        return (name.lowerBound..<colon, start..<name.upperBound, isSound)
    }
}
