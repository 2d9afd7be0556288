import Foundation
import Model
import Operations

/// Standard output and error, and what they are connected to.
enum Terminal {
    /// Whether standard output is a terminal that shows colour (NO_COLOR and TERM=dumb are honoured).
    static let hasColour =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Columns of the terminal; nil when standard output is none.
    static var width: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether who read standard output is gone, such as `head`: the other end of its pipe is closed (poll(2)).
    static var isAbandoned: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) == 1 && output.revents & Int16(POLLERR) != 0
    }

    /// Writes a message to standard error, as one line: whatever of it a terminal might obey is replaced. For the journal
    /// its priority stands in front (sd-daemon(3)). Where it cannot be written, nobody is told.
    static func printError(_ message: String) {
        let priority = !isJournal ? "" : message.hasPrefix("warning: ") ? "<4>" : "<3>"
        show(priority + safe(message) + "\n")
    }

    /// Writes to standard error as it is.
    static func show(_ text: String) {
        let bytes = Array(text.utf8)
        // FileHandle would end the program where the other side is a full disk.
        bytes.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Writes a line to standard output at once; where nobody reads it, the command goes on.
    static func print(_ line: String) {
        var output = Output(endsWithReader: false)
        output.line(line)
        output.flush()
    }

    private static let isJournal =
        LogFormat.automatic(environment: ProcessInfo.processInfo.environment) == .journal

    /// Text in an ANSI style (`1` bold, `2` faint, `31` red), where colour is shown.
    static func styled(_ text: String, _ style: String) -> String {
        hasColour ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }

    /// Text from a feed made safe to show: control and bidirectional override characters are replaced.
    static func safe(_ text: String) -> String { text.safeToShow }
}

/// Collects lines and writes them in large pieces, to standard output or to a file.
struct Output: ~Copyable {
    private var bytes: [UInt8] = []
    private let file: OutputFile?
    private let endsWithReader: Bool

    /// - Parameters:
    ///   - file: Where to write in place of standard output.
    ///   - endsWithReader: Whether the program ends, as a success, when nobody reads any more; else the output is
    ///     dropped, and the exit code tells the rest.
    init(to file: OutputFile? = nil, endsWithReader: Bool = true) {
        self.file = file
        self.endsWithReader = endsWithReader
    }

    /// Adds a line; whatever of it a terminal might obey is replaced, but for a heading of the program's own.
    mutating func line(_ text: String, headed heading: String = "") { add(heading + text.safeToShow) }

    /// Adds a line of JSON; whatever of it a terminal might obey is escaped.
    mutating func json(_ text: String) { add(text.safeJSON) }

    /// Adds a record of a sequence of JSON texts (RFC 7464 §2.2); whatever of it a terminal might obey is escaped.
    mutating func record(_ text: String) {
        bytes.append(0x1E)
        json(text)
    }

    /// Adds a line that `write` appends, without its end, and of which a terminal obeys nothing.
    mutating func line(_ write: (inout [UInt8]) -> Void) {
        write(&bytes)
        endLine()
    }

    /// Adds the lines of a table, where colour is shown in its styles.
    mutating func table(_ table: TextTable, width: Int?) {
        for line in table.lines(width: width) { add(line) }
    }

    private mutating func add(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        endLine()
    }

    private mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count > 1 << 16 { flush() }
    }

    /// Adds bytes as they are.
    mutating func add(_ data: Data) {
        bytes.append(contentsOf: data)
        flush()
    }

    /// Writes what has been collected.
    mutating func flush() {
        let descriptor = file?.descriptor ?? STDOUT_FILENO
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if count < 0 && errno == EINTR { continue }
            if count <= 0, let file { file.giveUp(String(cString: strerror(errno))) }
            // A reader that has enough, such as head, is no error; a full disk is.
            if count <= 0 {
                guard errno == EPIPE else { exit(74) }
                if endsWithReader { exit(0) }
                break
            }
            start += count
        }
        bytes.removeAll(keepingCapacity: true)
    }

    deinit {
        var last = self.bytes
        let descriptor = self.file?.descriptor ?? STDOUT_FILENO
        last.withUnsafeMutableBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// Columns of text, each as wide as its widest cell.
struct TextTable {
    private let headings: [String]
    private var rows: [(cells: [String], style: String?)] = []
    private var hasHeadings = true
    private var leastWidths: [Int]

    /// Creates a table; a heading that begins with `>` has its column aligned right.
    init(_ headings: [String]) {
        self.headings = headings
        leastWidths = headings.map { $0.hasPrefix(">") ? $0.count - 1 : $0.count }
    }

    /// Whether it has no rows.
    var isEmpty: Bool { rows.isEmpty }

    /// Goes on below the rows so far: those to come have no headings, and columns that are at least as wide.
    mutating func goOn() {
        leastWidths = widths
        rows = []
        hasHeadings = false
    }

    private var widths: [Int] {
        headings.indices.map { column in
            rows.reduce(leastWidths[column]) { max($0, $1.cells[column].unicodeScalars.columns) }
        }
    }

    /// Adds a row; its last cell is in an ANSI style, if one is given.
    mutating func add(_ cells: [String], style: String? = nil) { rows.append((cells.map(Terminal.safe), style)) }

    /// The lines, safe to show; the last column is cut so that lines fit a terminal.
    func lines(width: Int?) -> [String] {
        let titles = headings.map { $0.hasPrefix(">") ? String($0.dropFirst()) : $0 }
        let widths = widths
        func line(_ cells: [String], style: String? = nil) -> String {
            var text = ""
            for (column, cell) in cells.enumerated() {
                let isLast = column == cells.count - 1
                let padding = String(repeating: " ", count: max(0, widths[column] - cell.unicodeScalars.columns))
                let isRight = headings[column].hasPrefix(">")
                let shown = isLast ? style.map { Terminal.styled(cell, $0) } ?? cell : cell
                text += isRight ? padding + shown : isLast ? shown : shown + padding
                if !isLast { text += "  " }
            }
            guard let width, text.unicodeScalars.columns > width else { return text }
            var room = width - 1
            let kept = text.prefix { character in
                room -= character.unicodeScalars.columns
                return room >= 0
            }
            return String(kept) + "…"
        }
        return (hasHeadings ? [Terminal.styled(line(titles), "1")] : [])
            + rows.map { line($0.cells, style: $0.style) }
    }
}

extension TextTable {
    /// The headings that a terminal is too narrow for: the first ones of `order`, until a line has room for the last
    /// column, or for `least` columns of it.
    func spared(_ order: [String], width: Int?, least: Int = .max) -> Set<String> {
        guard let width, let last = widths.last else { return [] }
        var needed = widths.dropLast().reduce(min(least, last)) { $0 + $1 + 2 }
        var spared: Set<String> = []
        for heading in order where needed > width {
            guard let column = headings.firstIndex(of: heading) else { continue }
            spared.insert(heading)
            needed -= widths[column] + 2
        }
        return spared
    }

    /// The table without these headings.
    func without(_ spared: Set<String>) -> TextTable {
        let shown = headings.indices.filter { !spared.contains(headings[$0]) }
        var table = TextTable(shown.map { headings[$0] })
        table.rows = rows.map { row in (cells: shown.map { row.cells[$0] }, style: row.style) }
        table.hasHeadings = hasHeadings
        table.leastWidths = shown.map { leastWidths[$0] }
        return table
    }
}
