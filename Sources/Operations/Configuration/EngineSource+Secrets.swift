public import Engine
public import Model
public import Settings

extension EngineSource {
    /// Reads the source's secrets; may block on a file.
    ///
    /// - Returns: The readable secrets by secret name (`bearer`; `authorization` of any kind), and the faults of the others, which are unreadable or
    ///   missing (fault `operator`, code `secret`). A fault `ours` is this machine's and may pass by itself. A disabled
    ///   source has no faults.
    public func readSecrets(_ reader: SecretReader) -> (secrets: [String: Secret], faults: [Failure]) {
        var secrets: [String: Secret] = [:]
        var faults: [Failure] = []
        for (name, reference) in secretReferences {
            do throws(Failure) { secrets[name] = try reader.read(reference) } catch { faults.append(error) }
        }
        if let file = settings.authorizationFile {
            // The file is read again for each request, so a token can be renewed.
            // Here it shows that the secret has changed, which ends a back-off.
            do throws(Failure) { secrets["authorization"] = try reader.read(file) } catch { faults.append(error) }
        }
        if let first = missingSecretKeys.first {
            // The first key is enough; the keys after it are a pair.
            let others = missingSecretKeys.dropFirst().joined(separator: " and ")
            let words = "no credentials: set \(first)" + (others.isEmpty ? "" : ", or \(others)")
            faults.append(Failure(.operator, .secret, words))
        }
        return (secrets, settings.isEnabled ? faults : [])
    }

    /// Files of the source's secrets that others can read, a sentence each; disabled sources count. May block.
    fileprivate func exposedSecrets(_ reader: SecretReader) -> [String] {
        (secretReferences.map { $0.reference } + [settings.authorizationFile].compactMap { $0 })
            .compactMap { reader.exposure(of: $0) }
    }

    /// The kind's secret files that are set: the secret's name and the file.
    private var secretReferences: [(secret: String, reference: String)] {
        type(of: feed).kind.options.compactMap { option in
            guard case .secretFile(let secret) = option.form, let reference = settings.options[option.key]?.text
            else { return nil }
            return (secret, reference)
        }
    }

    /// Keys of the kind's secret files if none of them is set. Empty for a kind without such keys, and for a source
    /// that reads a file.
    private var missingSecretKeys: [String] {
        guard secretReferences.isEmpty, settings.url.hasPrefix("http") else { return [] }
        return type(of: feed).kind.options.compactMap { option in
            if case .secretFile = option.form { option.key } else { nil }
        }
    }
}

extension Settings {
    /// The secrets' files that others can read, a sentence each after the name of the source, service or target; may
    /// block.
    /// - Parameter sources: All sources of these settings.
    public func exposedSecrets(_ sources: [EngineSource], _ reader: SecretReader) -> [String] {
        let ofSources = sources.flatMap { source in
            source.exposedSecrets(reader).map { "\(source.settings.name): \($0)" }
        }
        return ofSources + secretFiles.compactMap { owner, file in reader.exposure(of: file).map { "\(owner): \($0)" } }
    }

    /// References to the secrets of services and targets, each with the name of its owner.
    public var secretFiles: [(owner: String, file: String)] {
        let ofServices = geocoding.providers.compactMap { service in
            service.keyFile.map { (owner: "geocoding.\(service.provider.rawValue)", file: $0) }
        }
        return ofServices + deliver.flatMap { target in target.secretFiles.map { (owner: target.name, file: $0) } }
    }
}
