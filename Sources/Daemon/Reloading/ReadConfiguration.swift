import Engine
import Logging
import Model
import Operations
import Settings

/// A configuration as it was read, with the secrets that it names.
struct ReadConfiguration: Sendable {
    /// What it says.
    let settings: Settings
    /// Its sources, bound to their kinds.
    let sources: [BoundSource]
    /// The geocoding services, with their keys.
    let services: ConfiguredServices
    /// Why secrets cannot be read just now, though perhaps in a moment.
    let unread: Set<String>
    private let credentials: [Credentials]

    /// Reads the secrets; may block.
    init(_ settings: Settings, _ sources: [BoundSource], _ secrets: SecretReader) {
        self.settings = settings
        self.sources = sources
        credentials = sources.map { $0.credentials(secrets) }
        services = ConfiguredServices(settings.geocoding, secrets)
        let keys = services.unreachable.values.filter { $0.fault == .ours }
        unread = Set(credentials.flatMap { $0.transient } + keys.map { $0.message })
    }

    /// The sources as the engine takes them, with what is stored of them.
    func engineSources(_ records: [String: SourceRecord] = [:]) -> [EngineSource] {
        zip(sources, credentials).map { source, credentials in
            let (name, kind) = (source.settings.name, source.settings.kind)
            return EngineSource(
                settings: source.settings, feed: source.feed, secrets: credentials.secrets,
                record: records[name] ?? SourceRecord(name: name, kind: kind))
        }
    }

    /// Has the log name secrets that are missing or cannot be read.
    /// - Parameter ofServices: whether geocoding services may be asked at all.
    func warn(_ logger: Logger, ofServices: Bool = true) {
        for (source, credentials) in zip(sources, credentials) {
            for fault in credentials.faults {
                logger.warning(
                    "credentials are not complete",
                    metadata: [
                        LogKey.source: "\(source.settings.name)", LogKey.detail: "\(fault); see visiventd check",
                    ])
            }
        }
        if ofServices { services.warn(logger) }
    }
}
