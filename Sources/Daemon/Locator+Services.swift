import Geocoding
import Logging
import Model
import Operations
import Settings
import Store

/// The configured services with their keys.
struct ConfiguredServices: Sendable {
    /// Services that can be asked, in the order in which they are asked.
    private(set) var reachable: [Locator.Service] = []
    /// Why the keys of the other services cannot be read.
    private(set) var unreachable: [GeocodeProvider: Failure] = [:]

    /// Reads the keys; may block.
    init(_ settings: GeocodingSettings, _ secrets: SecretReader) {
        for provider in settings.providers {
            switch provider.service(secrets) {
            case .success(let service): reachable.append(service)
            case .failure(let failure): unreachable[provider.provider] = failure
            }
        }
    }

    /// Logs the services that cannot be asked.
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
    /// Creates a locator for a configuration; `status` shows the services that cannot be asked.
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
