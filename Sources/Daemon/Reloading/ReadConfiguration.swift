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

    /// Reads the secrets; may block.
    init(_ settings: Settings, _ sources: [EngineSource], _ secrets: SecretReader) {
        self.settings = settings
        self.sources = sources
        credentials = sources.map { $0.readSecrets(secrets) }
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
            settings: LookUp.settingsName(of: settings.sources), table: settings.gazetteer.path,
            services: settings.geocoding.providers.map { provider in
                let service = services.reachable.first { $0.plan.provider == provider.provider }
                return LocatorPlan.Service(
                    plan: provider.plan, url: provider.url, isReachable: service != nil, key: service?.geocoder.key)
            })
    }

    /// Logs secrets that are missing or unreadable.
    /// - Parameter ofServices: Whether keys of geocoding services count; default true.
    func warn(_ logger: Logger, ofServices: Bool = true) {
        for (source, credentials) in zip(sources, credentials) {
            for fault in credentials.faults {
                logger.warning(
                    "credentials are not complete",
                    metadata: [
                        LogKey.source: "\(source.settings.name)",
                        LogKey.detail: "\(fault.message); see visiventd check",
                    ])
            }
        }
        if ofServices { services.warn(logger) }
    }
}
