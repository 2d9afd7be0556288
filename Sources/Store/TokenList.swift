/// The tokens of a text in their order, in which phrases are found by binary search.
struct TokenList: Sendable {
    /// All tokens, one behind the other.
    private var bytes: [UInt8] = []
    /// Where each token ends.
    private var ends: [Int32] = []
    /// The tokens' numbers, sorted by their bytes.
    private var sorted: [Int32] = []

    init(_ tokens: [[UInt8]]) {
        bytes.reserveCapacity(tokens.reduce(0) { $0 + $1.count })
        ends.reserveCapacity(tokens.count)
        for token in tokens {
            bytes += token
            ends.append(Int32(clamping: bytes.count))
        }
        let all = (0..<Int32(clamping: tokens.count)).sorted {
            tokens[Int($0)].lexicographicallyPrecedes(tokens[Int($1)])
        }
        sorted = all
    }

    /// Whether the tokens of a phrase follow each other somewhere.
    /// - Parameters:
    ///   - phrase: At least one token; without any, the answer is false.
    ///   - isPrefix: Whether the last token is the beginning of one.
    func contains(_ phrase: [[UInt8]], withAnyEnding isPrefix: Bool) -> Bool {
        guard let first = phrase.first, phrase.count <= ends.count else { return false }
        let isAlone = phrase.count == 1
        var index = firstIndex(notBefore: first)
        while index < sorted.count {
            let start = Int(sorted[index])
            let token = token(start)
            guard isAlone && isPrefix ? token.starts(with: first) : token.elementsEqual(first) else { return false }
            if isAlone || follows(phrase, from: start, withAnyEnding: isPrefix) { return true }
            index += 1
        }
        return false
    }

    private func follows(_ phrase: [[UInt8]], from start: Int, withAnyEnding isPrefix: Bool) -> Bool {
        guard start + phrase.count <= ends.count else { return false }
        return phrase.indices.dropFirst().allSatisfy { offset in
            let token = token(start + offset)
            let isOpen = isPrefix && offset == phrase.count - 1
            return isOpen ? token.starts(with: phrase[offset]) : token.elementsEqual(phrase[offset])
        }
    }

    private func token(_ number: Int) -> ArraySlice<UInt8> {
        bytes[(number == 0 ? 0 : Int(ends[number - 1]))..<Int(ends[number])]
    }

    /// The index in `sorted` of the first token that is not before this one.
    private func firstIndex(notBefore wanted: [UInt8]) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if token(Int(sorted[middle])).lexicographicallyPrecedes(wanted) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
