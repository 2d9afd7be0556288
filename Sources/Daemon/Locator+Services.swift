import Geocoding
import Logging
import Model
import Settings
import Store

extension GeocodingSettings {
    /// The services that can be asked; the log names those whose key cannot be read.
    func services(_ secrets: SecretReader, logger: Logger) -> [Locator.Service] {
        providers.compactMap { settings in
            do throws(Failure) {
                return Locator.Service(
                    plan: settings.plan, geocoder: try settings.geocoder(secrets), timeout: settings.timeout)
            } catch {
                logger.warning(
                    "geocoding service is not asked",
                    metadata: [
                        LogKey.provider: "\(settings.provider.rawValue)", LogKey.detail: "\(error.message)",
                    ])
                return nil
            }
        }
    }
}

extension ProviderSettings {
    fileprivate func geocoder(_ secrets: SecretReader) throws(Failure) -> Geocoder {
        switch provider {
        case .mapquest: .mapquest(MapQuest(url: url, key: try keyFile.map(secrets.read)))
        case .nominatim: .nominatim(Nominatim(url: url))
        }
    }
}

extension Locator {
    /// A locator as the configuration wants it; `status` shows the services that cannot be asked.
    convenience init(
        _ settings: Settings, _ secrets: SecretReader, store: EventStore, writer: StoreWriter,
        network: @escaping Network, time: TimeSource, seed: UInt64, logger: Logger
    ) throws {
        let services = settings.geocoding.services(secrets, logger: logger)
        let reachable = services.map { $0.plan.provider }
        let unreachable = settings.geocoding.plans.map { $0.provider }.filter { !reachable.contains($0) }
        try store.setTroubles(
            Dictionary(uniqueKeysWithValues: unreachable.map { ($0, "its key cannot be read; see visiventd check") }))
        try self.init(
            store: store, writer: writer, tablePath: settings.gazetteer.path, watchesTable: true, services: services,
            sources: settings.sources, network: network, time: time, seed: seed, logger: logger)
    }
}
