public import Foundation

/// What a process of this program uses, from proc(5).
public struct ProcessFigures: Sendable, Hashable {
    /// Processor time of all its threads, in seconds.
    public var processorSeconds: Double
    /// Resident memory in bytes.
    public var residentBytes: Int64
    /// When it was started (wall time), to the second.
    public var started: Date
    /// Its open files; nil if this user may not know.
    public var openFiles: Int?

    /// Ticks a second of the times in `/proc`, on all of Linux's architectures (`USER_HZ`).
    private static let ticks = 100.0

    /// Reads the figures of a process.
    /// - Parameters:
    ///   - process: Its number, or `self`.
    ///   - now: Wall time.
    /// - Returns: Nil if there is no such process, or if another program has that number.
    public init?(of process: String, now: Date) {
        let folder = "/proc/\(process)"
        guard let text = try? String(contentsOfFile: folder + "/stat", encoding: .utf8) else { return nil }
        var uptime = timespec()
        clock_gettime(CLOCK_BOOTTIME, &uptime)
        self.init(
            stat: text, booted: now.addingTimeInterval(-Double(uptime.tv_sec) - Double(uptime.tv_nsec) * 1e-9),
            pageBytes: Int64(getpagesize()))
        openFiles = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd"))?.count
    }

    /// Reads a line of `/proc/PID/stat`; nil if it has another form or is another program's.
    init?(stat text: String, booted: Date, pageBytes: Int64) {
        // The name stands in brackets and may contain any character; the third field is the next.
        guard let end = text.lastIndex(of: ")"), let begin = text.firstIndex(of: "("),
            begin < end, text[text.index(after: begin)..<end] == "visiventd"
        else { return nil }
        let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
        guard fields.count > 21, let user = Int64(fields[11]), let system = Int64(fields[12]),
            let start = Int64(fields[19]), let pages = Int64(fields[21])
        else { return nil }
        processorSeconds = (Double(user) + Double(system)) / Self.ticks
        residentBytes = pages.multipliedReportingOverflow(by: pageBytes).partialValue
        let time = booted.timeIntervalSince1970 + Double(start) / Self.ticks
        started = Date(timeIntervalSince1970: time.rounded())
    }
}
