public import Engine
public import Model
public import Settings

extension EngineSource {
    /// Reads the source's secrets.
    ///
    /// - Returns: Those that can be read, by the name polls know them by, and what is wrong with the others: they cannot
    ///   be read, or are missing. A fault `ours` is this machine's and may be gone in a moment. Nothing is wrong with a
    ///   source that is disabled.
    public func readSecrets(_ reader: SecretReader) -> (secrets: [String: Secret], faults: [Failure]) {
        var secrets: [String: Secret] = [:]
        var faults: [Failure] = []
        for (name, reference) in secretReferences {
            do throws(Failure) { secrets[name] = try reader.read(reference) } catch { faults.append(error) }
        }
        if let file = settings.authorizationFile {
            // Read again for each request, so that it can be renewed.
            do throws(Failure) { _ = try reader.read(file) } catch { faults.append(error) }
        }
        if let first = missingSecretKeys.first {
            // The first key is enough; those after it are a pair.
            let others = missingSecretKeys.dropFirst().joined(separator: " and ")
            let words = "no credentials: set \(first)" + (others.isEmpty ? "" : ", or \(others)")
            faults.append(Failure(.operator, .secret, words))
        }
        return (secrets, settings.isEnabled ? faults : [])
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
