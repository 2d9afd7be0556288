/// Elements of several parties, given out in turns: one of each party after the other, first come, first served within
/// a party.
package struct FairQueue<Element: Sendable>: Sendable {
    private struct Line: Sendable {
        var party: String
        /// Never empty.
        var elements: [Element]
    }

    /// In the order of their turns.
    private var lines: [Line] = []
    /// The elements that wait.
    package private(set) var count = 0

    /// Creates an empty queue.
    package init() {}

    /// Adds an element behind those of its party.
    package mutating func append(_ element: Element, of party: String) {
        count += 1
        if let index = lines.firstIndex(where: { $0.party == party }) {
            lines[index].elements.append(element)
        } else {
            lines.append(Line(party: party, elements: [element]))
        }
    }

    /// Takes the element whose turn it is, and puts its party behind the others; nil if there is none.
    /// - Parameter mayGo: Whether a party may have its turn; others keep their place.
    package mutating func next(where mayGo: (String) -> Bool = { _ in true }) -> (party: String, element: Element)? {
        guard let index = lines.firstIndex(where: { mayGo($0.party) }) else { return nil }
        var line = lines.remove(at: index)
        let element = line.elements.removeFirst()
        count -= 1
        if !line.elements.isEmpty { lines.append(line) }
        return (line.party, element)
    }

    /// Removes the last element of the longest line; nil, and nothing is removed, unless that is longer than the
    /// party's own would be with one element more.
    package mutating func makeRoom(for party: String) -> Element? {
        let own = lines.first { $0.party == party }?.elements.count ?? 0
        guard let index = lines.indices.max(by: { lines[$0].elements.count < lines[$1].elements.count }),
            lines[index].elements.count > own + 1
        else { return nil }
        count -= 1
        // It is longer than one, so it does not become empty.
        return lines[index].elements.removeLast()
    }

    /// Removes the elements for which the condition holds.
    package mutating func removeAll(of party: String, where isGone: (Element) -> Bool) {
        guard let index = lines.firstIndex(where: { $0.party == party }) else { return }
        let before = lines[index].elements.count
        lines[index].elements.removeAll(where: isGone)
        count -= before - lines[index].elements.count
        if lines[index].elements.isEmpty { lines.remove(at: index) }
    }

    /// Takes all elements.
    package mutating func removeAll() -> [Element] {
        defer { (lines, count) = ([], 0) }
        return lines.flatMap { $0.elements }
    }
}
