import CWords

/// A file of words of `Sources/CWords/Words`, which are compiled into the program.
///
/// `#` begins a line of comment; `[name]` begins a list. The lines of a list hold words between spaces, with `_` for
/// the spaces of a phrase; a line that begins with a language (`de:`) has words of that language, any other English
/// ones. Or they hold records: fields between `|`, words of a field between commas.
struct WordFile: Sendable {
    /// What is wrong with the file, each with its line: `places.txt:12: no list`.
    private(set) var faults: [String] = []

    private let name: String
    private var lists: [String: [Substring]] = [:]

    /// Reads a file.
    /// - Parameter name: Its name without an ending.
    init(_ name: String) {
        self.init(name, text: Self.text(of: name) ?? "")
        if lists.isEmpty { faults.append("\(name).txt: no such file") }
    }

    /// Reads a text as the file of that name.
    init(_ name: String, text: String) {
        self.name = name
        var list: String?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.first == "#" { continue }
            if line.first == "[", line.last == "]" {
                let head = String(line.dropFirst().dropLast())
                let isNew = lists.updateValue([], forKey: head) == nil
                if !isNew { faults.append("\(name).txt:\(index + 1): \(head) again") }
                list = head
            } else if let list {
                lists[list]?.append(line)
            } else {
                faults.append("\(name).txt:\(index + 1): no list")
            }
        }
    }

    /// The names of all files.
    static var names: [String] { all.map { $0.name } }

    /// The words of a list in all languages, as they are written.
    func words(_ list: String) -> [String] {
        lines(list).flatMap { line in
            let words = line.split(separator: " ")
            let isTagged = words.first.map { $0.utf8.count == 3 && $0.last == ":" } ?? false
            return words.dropFirst(isTagged ? 1 : 0).map { String($0).replacing("_", with: " ") }
        }
    }

    /// The words of a list in all languages, folded (`NameFolding`).
    func folded(_ list: String) -> Set<String> { Set(words(list).map { NameFolding.folded($0) }) }

    /// The fields of each record of a list, with the words of each field.
    func records(_ list: String) -> [[[String]]] {
        lines(list).map { line in
            line.split(separator: "|").map { field in
                field.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
            }
        }
    }

    /// The words of the second field of each record, by each word of its first.
    func namesByCode(_ list: String) -> [(code: String, names: [String])] {
        records(list).filter { $0.count > 1 }.flatMap { record in record[0].map { ($0, record[1]) } }
    }

    /// The same, to be looked up.
    func table(_ list: String) -> [String: [String]] {
        Dictionary(namesByCode(list).map { ($0.code, $0.names) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the lists.
    var listNames: [String] { lists.keys.sorted() }

    /// The lines of a list.
    func lines(_ list: String) -> [Substring] {
        assert(lists[list] != nil, "\(name).txt has no list \(list)")
        return lists[list] ?? []
    }

    // MARK: - Bytes

    private static var all: [(name: String, bytes: UnsafeBufferPointer<UInt8>)] {
        var files: [(name: String, bytes: UnsafeBufferPointer<UInt8>)] = []
        while let file = word_file_at(files.count)?.pointee {
            files.append((String(cString: file.name), UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
        return files
    }

    private static func text(of name: String) -> String? {
        all.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
