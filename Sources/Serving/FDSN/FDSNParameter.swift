/// A parameter of `/fdsnws/event/1/query`, as the WADL document and `docs/api.md` describe it.
struct FDSNParameter: Sendable {
    /// The type of the values in the words of XML Schema.
    enum Kind: String, Sendable {
        case time = "xs:dateTime"
        case number = "xs:double"
        case whole = "xs:int"
        case flag = "xs:boolean"
        case text = "xs:string"
    }

    let name: String
    /// The short name that means the same; nil: there is none.
    let short: String?
    let kind: Kind
    /// The value that a missing parameter means; nil: no condition.
    let usual: String?
    /// The values that are accepted; empty: any of the kind.
    let choices: [String]
    let words: String

    private init(
        _ name: String, _ kind: Kind, _ words: String, short: String? = nil, usual: String? = nil,
        choices: [String] = []
    ) {
        self.name = name
        self.short = short
        self.kind = kind
        self.usual = usual
        self.choices = choices
        self.words = words
    }

    /// All parameters (FDSN Web Service Specifications 1.2, fdsnws-event), but `magnitudetype`, which cannot be asked
    /// for; and `includedeleted` of USGS.
    static let all: [FDSNParameter] = [
        FDSNParameter("starttime", .time, "Earliest time of the earthquake", short: "start"),
        FDSNParameter("endtime", .time, "Latest time of the earthquake", short: "end"),
        FDSNParameter("minlatitude", .number, "Southern edge of a box", short: "minlat", usual: "-90"),
        FDSNParameter("maxlatitude", .number, "Northern edge of a box", short: "maxlat", usual: "90"),
        FDSNParameter(
            "minlongitude", .number, "Western edge of a box; above the eastern one it crosses 180°", short: "minlon",
            usual: "-180"),
        FDSNParameter("maxlongitude", .number, "Eastern edge of a box", short: "maxlon", usual: "180"),
        FDSNParameter("latitude", .number, "Latitude of the middle of a circle", short: "lat"),
        FDSNParameter("longitude", .number, "Longitude of the middle of a circle", short: "lon"),
        FDSNParameter("minradius", .number, "Smallest distance from the middle in degrees, 0 to 180", usual: "0"),
        FDSNParameter("maxradius", .number, "Largest distance from the middle in degrees, 0 to 180", usual: "180"),
        FDSNParameter("mindepth", .number, "Smallest depth in kilometres; leaves out events without one"),
        FDSNParameter("maxdepth", .number, "Largest depth in kilometres; leaves out events without one"),
        FDSNParameter(
            "minmagnitude", .number, "Smallest magnitude; leaves out events without one", short: "minmag"),
        FDSNParameter("maxmagnitude", .number, "Largest magnitude; leaves out events without one", short: "maxmag"),
        FDSNParameter("eventtype", .text, "Types of QuakeML; without earthquake among them nothing matches"),
        FDSNParameter(
            "includeallorigins", .flag, "Taken, and changes nothing: each event has one origin", usual: "false"),
        FDSNParameter(
            "includeallmagnitudes", .flag, "Taken, and changes nothing: each event has one magnitude at most",
            usual: "false"),
        FDSNParameter("includearrivals", .flag, "Taken, and changes nothing: no arrivals are kept", usual: "false"),
        FDSNParameter("eventid", .text, "The event of this id: the public one, also a former one, or the provider's"),
        FDSNParameter("limit", .whole, "The most events, from 1 on; an answer never has more than 20000"),
        FDSNParameter("offset", .whole, "The number of the first event, 1 to 100001", usual: "1"),
        FDSNParameter(
            "orderby", .text, "The order; by magnitude it leaves out events without one", usual: "time",
            choices: FDSNOrder.allCases.map(\.rawValue)),
        FDSNParameter("catalog", .text, "The name of a source that shows the event"),
        FDSNParameter("contributor", .text, "The provider of the event, such as usgs"),
        FDSNParameter("updatedafter", .time, "Last visible change after this time"),
        FDSNParameter(
            "includedeleted", .text, "Whether withdrawn events come, too, or alone (USGS)", usual: "false",
            choices: FDSNDeleted.allCases.map(\.rawValue)),
        FDSNParameter(
            "format", .text, "The form of the answer", usual: "xml", choices: FDSNFormat.allCases.map(\.rawValue)),
        FDSNParameter(
            "nodata", .whole, "The status where nothing matches", usual: "204",
            choices: FDSNNoData.allCases.map(\.rawValue)),
    ]

    private static let shortNames = Dictionary(
        uniqueKeysWithValues: all.compactMap { parameter in parameter.short.map { (parameter.name, $0) } })

    /// The short name of a parameter; nil if it has none.
    static func short(of name: String) -> String? { shortNames[name] }
}

/// The orders; the raw value is the word for `orderby`.
enum FDSNOrder: String, CaseIterable, Sendable {
    case newestFirst = "time"
    case oldestFirst = "time-asc"
    case largestFirst = "magnitude"
    case smallestFirst = "magnitude-asc"

    var order: ItemRequest.Order {
        switch self {
        case .newestFirst: .newestFirst
        case .oldestFirst: .oldestFirst
        case .largestFirst: .largestFirst
        case .smallestFirst: .smallestFirst
        }
    }
}

/// Whether withdrawn events come; the raw value is the word for `includedeleted`.
enum FDSNDeleted: String, CaseIterable, Sendable {
    case exclude = "false"
    case include = "true"
    case only
}

/// The forms of an answer; the raw value is the word for `format`.
enum FDSNFormat: String, CaseIterable, Sendable {
    /// QuakeML 1.2.
    case xml
    /// Lines of 13 columns.
    case text
    /// GeoJSON in the names of USGS.
    case geojson
    /// A table with the columns of USGS.
    case csv
    /// KML 2.2.
    case kml

    var mediaType: String {
        switch self {
        case .xml: MediaType.xml
        case .text: MediaType.text
        case .geojson: MediaType.geoJSON
        case .csv: MediaType.csv
        case .kml: MediaType.kml
        }
    }
}

/// The forms of a count, as at USGS; the raw value is the word for `format`.
enum FDSNCountFormat: String, CaseIterable, Sendable {
    case text
    case geojson
}

/// The statuses for nothing; the raw value is the word for `nodata`.
enum FDSNNoData: String, CaseIterable, Sendable {
    case noContent = "204"
    case notFound = "404"
}
