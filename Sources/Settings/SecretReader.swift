import Foundation
public import Model

/// Reads keys, tokens and passwords from the places that the configuration names.
///
/// A reference is `credential:NAME`, a credential that systemd passes to the service (`LoadCredential=`,
/// systemd.exec(5)); `env:NAME`, an environment variable; or the path of a file. A NAME has ASCII letters, digits and
/// `_`; a credential's also `-` and `.`.
public struct SecretReader: Sendable {
    private let environment: [String: String]
    private let files: FileReading
    private let user: UInt32

    /// Creates a reader; `CREDENTIALS_DIRECTORY` in `environment` is the folder of the credentials. By default only
    /// regular files are read.
    /// - Parameter user: The id of the service's user, for `exposure`; nil, the default: that of this process.
    public init(environment: [String: String], files: FileReading = .ordinary, user: UInt32? = nil) {
        self.environment = environment
        self.files = files
        self.user = user ?? geteuid()
    }

    /// Reads a secret: one line of UTF-8, 1 byte to 64 KiB, without the line break at its end. It reads anew each time,
    /// so it blocks and sees a changed file.
    /// - Throws: `Failure` of code `secret`, also for a malformed reference; its message names the place and the
    ///   reason, never the content. Its fault is `ours` for a transient error (descriptors, memory, a failing disk),
    ///   else `operator`.
    public func read(_ reference: String) throws(Failure) -> Secret {
        guard let place = SecretPlace(reference) else {
            throw failure("the place of a secret is not understood; accepted: \(SecretPlace.accepted)")
        }
        switch place {
        case .variable(let name):
            guard let value = environment[name] else { throw failure("the environment variable \(name) is not set") }
            return try secret(value, in: "the environment variable \(name)")
        case .credential(let name):
            guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else {
                var missing = failure(
                    "the credential \(name) cannot be read: systemd passes no credentials; "
                        + "add LoadCredential=\(name):PATH to the unit")
                missing.missingCredential = name
                throw missing
            }
            return try secret(inFile: "\(directory)/\(name)")
        case .file(let path):
            return try secret(inFile: path)
        }
    }

    /// A sentence that names a secret's file which its group or everybody can read, with its mode; nil for any other.
    ///
    /// Only the file's own bits count. Systemd keeps credentials in a folder of the service's, so theirs do not. A file
    /// of somebody else (`root:visiventd`, 0640) is readable by the service through its group, which is as it should be.
    /// Of root nothing tells as whom the service runs.
    public func exposure(of reference: String) -> String? {
        guard case .file(let path)? = SecretPlace(reference) else { return nil }
        let folders = ["/run/credentials", environment["CREDENTIALS_DIRECTORY"] ?? ""].filter { !$0.isEmpty }
        guard !folders.contains(where: { path.hasPrefix($0 + "/") }) else { return nil }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o044 != 0 else { return nil }
        let isOwn = status.st_uid == user && user != 0
        guard isOwn || status.st_mode & 0o004 != 0 else { return nil }
        let mode = String(status.st_mode & 0o777, radix: 8)
        return "\(path) can be read by others than its owner (mode 0\(mode)): give it mode 0600, owned by "
            + "the service's user, or pass it with LoadCredential="
    }

    private func secret(inFile path: String) throws(Failure) -> Secret {
        let content: Data
        do {
            content = try files.contents(path)
        } catch {
            let fault: Failure.Fault = FileReading.isTransient(error) ? .ours : .operator
            throw Failure(fault, .secret, "\(path) cannot be read: \(FileReading.reason(error))")
        }
        guard let text = String(data: content, encoding: .utf8) else {
            throw failure("\(path) cannot be used: it is not UTF-8")
        }
        return try secret(text, in: path)
    }

    private func secret(_ text: String, in place: String) throws(Failure) -> Secret {
        var text = text[...]
        if let last = text.last, last.isNewline { text.removeLast() }
        guard !text.isEmpty else { throw failure("\(place) cannot be used: it is empty") }
        // A line break would end the request's header.
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw failure("\(place) cannot be used: it holds more than one line, or control characters")
        }
        guard text.utf8.count <= 64 << 10 else { throw failure("\(place) cannot be used: it is larger than 64 KiB") }
        return Secret(String(text))
    }

    private func failure(_ message: String) -> Failure { Failure(.operator, .secret, message) }
}

/// The place of a secret.
enum SecretPlace {
    case variable(String)
    case credential(String)
    case file(String)

    static let accepted = "the path of a file, credential:NAME or env:NAME"

    /// Nil for an empty or malformed name or path.
    init?(_ reference: String) {
        if reference.hasPrefix("env:") {
            let name = String(reference.dropFirst(4))
            guard !name.isEmpty, name.utf8.allSatisfy({ Self.isNamePart($0) }) else { return nil }
            self = .variable(name)
        } else if reference.hasPrefix("credential:") {
            let name = String(reference.dropFirst(11))
            let marks: [UInt8] = [UInt8(ascii: "-"), UInt8(ascii: ".")]
            guard !name.isEmpty, name != ".", name != "..",
                name.utf8.allSatisfy({ Self.isNamePart($0) || marks.contains($0) })
            else { return nil }
            self = .credential(name)
        } else {
            guard !reference.isEmpty, reference.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
            self = .file(reference)
        }
    }

    /// Says why a text cannot be the path of a secret's file; nil when it can. The text is never quoted.
    static func problem(withFile path: String) -> String? {
        let start = path.lowercased()
        if ["bearer ", "basic "].contains(where: { start.hasPrefix($0) }) || looksRandom(path) {
            return "found what looks like the secret itself"
        }
        if path.contains("://") { return "found a URL" }
        return PathResolver.isUnexpanded(path) ? "found a path with ~ or $, which are not replaced" : nil
    }

    /// Whether a name without folder and extension looks like a token: at least 20 characters with capitals, small
    /// letters and digits among them, or at least 32 hexadecimal digits.
    private static func looksRandom(_ name: String) -> Bool {
        guard name.utf8.count >= 20, !name.contains("/"), !name.contains(".") else { return false }
        let isMixed =
            name.contains { $0.isLowercase } && name.contains { $0.isUppercase } && name.contains { $0.isNumber }
        return isMixed || (name.utf8.count >= 32 && name.allSatisfy { $0.isHexDigit })
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
        default: false
        }
    }
}
