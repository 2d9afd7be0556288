import Model

/// A value that is in effect, with its place in the file: for people who look at the configuration.
public struct SettingsValue: Sendable, Hashable {
    /// The key of a source, such as `refresh_interval`; of other values the whole path, such as `log.level`.
    public var key: String
    /// The name of the source; nil: it is no source's.
    public var source: String?
    /// The value as the file may have it, a list as `[a, b]`; nil: there is none, or `serve.page` has its default. A URL
    /// has no query; `headers`, base maps and overlays are names alone; a secret is the place that it is read from.
    public var value: String?
    /// The line of the key, from 1, also where an alias or a merge key brings it; nil: the default counts.
    public var line: Int?
    /// The file of `conf.d` in which its source stands; nil: the main file.
    public var file: String?
    /// What the key accepts, as a phrase; nil: not said.
    public var accepted: String?
}

extension Settings {
    /// All values in the order of the documentation, those of the sources last.
    /// - Parameters:
    ///   - kinds: The known kinds, for the keys of their own.
    ///   - main: The main file as it was parsed.
    ///   - fragments: The files of `conf.d`.
    func values(kinds: [FeedKind], main: ParsedFile, fragments: [ParsedFile]) -> [SettingsValue] {
        var values = (top + limits + services + service).map { key, value in
            SettingsValue(
                key: key, value: value, line: main.positions[key]?.line, accepted: main.faults.accepted[key])
        }
        let places = ([main] + fragments).flatMap { file in (file.items ?? []).indices.map { (file: file, index: $0) } }
        for (source, place) in zip(sources, places) {
            let file = place.file
            let options = kinds.first { $0.name == source.kind }?.options ?? []
            let own: [Entry] = options.map { (key: $0.key, value: source.options[$0.key]?.written) }
            for (key, value) in source.common + own {
                let path = "sources[\(place.index)].\(key)"
                values.append(
                    SettingsValue(
                        key: key, source: source.name, value: value, line: file.positions[path]?.line,
                        file: file.faults === main.faults ? nil : file.faults.file,
                        accepted: file.faults.accepted[path]))
            }
        }
        return values
    }

    private typealias Entry = (key: String, value: String?)

    private var top: [Entry] {
        [
            ("database", database), ("control_socket", controlSocket), ("contact", contact),
            ("full_text", "\(hasFullText)"), ("reload_on_edit", "\(reloadsOnEdit)"),
            ("log.level", log.level.rawValue), ("log.format", log.format.rawValue),
        ]
    }

    private var limits: [Entry] {
        [
            ("fetch.concurrency", "\(fetch.concurrency)"),
            ("fetch.per_host_concurrency", "\(fetch.perHostConcurrency)"),
            ("fetch.per_host_gap", Quantity.written(fetch.perHostGap)),
            ("fetch.connect_timeout", Quantity.written(fetch.connectTimeout)),
            ("fetch.total_timeout", Quantity.written(fetch.totalTimeout)),
            ("fetch.stall_timeout", Quantity.written(fetch.stallTimeout)),
            ("fetch.maximum_body", Quantity.text(bytes: fetch.maximumBodyBytes)),
            ("fetch.maximum_transfer", Quantity.text(bytes: fetch.maximumTransferBytes)),
            ("fetch.maximum_redirects", "\(fetch.maximumRedirects)"),
            ("truncation.first", Quantity.written(truncation.first)),
            ("truncation.interval", Quantity.written(truncation.interval)),
            ("disk.minimum_free", Quantity.text(bytes: disk.minimumFreeBytes)), ("gazetteer.path", gazetteer.path),
            ("gazetteer.least_confidence", "\(gazetteer.leastConfidence)"),
        ]
    }

    /// The geocoding services that the file has.
    private var services: [Entry] {
        [geocoding.mapquest, geocoding.nominatim].compactMap { $0 }.flatMap { service -> [Entry] in
            let path = "geocoding.\(service.provider.rawValue)"
            let key: [Entry] = service.provider == .mapquest ? [("\(path).key_file", service.keyFile)] : []
            let others: [Entry] = [
                ("\(path).url", service.url.withoutQuery), ("\(path).gap", Quantity.written(service.gap)),
                ("\(path).daily_quota", service.dailyQuota.map { "\($0)" }),
                ("\(path).monthly_quota", service.monthlyQuota.map { "\($0)" }),
                ("\(path).keep_answers", Quantity.written(service.keepsPlaces)),
                ("\(path).keep_misses", Quantity.written(service.keepsMisses)),
                ("\(path).timeout", Quantity.written(service.timeout)),
            ]
            return [("\(path).enabled", "\(service.isEnabled)")] + key + others
        }
    }

    private var service: [Entry] {
        [
            ("pictures.hosts", pictures.hosts.listed),
            ("pictures.maximum_size", Quantity.text(bytes: pictures.maximumBytes)),
            ("pictures.daily_quota", "\(pictures.requestsPerDay)"),
            ("serve.listen", NewValue.list(serve.listen.map { $0.description })),
            ("serve.hosts", serve.hosts.listed), ("serve.cors", serve.origins.listed),
            ("serve.frame_ancestors", serve.frameAncestors.listed),
            ("serve.trusted_proxies", serve.trustedProxies.map { $0.description }.listed),
            ("serve.base_path", serve.basePath.isEmpty ? nil : serve.basePath), ("serve.page", serve.page),
            ("serve.basemaps", serve.basemaps.map { $0.name }.listed),
            ("serve.overlays", serve.overlays.map { $0.name }.listed),
            ("serve.configuration", "\(serve.showsConfiguration)"), ("serve.watches", "\(serve.showsWatches)"),
            // Whom someone watches is not for everybody who may look at the configuration.
            ("watches", watches.map(\.name).listed), ("deliver", deliver.map(\.name).listed),
        ]
    }
}

extension SourceSettings {
    /// The values of the keys that every source has, in the order of the documentation.
    fileprivate var common: [(key: String, value: String?)] {
        [
            ("name", name), ("kind", kind), ("url", url.withoutQuery), ("topics", topics.listed),
            ("refresh_interval", Quantity.written(refreshInterval)), ("offset", Quantity.written(offset)),
            ("max_age", Quantity.written(maxAge)), ("enabled", "\(isEnabled)"), ("provider", provider),
            ("trusted_for", trustedFor.listed),
            ("keywords", filter.keywords?.words.listed),
            ("minimum_magnitude", filter.minimumMagnitude.map { "\($0)" }),
            // A value may be meant for the server alone.
            ("headers", headers.keys.sorted().listed), ("authorization_file", authorizationFile),
            ("proxy", proxy?.withoutQuery), ("ca_file", certificateAuthorityFile),
            ("follow_server_interval", "\(followsServerInterval)"),
            ("country", home.region == nil ? home.country : nil), ("home", home.code),
            ("not_places", notPlaces.listed), ("geocode", "\(isGeocoded)"),
            ("daily_rows", "\(budget.daily.rows)"), ("daily_bytes", Quantity.text(bytes: budget.daily.bytes)),
            ("most_rows", "\(budget.total.rows)"), ("most_bytes", Quantity.text(bytes: budget.total.bytes)),
        ]
    }
}

extension [String] {
    /// The texts as a list of the file; nil without any.
    fileprivate var listed: String? { isEmpty ? nil : NewValue.list(self) }
}

extension OptionValue {
    /// The value as an edit takes it.
    fileprivate var written: String {
        switch self {
        case .text(let value): value
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .flag(let value): "\(value)"
        case .texts(let value): NewValue.list(value)
        case .duration(let value): Quantity.written(value)
        }
    }
}
