import Foundation
import Model
import Reading
import Store

extension ReadAPI {
    /// The most bins of a histogram.
    private static let mostBins = 2000
    /// The most places and authors.
    private static let mostRows = 1000

    /// Answers `/summary/…`.
    func summary(_ request: APIRequest, _ name: String, now: Date) throws -> Reply {
        switch name {
        case "histogram": return try histogram(request, now: now)
        case "hotspots": return try hotspots(request, now: now)
        case "authors": return try authors(request, now: now)
        default: throw Problem.missing("there is no summary \(name); there are histogram, hotspots, authors")
        }
    }

    /// The bins of a histogram.
    private struct Timeline {
        var bins: [TimeBin] = []
        var isCut = false
        var width: BinWidth
        /// What is covered by a number of bins; nil: nothing, or the bins have a length that was asked for.
        var span: ClosedRange<Date>?

        /// The newest bins of a length, those without events left out.
        init(_ query: EventQuery, width: BinWidth, atMost most: Int, from store: EventStore) throws {
            self.width = width
            (bins, isCut) = try store.histogram(
                query, width: .seconds(width.seconds), origin: width.origin, limit: most)
        }

        /// Bins over the interval of the query, where it is open to the first or last event that matches.
        init(_ query: EventQuery, atMost most: Int, from store: EventStore) throws {
            var ends = (query.since, query.until)
            if ends.0 == nil || ends.1 == nil {
                let found = try store.span(of: query)
                ends = (ends.0 ?? found?.lowerBound, ends.1 ?? found?.upperBound)
            }
            guard let since = ends.0, let until = ends.1, since <= until else {
                let nothing = Date(milliseconds: 0)
                width = BinWidth(covering: nothing...nothing, atMost: most)
                return
            }
            width = BinWidth(covering: since...until, atMost: most)
            span = since...until
            (bins, isCut) = try store.timeline(
                query, from: width.start(of: since), width: .seconds(width.seconds),
                bins: width.count(over: since...until))
        }
    }

    /// The word for `by`.
    private enum Division: String, CaseIterable {
        case category
    }

    /// The numbers of events by time, oldest bin first.
    private func histogram(_ request: APIRequest, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        let most = try parameters.takeWhole("bins", in: 1...Int64(clamping: Self.mostBins))
        if most != nil, let length = parameters.items.first(where: { $0.name == "bin" }) {
            throw Problem.parameter("bin", found: length.value, accepted: "a value only without bins")
        }
        let bin = try BinWidth(&parameters)
        let division = try parameters.takeWord("by", Division.self)
        let query = try EventParameters.query(&parameters, in: nil)
        try endJSON(&parameters)
        return validated(
            request, .changeAndMinute(minute(now)), form: "histogram", selecting: query
        ) { store, change in
            let counted =
                if let most {
                    try Timeline(query, atMost: Int(clamping: most), from: store)
                } else {
                    try Timeline(query, width: bin, atMost: Self.mostBins, from: store)
                }
            let objects = counted.bins.map { found in
                JSONWriter.object([
                    "start": found.start.timestamp, "count": found.count,
                    "categories": division == .category ? Self.numbers(found.events) : nil,
                ])
            }
            return APIAnswer(json: [
                "seq": Int(clamping: change.number), "bin": Int(clamping: counted.width.seconds),
                "from": counted.span?.lowerBound.timestamp, "to": counted.span?.upperBound.timestamp,
                "truncated": counted.isCut, "bins": .array(objects),
            ])
        }
    }

    /// The places with the most events as GeoJSON points.
    private func hotspots(_ request: APIRequest, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        let accepted = "degrees from 0.01 to 10"
        let cell = try parameters.takeNumber("cell", accepted: accepted) ?? 0.1
        guard (0.01...10).contains(cell) else {
            throw Problem.parameter("cell", found: cell.jsonText, accepted: accepted)
        }
        let limit = try parameters.takeLimit(atMost: Self.mostRows)
        let query = try EventParameters.query(&parameters, in: nil, homes: .exclude)
        try endJSON(&parameters)
        return validated(
            request, .changeAndMinute(minute(now)), form: "hotspots", selecting: query
        ) { store, change in
            // One more tells whether there are others.
            let found = try store.hotspots(query, cell: cell, limit: limit + 1)
            let features = found.prefix(limit).map(Self.feature)
            return APIAnswer(
                json: [
                    "type": "FeatureCollection", "seq": Int(clamping: change.number), "numberReturned": features.count,
                    "truncated": found.count > limit, "features": .array(features),
                ], type: MediaType.geoJSON)
        }
    }

    /// The authors with the most events.
    private func authors(_ request: APIRequest, now: Date) throws -> Reply {
        var parameters = try Parameters(request)
        let limit = try parameters.takeLimit(atMost: Self.mostRows)
        let query = try EventParameters.query(&parameters, in: nil, homes: .exclude)
        try endJSON(&parameters)
        return validated(
            request, .changeAndMinute(minute(now)), form: "authors", selecting: query
        ) { store, change in
            let found = try store.authors(query, limit: limit + 1)
            let objects = found.prefix(limit).map { $0.json }
            return APIAnswer(json: [
                "seq": Int(clamping: change.number), "truncated": found.count > limit, "authors": .array(objects),
            ])
        }
    }

    // MARK: - Parts

    /// Numbers by category as an object, in alphabetical order.
    private static func numbers(_ counts: [Model.Category: Int]) -> RawJSON {
        .object(of: counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, $0.value) })
    }

    private static func feature(_ hotspot: Hotspot) -> String {
        let place = "\(hotspot.coordinate.longitude.jsonText),\(hotspot.coordinate.latitude.jsonText)"
        return JSONWriter.object([
            "type": "Feature", "id": hotspot.placeID ?? "square:\(place)",
            "geometry": .raw("{\"type\":\"Point\",\"coordinates\":[\(place)]}"),
            "properties": .object([
                "name": hotspot.name, "count": hotspot.count, "newest": hotspot.latest.timestamp,
                "categories": numbers(hotspot.events),
            ]),
        ])
    }
}
