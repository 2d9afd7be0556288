public import Model

/// Where the city table is.
public struct GazetteerSettings: Sendable, Hashable {
    /// Path of its SQLite file; default `$STATE_DIRECTORY/cities.sqlite`, else `cities.sqlite` beside the database.
    public var path: String

    /// Creates settings.
    public init(path: String) { self.path = path }

    /// Settings for a table beside the database.
    public init(database: String) {
        let folder = database.lastIndex(of: "/").map { database[...$0] } ?? ""
        path = "\(folder)cities.sqlite"
    }
}

/// Which services are asked about places that the city table does not know.
public struct GeocodingSettings: Sendable, Hashable {
    /// MapQuest; nil when the configuration does not speak of it.
    public var mapquest: ProviderSettings?
    /// Nominatim; nil when the configuration does not speak of it.
    public var nominatim: ProviderSettings?

    /// Creates settings; by default no service is asked.
    public init(mapquest: ProviderSettings? = nil, nominatim: ProviderSettings? = nil) {
        self.mapquest = mapquest
        self.nominatim = nominatim
    }

    /// The services to ask, in the order in which they are asked.
    public var providers: [ProviderSettings] {
        [mapquest, nominatim].compactMap { $0 }.filter { $0.isEnabled }
    }

    /// How each of them may be used.
    public var plans: [ProviderPlan] { providers.map { $0.plan } }

    /// What is worth a word although it is no fault, one sentence each.
    public var advice: [String] {
        guard let mapquest, mapquest.keyFile == nil else { return [] }
        return ["geocoding.mapquest is not asked: it has no key_file"]
    }
}

/// How a geocoding service is asked.
public struct ProviderSettings: Sendable, Hashable {
    /// The service.
    public var provider: GeocodeProvider
    /// Whether it is asked.
    public var isEnabled: Bool
    /// Its address, `http` or `https`, without a query.
    public var url: String
    /// Where its key is, as `SecretReader` takes it; nil: there is none.
    public var keyFile: String?
    /// Least time between two requests, 0s…1h.
    public var gap: Duration
    /// Most requests in a day (UTC), 1…1000000000; nil: no limit.
    public var dailyQuota: Int?
    /// Most requests in a calendar month (UTC), 1…1000000000; nil: no limit.
    public var monthlyQuota: Int?
    /// How long a place may be kept, 1h…3660d.
    public var keepsPlaces: Duration
    /// How long "no such place" is believed, 1h…3660d.
    public var keepsMisses: Duration
    /// Time for one request as a whole, 1s…10m.
    public var timeout: Duration

    /// Creates settings; what is left out takes the documented default of the service.
    public init(
        _ provider: GeocodeProvider, isEnabled: Bool? = nil, url: String? = nil, keyFile: String? = nil,
        gap: Duration? = nil, dailyQuota: Int? = nil, monthlyQuota: Int? = nil, keepsPlaces: Duration? = nil,
        keepsMisses: Duration? = nil, timeout: Duration? = nil
    ) {
        let month = Duration.seconds(30 * 86_400)
        self.provider = provider
        self.keyFile = keyFile
        self.dailyQuota = dailyQuota
        self.keepsMisses = keepsMisses ?? month
        self.timeout = timeout ?? .seconds(20)
        switch provider {
        case .mapquest:
            self.isEnabled = isEnabled ?? (keyFile != nil)
            self.url = url ?? "https://www.mapquestapi.com/geocoding/v1/address"
            self.gap = gap ?? .milliseconds(100)
            // What the free plan allows.
            self.monthlyQuota = monthlyQuota ?? 15_000
            self.keepsPlaces = keepsPlaces ?? month
        case .nominatim:
            self.isEnabled = isEnabled ?? false
            self.url = url ?? "https://nominatim.openstreetmap.org/search"
            self.gap = gap ?? .seconds(1)
            self.monthlyQuota = monthlyQuota
            self.keepsPlaces = keepsPlaces ?? .seconds(365 * 86_400)
        }
    }

    /// How it may be used.
    public var plan: ProviderPlan {
        ProviderPlan(
            provider: provider, gap: gap, dailyQuota: dailyQuota, monthlyQuota: monthlyQuota, keepsPlaces: keepsPlaces,
            keepsMisses: keepsMisses, timeout: timeout)
    }
}
