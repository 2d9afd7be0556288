import Geocoding
import Logging
import Model
import Settings

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
