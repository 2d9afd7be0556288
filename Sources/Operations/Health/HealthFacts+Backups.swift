public import Foundation

extension HealthFacts {
    /// The newest copy in a folder of backups.
    public struct Backup: Sendable, Hashable {
        /// When it was last written (wall time).
        public var made: Date
        /// Its size in bytes.
        public var bytes: Int64

        /// Looks for files `*.sqlite` in the folder; unfinished copies have other names. Nil if there is none, or if
        /// the folder cannot be read.
        init?(newestIn folder: String) {
            var newest: stat?
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where name.hasSuffix(".sqlite") {
                var file = stat()
                guard stat("\(folder)/\(name)", &file) == 0, file.st_mode & S_IFMT == S_IFREG else { continue }
                if file.st_mtim.tv_sec > newest?.st_mtim.tv_sec ?? .min { newest = file }
            }
            guard let newest else { return nil }
            made = Date(timeIntervalSince1970: Double(newest.st_mtim.tv_sec))
            bytes = Int64(newest.st_size)
        }
    }
}
