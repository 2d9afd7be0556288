import Engine
import Logging
import Model
import Operations
import Settings

/// A configuration that was read, with the secrets that it names.
struct ReadConfiguration: Sendable {
    /// The settings of the file.
    let settings: Settings
    /// The configured sources, bound to their kinds.
    let sources: [EngineSource]
    /// The geocoding services, with their keys.
    let services: ConfiguredServices
    /// Why secrets could not be read.
    let faults: [Failure]
    private let credentials: [(secrets: [String: Secret], faults: [Failure])]
    private let exposedSecrets: [String]

    /// Reads the secrets; may block.
    init(_ settings: Settings, _ sources: [EngineSource], _ secrets: SecretReader) {
        self.settings = settings
        self.sources = sources
        credentials = sources.map { $0.readSecrets(secrets) }
        exposedSecrets = settings.exposedSecrets(sources, secrets)
        services = ConfiguredServices(settings.geocoding, secrets)
        faults = credentials.flatMap { $0.faults } + services.unreachable.values
    }

    /// The sources for the engine, with their secrets and stored records.
    func engineSources(_ records: [String: SourceRecord] = [:]) -> [EngineSource] {
        zip(sources, credentials).map { source, credentials in
            var source = source
            source.secrets = credentials.secrets
            source.record = records[source.settings.name] ?? source.record
            return source
        }
    }

    /// What a locator for this configuration is made from.
    /// - Parameter settings: The settings in force with it (`keepingFixed`).
    func locatorPlan(_ settings: Settings) -> LocatorPlan {
        LocatorPlan(
            settings: LookUp.settingsName(of: settings.sources, least: settings.gazetteer.leastConfidence),
            table: settings.gazetteer.path,
            services: settings.geocoding.providers.map { provider in
                let service = services.reachable.first { $0.plan.provider == provider.provider }
                return LocatorPlan.Service(
                    plan: provider.plan, url: provider.url, isReachable: service != nil, key: service?.geocoder.key)
            })
    }

    /// The reasons why secrets are missing, by source (`quakes`) or service (`geocoding.mapquest`); only those that lack
    /// one.
    var missingSecrets: [String: [String]] {
        var missing: [String: [String]] = [:]
        for (source, credentials) in zip(sources, credentials) where !credentials.faults.isEmpty {
            missing[source.settings.name] = credentials.faults.map { $0.message }
        }
        for (provider, failure) in services.unreachable { missing[Self.name(provider)] = [failure.message] }
        return missing
    }

    /// The differences, apart from the sources, from the configuration in force.
    func changes(since state: ReloadState) -> SettingsChanges {
        var changes = settings.changes(since: state.settings)
        let (old, new) = (state.missingSecrets, missingSecrets)
        let asked = sources.filter { $0.settings.isEnabled }.map { $0.settings.name }
        let names = asked + services.all.map { Self.name($0) }
        for name in names.sorted() where new[name] != old[name] {
            if let reasons = new[name] {
                changes.missingSecrets.append("\(name) (\(reasons.joined(separator: ", ")))")
            } else {
                changes.foundSecrets.append(name)
            }
        }
        return changes
    }

    private static func name(_ provider: GeocodeProvider) -> String { "geocoding.\(provider.rawValue)" }

    /// Logs secrets that are missing or unreadable.
    /// - Parameter ofServices: Whether keys of geocoding services count; default true.
    func warn(_ logger: Logger, ofServices: Bool = true) {
        for (source, credentials) in zip(sources, credentials) {
            for fault in credentials.faults {
                logger.tell(
                    .warning, "credentials are not complete", source: source.settings.name,
                    detail: "\(fault.message); see visiventd check")
            }
        }
        if ofServices { services.warn(logger) }
    }

    /// Logs secrets that others can read.
    func warnOfExposure(_ logger: Logger) {
        for words in exposedSecrets {
            logger.warning("secret can be read by others", metadata: [LogKey.detail: "\(words)"])
        }
    }
}
