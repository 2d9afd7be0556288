import Foundation

/// Another process whose read transaction keeps the WAL from shrinking.
public struct WALReader: Sendable, Hashable {
    /// The process id, above 0.
    public var process: Int32
    /// The command name (`/proc/PID/comm`, at most 15 bytes); nil if it cannot be read.
    public var name: String?

    /// Creates a reader with these values; by default without a name.
    public init(process: Int32, name: String? = nil) {
        self.process = process
        self.name = name
    }

    /// The process with the oldest read mark on the WAL of a database, which this process has open at the path; nil if
    /// no other process lags behind or the system does not tell.
    ///
    /// Readers hold locks on bytes of the -shm file (<https://www.sqlite.org/walformat.html#wal_locks>). The kernel
    /// names the holder even where /proc is hidden. SQLite's own descriptor is used, because closing another one would
    /// drop all locks of this process on the file (fcntl(2)).
    package static func inTheWay(of database: String) -> WALReader? {
        var index = stat()
        guard stat(database + "-shm", &index) == 0 else { return nil }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in names.compactMap({ Int32($0) }) {
            var file = stat()
            guard fstat(descriptor, &file) == 0, file.st_dev == index.st_dev, file.st_ino == index.st_ino else {
                continue
            }
            return oldest(in: descriptor)
        }
        return nil
    }

    private static func oldest(in descriptor: Int32) -> WALReader? {
        // The end of the WAL is at byte 16; the five read marks, one for each lock, begin at byte 100.
        var header = [UInt32](repeating: 0, count: 30)
        let size = header.count * 4
        guard pread(descriptor, &header, size, 0) == size else { return nil }
        let end = header[4]
        var found: (mark: UInt32, process: Int32)?
        for slot in 0..<5 {
            let mark = slot == 0 ? 0 : header[25 + slot]
            guard mark < end, mark < found?.mark ?? .max else { continue }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(123 + slot)
            lock.l_len = 1
            let isTold = fcntl(descriptor, F_GETLK, &lock) == 0
            if isTold, lock.l_type != Int16(F_UNLCK), lock.l_pid > 0 { found = (mark, lock.l_pid) }
        }
        return found.map { WALReader(process: $0.process, name: name(of: $0.process)) }
    }

    private static func name(of process: Int32) -> String? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8) else { return nil }
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? nil : name
    }
}
