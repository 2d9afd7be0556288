import Feeds
public import Model
public import Settings

/// A configured source bound to its kind of feed.
public struct BoundSource: Sendable {
    /// Its settings.
    public var settings: SourceSettings
    /// Its kind, bound to it.
    public var feed: any Feed

    /// Reads a configuration and binds its sources to their kinds.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - environment: The process's environment.
    /// - Throws: `SettingsErrors` with every fault of the file, those that only a kind can tell included.
    public static func read(
        path: String, environment: [String: String]
    ) throws(SettingsErrors) -> (settings: Settings, sources: [BoundSource]) {
        var bound: [BoundSource] = []
        let settings = try SettingsReader.read(path: path, kinds: FeedRegistry.kinds, environment: environment) {
            source in
            do throws(FeedSettingsError) {
                // The reader accepts known kinds only.
                if let feed = try FeedRegistry.feed(for: source) {
                    bound.append(BoundSource(settings: source, feed: feed))
                }
                return nil
            } catch {
                return error
            }
        }
        return (settings, bound)
    }

    /// Reads the source's secrets.
    public func credentials(_ reader: SecretReader) -> Credentials {
        var credentials = Credentials()
        for (secret, reference) in secretReferences {
            do throws(Failure) {
                credentials.secrets[secret] = try reader.read(reference)
            } catch {
                credentials.note(error)
            }
        }
        if let file = settings.authorizationFile {
            // Read again for each request, so that it can be renewed.
            do throws(Failure) { _ = try reader.read(file) } catch { credentials.note(error) }
        }
        if let first = missingSecretKeys.first {
            // The first key is enough; those after it are a pair.
            let others = missingSecretKeys.dropFirst().joined(separator: " and ")
            credentials.faults.append("no credentials: set \(first)" + (others.isEmpty ? "" : ", or \(others)"))
        }
        return settings.isEnabled ? credentials : Credentials(secrets: credentials.secrets)
    }

    /// The kind's secret files that are set, by the name polls know the secret by.
    private var secretReferences: [(secret: String, reference: String)] {
        type(of: feed).kind.options.compactMap { option in
            guard case .secretFile(let secret) = option.form, let reference = settings.options[option.key]?.text
            else { return nil }
            return (secret, reference)
        }
    }

    /// Keys of the kind's secret files when none of them is set; a source without any such key needs none, nor does one
    /// that reads a file.
    private var missingSecretKeys: [String] {
        guard secretReferences.isEmpty, settings.url.hasPrefix("http") else { return [] }
        return type(of: feed).kind.options.compactMap { option in
            if case .secretFile = option.form { option.key } else { nil }
        }
    }
}

/// A source's secrets, and what is wrong with them.
public struct Credentials: Sendable {
    /// Those that can be read, by the name polls know them by.
    public var secrets: [String: Secret] = [:]
    /// Of an enabled source, what is wrong in words: secrets that cannot be read, and missing ones.
    public var faults: [String] = []
    /// Those of the faults that are this machine's and may be gone in a moment.
    public var transient: [String] = []

    fileprivate mutating func note(_ failure: Failure) {
        faults.append(failure.message)
        if failure.fault == .ours { transient.append(failure.message) }
    }
}
