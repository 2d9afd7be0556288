/// The lines by which two texts differ.
struct LineDifference {
    private let old, new: [Substring]
    private let removed, inserted: Set<Int>

    init(from old: String, to new: String) {
        self.old = Self.lines(of: old)
        self.new = Self.lines(of: new)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in self.new.difference(from: self.old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        self.removed = removed
        self.inserted = inserted
    }

    /// A unified difference without lines of context, as of `diff -U0`.
    /// - Parameter file: The name of both files.
    func lines(file: String) -> [String] {
        var lines = ["--- \(file)", "+++ \(file)"]
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            let (first, firstNew) = (i, j)
            while removed.contains(i) { i += 1 }
            while inserted.contains(j) { j += 1 }
            guard i > first || j > firstNew else {
                i += 1
                j += 1
                continue
            }
            lines.append("@@ -\(Self.place(first..<i)) +\(Self.place(firstNew..<j)) @@")
            lines += old[first..<i].map { "-\($0)" } + new[firstNew..<j].map { "+\($0)" }
        }
        return lines
    }

    /// The first line and their number; the line before where there are none.
    private static func place(_ lines: Range<Int>) -> String {
        let first = lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1
        return lines.count == 1 ? "\(first)" : "\(first),\(lines.count)"
    }

    private static func lines(of text: String) -> [Substring] {
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}
