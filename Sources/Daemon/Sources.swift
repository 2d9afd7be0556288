import Feeds
public import Model
public import Settings

/// A configured source bound to its kind of feed.
public struct BoundSource: Sendable {
    /// Its settings.
    public var settings: SourceSettings
    /// Its kind, bound to it.
    public var feed: any Feed

    /// Binds all sources to their kinds.
    /// - Throws: One fault for each source with settings its kind cannot work with.
    public static func all(_ settings: Settings) throws(SettingsErrors) -> [BoundSource] {
        var bound: [BoundSource] = []
        var faults: [SettingsFault] = []
        for (index, source) in settings.sources.enumerated() {
            do throws(FeedSettingsError) {
                guard let feed = try FeedRegistry.feed(for: source) else {
                    throw FeedSettingsError(
                        key: "kind", found: source.kind,
                        accepted: FeedRegistry.kinds.map(\.name).joined(separator: ", "))
                }
                bound.append(BoundSource(settings: source, feed: feed))
            } catch {
                faults.append(
                    settings.fault(source: index, key: error.key, found: error.found, accepted: error.accepted))
            }
        }
        guard faults.isEmpty else { throw SettingsErrors(faults: faults) }
        return bound
    }

    /// The kind's secret files that are set, by the name polls know the secret by.
    var secretReferences: [(secret: String, reference: String)] {
        type(of: feed).kind.options.compactMap { option in
            guard case .secretFile(let secret) = option.form, let reference = settings.options[option.key]?.text
            else { return nil }
            return (secret, reference)
        }
    }

    /// What is wrong with the source's credentials, in words: secrets that cannot be read, and missing ones.
    public func credentialFaults(_ reader: SecretReader) -> [String] {
        guard settings.isEnabled else { return [] }
        var references = secretReferences.map(\.reference)
        if let file = settings.authorizationFile { references.append(file) }
        var faults: [String] = []
        for reference in references {
            do throws(Failure) { _ = try reader.read(reference) } catch { faults.append(error.message) }
        }
        if !missingSecretKeys.isEmpty {
            faults.append("no credentials: set \(missingSecretKeys.joined(separator: " or "))")
        }
        return faults
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
