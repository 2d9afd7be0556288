import Foundation
import Model
import Reading
import Store

/// What a request for `/fdsnws/event/1/query` or `/fdsnws/event/1/count` asks for.
struct FDSNRequest: Sendable {
    /// The most events of an answer.
    static let mostEvents = 20_000
    /// The most events that `offset` skips: each of them is walked over.
    static let mostSkipped = 100_000
    /// The most events that are counted.
    static let mostCounted = 10_000_000

    /// The conditions with the order, without keys and limit.
    let query: EventQuery
    let order: ItemRequest.Order
    /// The most events; nil: all that match, if they fit into an answer.
    let limit: Int?
    /// The number of matching events before the first one.
    let skipped: Int
    let format: FDSNFormat
    let noData: FDSNNoData
    /// The text of `eventid`, a public id or a provider's; nil: any event.
    let eventID: String?
    /// Whether no event can match, since other types than earthquakes are asked for.
    let isVain: Bool
    /// All parameters, for the address.
    let items: [QueryItem]

    /// Reads the parameters of a request.
    /// - Parameter isCount: Whether the events are counted only, as text or GeoJSON; by default they are not.
    init(_ parameters: inout Parameters, isCount: Bool = false) throws(Problem) {
        items = parameters.items
        var query = EventQuery()
        query.categories = [.earthquake]
        query.isLocated = true
        try Self.takeTimes(&parameters, into: &query)
        query.box = try Self.box(&parameters)
        try Self.takeCircle(&parameters, into: &query)
        (query.minimumDepth, query.maximumDepth) = try Self.range(
            "depth", accepted: "kilometres, such as 12.5", &parameters)
        (query.minimumMagnitude, query.maximumMagnitude) = try Self.range(
            "magnitude", accepted: "a number, such as 5.5", &parameters)
        let types = try parameters.takeList("eventtype")
        isVain = !types.isEmpty && !types.contains { $0.lowercased() == "earthquake" }
        // One origin and one magnitude are kept of an event, and no arrivals.
        for name in ["includeallorigins", "includeallmagnitudes", "includearrivals"] {
            try parameters.takeAnyFlag(name)
        }
        try parameters.refuse(
            "magnitudetype",
            accepted: "no value here: one magnitude of each event is kept, and answers name its type, such as mww, but "
                + "events cannot be selected by it")
        // Clients that know the event from QuakeML may give its whole resource identifier.
        eventID = try parameters.take("eventid").map { text in
            text.hasPrefix(QuakeML.events) ? String(text.dropFirst(QuakeML.events.count)) : text
        }
        limit = try parameters.takeWhole("limit", in: 1...Int64.max).map { Int($0) }
        skipped = try Self.skipped(&parameters)
        let word: FDSNOrder? = try parameters.takeWord("orderby")
        order = (word ?? .newestFirst).order
        order.apply(to: &query)
        query.sources = try parameters.take("catalog").map { [$0] } ?? []
        query.providers = try parameters.take("contributor").map { [$0] } ?? []
        if let time = try parameters.takeFDSNTime("updatedafter") {
            query.changedSince = Date(milliseconds: time.milliseconds + 1)
        }
        let deleted: FDSNDeleted? = try parameters.takeWord("includedeleted")
        switch deleted ?? .exclude {
        case .exclude: query.withdrawn = .exclude
        case .include: query.withdrawn = .include
        case .only: query.withdrawn = .only
        }
        if isCount {
            let word: FDSNCountFormat? = try parameters.takeWord("format")
            format = word == .geojson ? .geojson : .text
        } else {
            format = try parameters.takeWord("format") ?? .xml
        }
        noData = try parameters.takeWord("nodata") ?? .noContent
        try parameters.end()
        self.query = query
    }

    /// The query for the event that is asked for, if any; nil: nothing can match. Throws `StoreError`.
    func matching(in store: EventStore) throws(StoreError) -> EventQuery? {
        guard !isVain else { return nil }
        var query = self.query
        guard let eventID else { return query }
        if PublicIDText.isOne(eventID), let event = try store.event(publicID: eventID) {
            query.publicIDs = [event.publicID]
        } else {
            query.publicIDs = try store.publicIDs(ofUpstreamID: eventID)
        }
        return query.publicIDs.isEmpty ? nil : query
    }

    private static func takeTimes(_ parameters: inout Parameters, into query: inout EventQuery) throws(Problem) {
        let start = try parameters.present("starttime")
        let end = try parameters.present("endtime")
        query.since = try parameters.takeFDSNTime(start)
        query.until = try parameters.takeFDSNTime(end)
        if let since = query.since, let until = query.until, since > until {
            throw .parameter(start, found: since.rfc3339, accepted: "a time not after \(end), \(until.rfc3339)")
        }
    }

    private static let longitudes = -540.0...540.0

    private static func box(_ parameters: inout Parameters) throws(Problem) -> BoundingBox? {
        let south = try parameters.takeNumber("minlatitude", in: -90...90)
        let north = try parameters.takeNumber("maxlatitude", in: -90...90)
        let west = try parameters.takeNumber("minlongitude", in: longitudes)
        let east = try parameters.takeNumber("maxlongitude", in: longitudes)
        guard south != nil || north != nil || west != nil || east != nil else { return nil }
        let isRound = (east ?? 180) - (west ?? -180) >= 360
        let box = BoundingBox(
            west: isRound ? -180 : west ?? -180, south: south ?? -90, east: isRound ? 180 : east ?? 180,
            north: north ?? 90)
        guard let box else {
            throw .parameter(
                "minlatitude", found: (south ?? -90).jsonText,
                accepted: "at most maxlatitude, which is \((north ?? 90).jsonText)")
        }
        return box
    }

    /// The kilometres of a degree on the great circle.
    private static let degree = Coordinate.earthRadius * .pi / 180

    private static func takeCircle(_ parameters: inout Parameters, into query: inout EventQuery) throws(Problem) {
        let latitude = try parameters.takeNumber("latitude", in: -90...90)
        let longitude = try parameters.takeNumber("longitude", in: longitudes)
        let least = try parameters.takeNumber("minradius", in: 0...180)
        let most = try parameters.takeNumber("maxradius", in: 0...180)
        guard let latitude, let longitude, let centre = Coordinate(latitude: latitude, longitude: longitude) else {
            let given = [
                ("latitude", latitude), ("longitude", longitude), ("minradius", least), ("maxradius", most),
            ].filter { $0.1 != nil }.map { $0.0 }
            guard !given.isEmpty else { return }
            let missing = [("latitude", latitude), ("longitude", longitude)].filter { $0.1 == nil }.map { $0.0 }
            throw .parameter(
                missing.first ?? "latitude", found: "", accepted: "degrees",
                detail: "a circle needs latitude and longitude: \(given.joined(separator: " and ")) came without "
                    + missing.joined(separator: " and "))
        }
        if let least, let most, least > most {
            throw .parameter(
                "minradius", found: least.jsonText, accepted: "at most maxradius, which is \(most.jsonText)")
        }
        if let most, most < 180 { query.near = EventQuery.Circle(centre: centre, kilometres: most * degree) }
        if let least, least > 0 { query.outside = EventQuery.Circle(centre: centre, kilometres: least * degree) }
    }

    /// Takes `min` and `max` of a quantity by either name.
    private static func range(
        _ quantity: String, accepted: String, _ parameters: inout Parameters
    ) throws(Problem) -> (least: Double?, most: Double?) {
        let least = try parameters.present("min\(quantity)")
        let most = try parameters.present("max\(quantity)")
        return try parameters.takeRange(least, most, accepted: accepted)
    }

    private static func skipped(_ parameters: inout Parameters) throws(Problem) -> Int {
        guard let offset = try parameters.takeWhole("offset", in: 1...Int64.max) else { return 0 }
        guard offset <= mostSkipped + 1 else {
            throw .tooMuch("offset is at most \(mostSkipped + 1); ask for a shorter time instead")
        }
        return Int(offset) - 1
    }
}

extension Problem {
    /// An answer that would cost too much (413).
    static func tooMuch(_ detail: String) -> Problem {
        Problem(status: 413, type: "/problems/too-much", title: "Too much", detail: detail)
    }
}

extension Parameters {
    /// The name by which a parameter of FDSN is there: its own or the short one. Both at once are refused.
    func present(_ name: String) throws(Problem) -> String {
        guard let short = FDSNParameter.short(of: name), has(short) else { return name }
        guard !has(name) else {
            throw .parameter(short, found: "both names", accepted: "a value without \(name), which means the same")
        }
        return short
    }

    /// Takes degrees of this range by either name.
    fileprivate mutating func takeNumber(
        _ name: String, in range: ClosedRange<Double>
    ) throws(Problem) -> Double? {
        let own = try present(name)
        let accepted = "degrees from \(range.lowerBound.jsonText) to \(range.upperBound.jsonText)"
        guard let number = try takeNumber(own, accepted: accepted) else { return nil }
        guard range.contains(number) else {
            throw .parameter(own, found: number.jsonText, accepted: accepted)
        }
        return number
    }

    /// Takes a time of FDSN, in UTC where it has no zone.
    fileprivate mutating func takeFDSNTime(_ name: String) throws(Problem) -> Date? {
        let accepted = "a time such as 2026-03-01T10:15:00 or a date such as 2026-03-01"
        return try takeTime(name, accepted: accepted, example: "2026-03-01T10:15:00") { TimeText.instantOfFDSN($0) }
    }

    /// Takes `true` or `false` in any case, and forgets it.
    fileprivate mutating func takeAnyFlag(_ name: String) throws(Problem) {
        _ = try take(name, accepted: "true or false") { Bool($0.lowercased()) }
    }
}
