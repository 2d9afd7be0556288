public import Model

/// The location of the city table.
public struct GazetteerSettings: Sendable, Hashable {
    /// Path of its SQLite file; default `cities.sqlite` in the first folder of `$STATE_DIRECTORY`, else beside the
    /// database. The file need not exist.
    public var path: String
    /// Whether it is beside the database because nothing names another place; default false.
    public private(set) var isBesideDatabase = false

    /// The least probability with which a name in a text means a place, 0…1; default 0.62.
    public var leastConfidence = Location.leastConfidence

    /// Creates settings for the SQLite file at `path`, which is not checked.
    public init(path: String) { self.path = path }

    /// Creates settings for `cities.sqlite` in the folder of the database file at this path; of a bare name, in the
    /// current one.
    public init(database: String) {
        let folder = database.lastIndex(of: "/").map { database[...$0] } ?? ""
        path = "\(folder)cities.sqlite"
        isBesideDatabase = true
    }
}

/// The geocoding services for places that the city table does not know; by default none is asked.
public struct GeocodingSettings: Sendable, Hashable {
    /// MapQuest, whether or not it is enabled; nil without a section `mapquest`.
    public var mapquest: ProviderSettings?
    /// Nominatim, whether or not it is enabled; nil without a section `nominatim`.
    public var nominatim: ProviderSettings?

    /// The enabled services in the order of use: MapQuest, then Nominatim; empty if none is asked.
    public var providers: [ProviderSettings] {
        [mapquest, nominatim].compactMap { $0 }.filter { $0.isEnabled }
    }

    /// The limits and cache times of `providers`, in the same order.
    public var plans: [ProviderPlan] { providers.map { $0.plan } }

    /// Hints of `visiventd check` about settings that are no faults, one sentence each; empty if there are none.
    public var advice: [String] {
        guard let mapquest, mapquest.keyFile == nil else { return [] }
        return ["geocoding.mapquest is not asked: it has no key_file"]
    }
}

/// The settings of one geocoding service.
public struct ProviderSettings: Sendable, Hashable {
    /// Which service the settings are for.
    public var provider: GeocodeProvider
    /// Whether the service is used; default: MapQuest with a key file only, Nominatim not.
    public var isEnabled = false
    /// The endpoint, `http` or `https`, without query and user; default: the public endpoint of the service.
    public var url: String
    /// Reference to the key as `SecretReader` reads it, a file with its absolute path; nil: no key. Nominatim has none.
    public var keyFile: String?
    /// Least time between two requests, 0s…1h; default 100 ms for MapQuest, 1 s for Nominatim.
    public var gap: Duration
    /// Most requests in a day (UTC), failed ones included, 1…1000000000, of which one source makes half at most; nil:
    /// no limit. Default 500 for MapQuest, else nil.
    public var dailyQuota: Int?
    /// Most requests in a calendar month (UTC), failed ones included, 1…1000000000; nil: no limit. Default 15000 for
    /// MapQuest, else nil.
    public var monthlyQuota: Int?
    /// How long a found place is kept before the service may be asked again, 1h…3660d; default 30 d for MapQuest, 365 d
    /// for Nominatim.
    public var keepsPlaces = Duration.seconds(30 * 86_400)
    /// How long the answer "no such place" is kept, 1h…3660d; default 30 d.
    public var keepsMisses = Duration.seconds(30 * 86_400)
    /// Time limit of a whole request, 1s…10m; default 20 s. A request that exceeds it fails.
    public var timeout = Duration.seconds(20)

    /// Creates the settings that a service has by default.
    public init(_ provider: GeocodeProvider) {
        self.provider = provider
        switch provider {
        case .mapquest:
            url = "https://www.mapquestapi.com/geocoding/v1/address"
            gap = .milliseconds(100)
            // The limit of the free plan, and a thirtieth of it.
            monthlyQuota = 15_000
            dailyQuota = 500
        case .nominatim:
            url = "https://nominatim.openstreetmap.org/search"
            gap = .seconds(1)
            keepsPlaces = .seconds(365 * 86_400)
        }
    }

    /// The part of these settings that limits requests and cached answers, for the scheduler.
    public var plan: ProviderPlan {
        ProviderPlan(
            provider: provider, gap: gap, dailyQuota: dailyQuota, monthlyQuota: monthlyQuota, keepsPlaces: keepsPlaces,
            keepsMisses: keepsMisses, timeout: timeout)
    }
}
