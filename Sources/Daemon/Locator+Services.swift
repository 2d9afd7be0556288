import Geocoding
import Logging
package import Model
import Operations
import Settings
import Store

/// The configured services with their keys.
package struct ConfiguredServices: Sendable {
    /// All of them, in the order in which they are asked.
    let all: [GeocodeProvider]
    /// Services that can be asked, in the same order.
    private(set) var reachable: [Locator.Service] = []
    /// Why the keys of the other services cannot be read.
    private(set) var unreachable: [GeocodeProvider: Failure] = [:]

    /// Creates them from services that can be asked, and failures of those that cannot.
    package init(_ services: [(GeocodeProvider, Result<Locator.Service, Failure>)]) {
        all = services.map { $0.0 }
        for (provider, result) in services {
            switch result {
            case .success(let service): reachable.append(service)
            case .failure(let failure): unreachable[provider] = failure
            }
        }
    }

    /// Reads the keys; may block.
    init(_ settings: GeocodingSettings, _ secrets: SecretReader) {
        self.init(settings.providers.map { ($0.provider, $0.service(secrets)) })
    }

    /// Why services cannot be asked, for `status`.
    var troubles: [GeocodeProvider: String] {
        unreachable.mapValues { _ in "its key cannot be read; see visiventd check" }
    }

    /// Logs the services that cannot be asked.
    func warn(_ logger: Logger) {
        for (provider, failure) in unreachable.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            logger.tell(
                .warning, "geocoding service is not asked", provider: provider, detail: failure.message)
        }
    }
}

extension ProviderSettings {
    fileprivate func service(_ secrets: SecretReader) -> Result<Locator.Service, Failure> {
        Result { () throws(Failure) in Locator.Service(plan: plan, geocoder: try geocoder(secrets)) }
    }

    private func geocoder(_ secrets: SecretReader) throws(Failure) -> Geocoder {
        switch provider {
        case .mapquest: .mapquest(MapQuest(url: url, key: try keyFile.map(secrets.read)))
        case .nominatim: .nominatim(Nominatim(url: url))
        }
    }
}

extension Locator {
    /// Creates a locator for a configuration.
    convenience init(
        _ settings: Settings, _ services: ConfiguredServices, store: EventStore, writer: StoreWriter,
        network: @escaping Network, time: TimeSource, seed: UInt64, logger: Logger, log: LocatorLog? = nil
    ) throws(StoreError) {
        try self.init(
            store: store, writer: writer, table: CityTableHandle(settings.gazetteer, time: time), services: services,
            sources: settings.sources, leastConfidence: settings.gazetteer.leastConfidence, network: network,
            time: time, seed: seed, logger: logger, log: log)
    }
}
