import Foundation

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

    /// Writes a line to standard error.
    static func complain(_ message: String) {
        FileHandle.standardError.write(Data((message.hasSuffix("\n") ? message : message + "\n").utf8))
    }

    /// A number of bytes for people: `812 KiB`, `242 MiB`.
    static func size(_ bytes: Int64) -> String {
        bytes < 10 << 20 ? "\(bytes / 1024) KiB" : "\(bytes >> 20) MiB"
    }

    /// Text in an ANSI style (`1` bold, `2` faint, `31` red), where colour is shown.
    static func styled(_ text: String, _ style: String) -> String {
        hasColour ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }

    /// Text from a feed made safe to show: control and bidirectional override characters are replaced.
    static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isUnsafe($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// Collects lines and writes them to standard output in large pieces.
struct Output: ~Copyable {
    private var bytes: [UInt8] = []

    /// Adds a line.
    mutating func line(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count > 1 << 16 { flush() }
    }

    /// Writes what has been collected; ends the program quietly when nobody reads any more.
    mutating func flush() {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if count < 0 && errno == EINTR { continue }
            // A reader that has enough, such as head, is no error; a full disk is.
            guard count > 0 else { exit(errno == EPIPE ? 0 : 74) }
            start += count
        }
        bytes.removeAll(keepingCapacity: true)
    }

    deinit {
        var last = self.bytes
        last.withUnsafeMutableBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Columns of text, each as wide as its widest cell.
struct TextTable {
    private let headings: [String]
    private var rows: [[String]] = []

    /// Creates a table; a heading that begins with `>` has its column aligned right.
    init(_ headings: [String]) { self.headings = headings }

    /// Adds a row.
    mutating func add(_ cells: [String]) { rows.append(cells.map(Terminal.safe)) }

    /// The lines; the last column is cut so that lines fit a terminal.
    func lines(width: Int?) -> [String] {
        let titles = headings.map { $0.hasPrefix(">") ? String($0.dropFirst()) : $0 }
        let widths = titles.indices.map { column in
            ([titles] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            var text = ""
            for (column, cell) in cells.enumerated() {
                let isLast = column == cells.count - 1
                let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
                let isRight = headings[column].hasPrefix(">")
                text += isRight ? padding + cell : isLast ? cell : cell + padding
                if !isLast { text += "  " }
            }
            guard let width, text.count > width else { return text }
            return String(text.prefix(width - 1)) + "…"
        }
        return [Terminal.styled(line(titles), "1")] + rows.map(line)
    }
}
