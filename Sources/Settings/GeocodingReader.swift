import Model

/// Reads the section `geocoding`.
struct GeocodingReader {
    let top: MappingReader
    let paths: PathResolver

    /// The settings of the services; faults are noted, and faulty values take their defaults.
    func geocoding() -> GeocodingSettings {
        guard let section = top.mapping("geocoding") else { return GeocodingSettings() }
        section.refuseUnknown(known: GeocodeProvider.allCases.map { $0.rawValue })
        return GeocodingSettings(
            mapquest: section.mapping("mapquest").map { mapquest($0) },
            nominatim: section.mapping("nominatim").map { nominatim($0) })
    }

    private func mapquest(_ section: MappingReader) -> ProviderSettings {
        let settings = provider(.mapquest, in: section, hasKey: true)
        if settings.isEnabled, section.member("key_file") == nil {
            section.note(
                "enabled", "found true, but there is no key_file", accepted: "key_file with \(SecretPlace.accepted)")
        }
        return settings
    }

    /// Checks the rules of <https://operations.osmfoundation.org/policies/nominatim/>.
    private func nominatim(_ section: MappingReader) -> ProviderSettings {
        let settings = provider(.nominatim, in: section, hasKey: false)
        if settings.isEnabled, top.member("contact") == nil {
            section.note(
                "enabled", "found true, but there is no contact",
                accepted: "contact at the top of the file, since the usage policy asks for a User-Agent that tells it")
        }
        let host = SourceURL.host(of: settings.url)
        if host == "openstreetmap.org" || host.hasSuffix(".openstreetmap.org"), settings.gap < .seconds(1) {
            section.note(
                "gap", "found \(Quantity.text(settings.gap)) for \(host)",
                accepted: "at least 1s, the limit of its usage policy")
        }
        return settings
    }

    private func provider(_ provider: GeocodeProvider, in section: MappingReader, hasKey: Bool) -> ProviderSettings {
        section.refuseUnknown(
            known: ["enabled"] + (hasKey ? ["key_file"] : []) + [
                "url", "gap", "daily_quota", "monthly_quota", "keep_answers", "keep_misses", "timeout",
            ])
        let hour = Duration.seconds(3_600)
        let quotas = 1...1_000_000_000
        let kept = hour...hour * 24 * 3_660
        var settings = ProviderSettings(provider)
        let isEnabled = section.flag("enabled")
        settings.url = url(in: section) ?? settings.url
        settings.keyFile = hasKey ? section.secretPlace("key_file", paths) : nil
        settings.isEnabled = isEnabled ?? (settings.keyFile != nil)
        settings.gap = section.duration("gap", in: Duration.zero...hour) ?? settings.gap
        settings.dailyQuota = section.integer("daily_quota", in: quotas) ?? settings.dailyQuota
        settings.monthlyQuota = section.integer("monthly_quota", in: quotas) ?? settings.monthlyQuota
        settings.keepsPlaces = section.duration("keep_answers", in: kept) ?? settings.keepsPlaces
        settings.keepsMisses = section.duration("keep_misses", in: kept) ?? settings.keepsMisses
        let times = Duration.seconds(1)...Duration.seconds(600)
        settings.timeout = section.duration("timeout", in: times) ?? settings.timeout
        return settings
    }

    private func url(in section: MappingReader) -> String? {
        guard let url = section.text("url") else { return nil }
        if let problem = SourceURL.problem(withService: url) {
            section.note("url", problem.found, accepted: problem.accepted)
            return nil
        }
        return url
    }
}
