import ArgumentParser
import Fetching
import Foundation
import Model
import Operations

/// All bytes of a file, an http or https URL, or standard input (`-`), for inputs that fit into memory.
/// - Throws: `Failure` for a URL, and for more than `limit` bytes; `UnreadableInput` for an unreadable file.
func wholeInput(_ argument: String, limit: Int = 64 << 20) async throws -> Data {
    let name = argument.withoutQuery
    var data = Data()
    if ["http", "https"].contains(argument.prefix { $0 != ":" }.lowercased()) {
        do throws(Failure) {
            let body = try await Fetcher.download(argument, limits: .unconfigured)
            defer { body.close() }
            while data.count <= limit, let piece = try await body.next() { data.append(piece) }
        } catch {
            throw error.of(name)
        }
    } else {
        let file = try argument == "-" ? .standardInput : openedInput(argument)
        while data.count <= limit, let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty { data.append(piece) }
    }
    guard data.count <= limit else { throw Failure(.feed, .tooLarge, "\(name) has more than \(limit) bytes") }
    return data
}

/// Refuses a URL (RFC 3986 §3.1) with another scheme than http and https.
func mustBeInput(_ argument: String) throws(ValidationError) {
    let scheme = argument.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    guard argument.dropFirst(scheme.count).hasPrefix("://"), !["http", "https"].contains(scheme.lowercased()) else {
        return
    }
    throw ValidationError(
        "a URL of scheme '\(scheme)' cannot be read; accepted are http and https URLs, files by their path, and - for "
            + "standard input")
}

extension Failure {
    /// The failure with the input's name; unchanged if the name may contain a password.
    func of(_ name: String) -> Failure {
        guard !name.contains("@") else { return self }
        var failure = self
        failure.message = "\(name): \(message)"
        return failure
    }
}

/// An unreadable file from the command line.
struct UnreadableInput: Error {
    /// The file and the reason.
    let message: String
}

extension FileHandle {
    /// Whether it is a regular file, which can be opened again and mapped.
    var isRegularFile: Bool {
        var file = stat()
        return fstat(fileDescriptor, &file) == 0 && file.st_mode & S_IFMT == S_IFREG
    }
}

/// Opens a file from the command line.
/// - Throws: `UnreadableInput`, also for a directory.
func openedInput(_ path: String) throws(UnreadableInput) -> FileHandle {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var reason = errno
    if descriptor >= 0 {
        var file = stat()
        let isFolder = fstat(descriptor, &file) == 0 && file.st_mode & S_IFMT == S_IFDIR
        guard isFolder else { return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true) }
        close(descriptor)
        reason = EISDIR
    }
    throw UnreadableInput(message: "\(path) cannot be read: \(String(cString: strerror(reason)))")
}
