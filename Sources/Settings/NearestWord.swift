public import Model

/// Finds the candidate that a misspelt word probably stands for, for `did you mean …?`.
public enum NearestWord {
    /// The candidate nearest to `word`; nil if none is near or the word has more than 64 bytes (UTF-8).
    ///
    /// First come candidates at most two edits away (one below six bytes; swapping two neighbours is one edit). Case
    /// does not count, and a hyphen is an underscore. Of equally near candidates the first one wins.
    /// Otherwise, for a word of three bytes or more: the only candidate that begins with it (of several the one with
    /// which all begin, if there is one), else the shortest that contains it, else the first with which the word begins.
    /// For this, candidates must be in lower case with underscores.
    ///
    /// A candidate with digits must have the digits of the word: `5.0_day` does not suggest `1.0_day`, nor `day`
    /// `4.5_day`.
    public static func to(_ word: String, among candidates: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let typed = normalised(word)
        let number = word.filter(\.isNumber)
        let candidates = candidates.filter { candidate in
            let other = candidate.filter(\.isNumber)
            return other.isEmpty || other == number
        }
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = steps(from: typed, to: normalised(candidate))
            if distance < (best?.distance ?? Int.max) { best = (candidate, distance) }
        }
        if let best, best.distance <= min(2, max(1, typed.count / 3)) { return best.candidate }
        guard typed.count >= 3 else { return nil }
        let text = String(decoding: typed, as: UTF8.self)
        let begun = candidates.filter { $0.hasPrefix(text) }
        guard begun.isEmpty else { return begun.first { stem in begun.allSatisfy { $0.hasPrefix(stem) } } }
        return candidates.filter { $0.contains(text) }.min { $0.utf8.count < $1.utf8.count }
            ?? candidates.first { text.hasPrefix($0) }
    }

    /// The name of the kind that has the word, in any case, as a synonym, else the nearest name; nil if none is near.
    public static func to(_ word: String, among kinds: [FeedKind]) -> String? {
        kinds.first { $0.synonyms.contains(word.lowercased()) }?.name ?? to(word, among: kinds.map { $0.name })
    }

    /// The end of a message about an unknown name: `; did you mean news?`, or empty if no name is near.
    public static func hint(for name: String, among known: [String]) -> String {
        to(name, among: known).map { "; did you mean \($0)?" } ?? ""
    }

    private static func normalised(_ word: String) -> [UInt8] {
        word.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
    }

    /// Optimal string alignment distance.
    private static func steps(from left: [UInt8], to right: [UInt8]) -> Int {
        var before: [Int] = []
        var above = Array(0...right.count)
        for i in 0..<left.count {
            var row = [i + 1]
            for j in 0..<right.count {
                var cost = min(above[j] + (left[i] == right[j] ? 0 : 1), above[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            before = above
            above = row
        }
        return above[right.count]
    }
}
