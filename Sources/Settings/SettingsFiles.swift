public import Foundation
import Glibc

/// A file of a configuration as it was read.
public struct SettingsFile: Sendable, Hashable {
    /// The path, as given or found; shown in messages.
    public var path: String
    /// The bytes of the file.
    public var content: Data

    /// Creates a file with these bytes, which are not checked.
    public init(path: String, content: Data) {
        self.path = path
        self.content = content
    }

    /// Creates a file with a text in UTF-8.
    public init(path: String, text: String) { self.init(path: path, content: Data(text.utf8)) }
}

/// The files of a configuration as they were read: the main file, and the fragments, which are the files `*.yaml` of
/// the folder `conf.d` beside it and hold sources alone.
public struct SettingsFiles: Sendable, Hashable {
    /// Most fragments.
    public static let maximumFragments = 256
    /// Largest size of all fragments together in bytes: 4 MiB. Each has at most `SettingsReader.maximumFileBytes`.
    public static let maximumFragmentBytes = 4 << 20

    /// The main file.
    public var main: SettingsFile
    /// The fragments, sorted by the bytes of their names.
    public var fragments: [SettingsFile]

    /// Creates a configuration of these files; by default the main file is alone.
    public init(main: SettingsFile, fragments: [SettingsFile] = []) {
        self.main = main
        self.fragments = fragments
    }

    /// The main file, then the fragments.
    public var all: [SettingsFile] { [main] + fragments }

    /// Reads a configuration; blocks its thread.
    /// - Parameters:
    ///   - path: The main file.
    ///   - files: How the main file is read; default: from the disk. Fragments are ordinary files on the disk.
    /// - Throws: `SettingsErrors`: of the main file alone if it cannot be read, else of all files that cannot, and for
    ///   more or larger fragments than allowed.
    public init(reading path: String, files: FileReading = .disk) throws(SettingsErrors) {
        main = SettingsFile(path: path, content: try SettingsReader.data(ofFile: path, files: files))
        fragments = []
        let paths: [String]
        do throws(FileReadingError) {
            paths = try Self.fragments(beside: path)
        } catch {
            throw SettingsErrors(faults: [
                SettingsFault(
                    reading: Self.folder(beside: path), error,
                    accepted: "a readable folder of at most \(Self.maximumFragments) YAML files")
            ])
        }
        var (faults, bytes): ([SettingsFault], Int) = ([], 0)
        for fragment in paths {
            do {
                let content = try FileReading.ordinary.contents(fragment)
                bytes += content.count
                fragments.append(SettingsFile(path: fragment, content: content))
            } catch {
                faults.append(SettingsFault(reading: fragment, error, accepted: "a readable YAML file"))
            }
            guard bytes <= Self.maximumFragmentBytes else {
                faults.append(
                    SettingsFault(
                        file: Self.folder(beside: path), found: "the files have more than 4 MiB together",
                        accepted: "at most 4 MiB, and 1 MiB each"))
                break
            }
        }
        guard faults.isEmpty else { throw SettingsErrors(faults: faults) }
    }

    /// The folder of the fragments of a main file, which may be missing; relative if the path is.
    public static func folder(beside path: String) -> String { PathResolver(file: path).beside("conf.d") }

    /// The paths of the fragments of a main file, sorted by the bytes of their names: names that end in `.yaml` and do
    /// not begin with a full stop. Empty without the folder. Blocks.
    /// - Throws: `FileReadingError` if the folder cannot be read, or has more than `maximumFragments`.
    public static func fragments(beside path: String) throws(FileReadingError) -> [String] {
        let folder = Self.folder(beside: path)
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw FileReadingError(errno: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw FileReadingError(errno: errno) }
                break
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(".yaml"), !name.hasPrefix(".") else { continue }
            guard names.count < maximumFragments else {
                throw FileReadingError("it has more than \(maximumFragments) files")
            }
            names.append(name)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(folder)/\($0)" }
    }

    /// The same with other bytes of one of the files.
    public func replacing(_ path: String, with content: Data) -> SettingsFiles {
        var files = self
        if main.path == path { files.main.content = content }
        for index in fragments.indices where fragments[index].path == path { files.fragments[index].content = content }
        return files
    }
}

extension SettingsFault {
    /// The fault of a file or folder that cannot be read; `accepted` is said of one that fails for good.
    init(reading file: String, _ error: any Error, accepted: String) {
        let isTransient = FileReading.isTransient(error)
        self.init(
            file: file, found: "cannot be read\(isTransient ? " just now" : ""): \(FileReading.reason(error))",
            accepted: isTransient ? "" : accepted)
        self.isTransient = isTransient
    }
}
