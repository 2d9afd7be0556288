import CPSL
public import Model
import Settings

extension SourceSettings {
    /// The registrable domain of the source's address by the Public Suffix List (<https://publicsuffix.org>), such as
    /// `weather.gov` for `api.weather.gov`.
    ///
    /// Nil where a domain proves nothing: for a file, for a numeric address, for names without one (`localhost`), for
    /// topics on several domains, and for hosts that publish the feeds of anybody.
    public var registrableDomain: String? {
        let domains = Set(urls().map { Self.registrableDomain(of: $0.url) })
        return domains.count == 1 ? domains.first ?? nil : nil
    }

    /// Publishers of other people's feeds under one domain.
    private static let hostsOfOthers = ["feedburner.com", "google.com"]

    private static func registrableDomain(of url: String) -> String? {
        guard let parts = URLParts(url), parts.isWeb else { return nil }
        let host = parts.host
        guard !host.hasPrefix("["), IPLiteral(host) == nil else { return nil }
        let domain = host.withCString { text in psl_registrable_domain(psl_builtin(), text).map { String(cString: $0) }
        }
        return domain.flatMap { hostsOfOthers.contains($0) ? nil : $0 }
    }
}
