import Geocoding
import Logging
import Model
import Operations
import Settings
import Store

/// The services that the configuration wants asked, with their keys as they are read.
struct ConfiguredServices: Sendable {
    /// Those that can be asked, in the order in which they are.
    private(set) var reachable: [Locator.Service] = []
    /// Why the keys of the others cannot be read.
    private(set) var unreachable: [GeocodeProvider: Failure] = [:]

    /// Reads the keys.
    init(_ settings: GeocodingSettings, _ secrets: SecretReader) {
        for provider in settings.providers {
            switch provider.service(secrets) {
            case .success(let service): reachable.append(service)
            case .failure(let failure): unreachable[provider.provider] = failure
            }
        }
    }

    /// Has the log name those that cannot be asked.
    func warn(_ logger: Logger) {
        for (provider, failure) in unreachable.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            logger.warning(
                "geocoding service is not asked",
                metadata: [LogKey.provider: "\(provider.rawValue)", LogKey.detail: "\(failure.message)"])
        }
    }
}

extension ProviderSettings {
    fileprivate func service(_ secrets: SecretReader) -> Result<Locator.Service, Failure> {
        do throws(Failure) {
            return .success(Locator.Service(plan: plan, geocoder: try geocoder(secrets)))
        } catch {
            return .failure(error)
        }
    }

    private func geocoder(_ secrets: SecretReader) throws(Failure) -> Geocoder {
        switch provider {
        case .mapquest: .mapquest(MapQuest(url: url, key: try keyFile.map(secrets.read)))
        case .nominatim: .nominatim(Nominatim(url: url))
        }
    }
}

extension Locator {
    /// A locator as the configuration wants it; `status` shows the services that cannot be asked.
    convenience init(
        _ settings: Settings, _ services: ConfiguredServices, store: EventStore, writer: StoreWriter,
        network: @escaping Network, time: TimeSource, seed: UInt64, logger: Logger, log: LocatorLog? = nil
    ) throws {
        try store.setTroubles(services.unreachable.mapValues { _ in "its key cannot be read; see visiventd check" })
        try self.init(
            store: store, writer: writer, tablePath: settings.gazetteer.path, services: services.reachable,
            sources: settings.sources, network: network, time: time, seed: seed, logger: logger, log: log)
    }
}
