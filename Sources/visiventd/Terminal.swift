import Foundation
import Model
import Operations

/// Standard output and standard error, and the terminal behind them.
enum Terminal {
    /// Whether standard output is a terminal that shows colour (honours NO_COLOR and TERM=dumb).
    static let hasColour =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Columns of the terminal; nil if standard output is none.
    static var width: Int? { width(of: STDOUT_FILENO) }

    /// The columns of the terminal of a descriptor; nil: it is none, or its width is not known.
    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether the reader of standard output, such as `head`, has closed its end of the pipe (poll(2)).
    static var isAbandoned: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) == 1 && output.revents & Int16(POLLERR) != 0
    }

    /// Writes a message to standard error as one line, without characters that a terminal might interpret. For the
    /// journal it begins with its priority (sd-daemon(3)). A failure to write is ignored.
    static func printError(_ message: String) {
        let priority = !isJournal ? "" : message.hasPrefix("warning: ") ? "<4>" : "<3>"
        show(priority + safe(message) + "\n")
    }

    /// Writes the text unchanged to standard error.
    static func show(_ text: String) {
        let bytes = Array(text.utf8)
        // FileHandle would end the program on a full disk.
        bytes.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Writes a line to standard output at once; the command goes on without a reader.
    static func print(_ line: String) {
        var output = Output(endsWithReader: false)
        output.line(line)
        output.flush()
    }

    /// Prints what has been done, or, as an error of the program, why it has not.
    static func tell(_ message: String, isSuccess: Bool) {
        if isSuccess { print(message) } else { printError("visiventd: \(message)") }
    }

    private static let isJournal =
        LogFormat.automatic(environment: ProcessInfo.processInfo.environment) == .journal

    /// The text in an ANSI style (`1` bold, `2` faint, `31` red) if colour is shown.
    static func styled(_ text: String, _ style: String) -> String {
        hasColour ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }

    /// Text from a feed made safe to show: control and bidirectional override characters are replaced.
    static func safe(_ text: String) -> String { text.safeToShow }
}

/// Collects lines and writes them in large blocks to standard output or a file.
struct Output: ~Copyable {
    private var bytes: [UInt8] = []
    private let file: OutputFile?
    private let endsWithReader: Bool

    /// - Parameters:
    ///   - file: The output file in place of standard output.
    ///   - endsWithReader: Whether the program exits successfully when the reader is gone; else the output is dropped,
    ///     and the exit code comes from the command.
    init(to file: OutputFile? = nil, endsWithReader: Bool = true) {
        self.file = file
        self.endsWithReader = endsWithReader
    }

    /// Adds a line; characters that a terminal might interpret are replaced, except in the heading.
    mutating func line(_ text: String, headed heading: String = "") { add(heading + text.safeToShow) }

    /// Adds a line of JSON; characters that a terminal might interpret are escaped.
    mutating func json(_ text: String) { add(text.safeJSON) }

    /// Adds a record of a JSON text sequence (RFC 7464 §2.2), escaped like `json`.
    mutating func record(_ text: String) {
        bytes.append(0x1E)
        json(text)
    }

    /// Adds a line that `write` appends without its line break; it must be safe to show.
    mutating func line(_ write: (inout [UInt8]) -> Void) {
        write(&bytes)
        endLine()
    }

    /// Adds the lines of a table, with its styles if colour is shown.
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

    /// Adds bytes unchanged and writes them.
    mutating func add(_ data: Data) {
        bytes.append(contentsOf: data)
        flush()
    }

    /// Writes the collected bytes; a failure ends the program, but a closed pipe only if `endsWithReader`.
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

/// A table whose columns are as wide as their widest cells.
struct TextTable {
    private let headings: [String]
    private var rows: [(cells: [String], style: String?)] = []
    private var hasHeadings = true
    private var leastWidths: [Int]

    /// Creates a table; a heading that begins with `>` aligns its column right.
    init(_ headings: [String]) {
        self.headings = headings
        leastWidths = headings.map { $0.hasPrefix(">") ? $0.count - 1 : $0.count }
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Starts a continuation of the printed rows: without headings, with columns at least as wide.
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

    /// Adds a row; `style` is the ANSI style of the last cell.
    mutating func add(_ cells: [String], style: String? = nil) { rows.append((cells.map(Terminal.safe), style)) }

    /// The lines, safe to show and cut to `width` columns.
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
    /// The headings to leave out of a narrow terminal: the first ones of `order`, until a line has room for the last
    /// column or for `least` columns of it.
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

    /// The table without the given headings.
    func without(_ spared: Set<String>) -> TextTable {
        let shown = headings.indices.filter { !spared.contains(headings[$0]) }
        var table = TextTable(shown.map { headings[$0] })
        table.rows = rows.map { row in (cells: shown.map { row.cells[$0] }, style: row.style) }
        table.hasHeadings = hasHeadings
        table.leastWidths = shown.map { leastWidths[$0] }
        return table
    }
}
