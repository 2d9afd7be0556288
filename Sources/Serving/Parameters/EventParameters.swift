import Foundation
import Model
import Operations
import Reading
import Store

/// The parameters that select events; they mean the same wherever they are taken.
enum EventParameters {
    /// Takes the conditions on an event itself: place, time, strength, words and withdrawal. The order stays newest
    /// first, the limit 100.
    /// - Parameters:
    ///   - collection: The collection that is asked, whose categories are a further condition; nil: all events.
    ///   - homes: What `home` means where it is missing; by default events at the author's home come, too. Who asks for
    ///     the evidence `author` asks for them in any case.
    static func query(
        _ parameters: inout Parameters, in collection: EventCollection?, homes: EventQuery.Homes = .include
    ) throws(Problem) -> EventQuery {
        var query = EventQuery()
        query.box = try box(&parameters)
        query.near = try circle(&parameters)
        if let times = try interval(&parameters) { (query.since, query.until) = times }
        (query.minimumMagnitude, query.maximumMagnitude) = try parameters.takeRange(
            "min_magnitude", "max_magnitude", accepted: "a number, such as 5.5")
        (query.minimumDepth, query.maximumDepth) = try parameters.takeRange(
            "min_depth", "max_depth", accepted: "kilometres, such as 12.5")
        query.minimumWeight = try parameters.takeNumber("min_weight")
        if let weight = query.minimumWeight, !(0...1).contains(weight) {
            throw .parameter("min_weight", found: weight.jsonText, accepted: "a weight from 0 to 1")
        }
        query.text = try words(&parameters)
        query.author = try parameters.take("author")
        query.sources = try parameters.takeList("source")
        query.providers = try parameters.takeList("provider")
        if let collection, !collection.categories.isEmpty {
            query.categories = collection.categories
        } else {
            query.categories = try parameters.takeList("category").map { Model.Category(rawValue: $0) }
        }
        let home: EventQuery.Homes? = try parameters.takeWord("home")
        try takePlaces(&parameters, into: &query)
        query.homes = home ?? (query.evidence.contains(.author) ? .include : homes)
        if query.isLocated == false, home == .only {
            throw .parameter("located", found: "false", accepted: "true beside home=only")
        }
        query.withdrawn = try parameters.takeWord("withdrawn") ?? .exclude
        return query
    }

    /// Takes `datetime`; nil if it is missing. A side is nil where it is open.
    static func interval(_ parameters: inout Parameters) throws(Problem) -> (since: Date?, until: Date?)? {
        let read = try parameters.takeTime(
            "datetime", accepted: TimeText.acceptedInterval, example: "2026-03-01T10:15:00Z/.."
        ) { text in TimeText.interval(text).map { (text, $0.first, $0.last) } }
        guard let (text, first, last) = read else { return nil }
        if let since = first?.since, let until = last?.until, since > until {
            let ends = text.split(separator: "/")
            throw .parameter(
                "datetime", found: text, accepted: TimeText.acceptedInterval,
                detail: "datetime takes the earlier time first: \(ends[0]) is later than \(ends[ends.count - 1])")
        }
        return (first?.since, last?.until)
    }

    /// Takes `bbox`; heights of six numbers are ignored, since events have none there.
    static func box(_ parameters: inout Parameters) throws(Problem) -> BoundingBox? {
        let accepted = """
            four or six numbers: west,south,east,north or west,south,lowest,east,north,highest; west and east from \
            -540 to 540, south below north and both from -90 to 90
            """
        guard let numbers = try parameters.takeNumbers("bbox", [4, 6], accepted: accepted) else { return nil }
        let (west, south) = (numbers[0], numbers[1])
        let (east, north) = numbers.count == 4 ? (numbers[2], numbers[3]) : (numbers[3], numbers[4])
        if let made = box(west: west, south: south, east: east, north: north) { return made }
        var hint = ""
        if (-90...90).contains(west), !(-90...90).contains(south) {
            hint = "; the order is west,south,east,north: longitude comes before latitude"
            if box(west: south, south: west, east: north, north: east) != nil {
                var swapped = numbers
                swapped.swapAt(0, 1)
                swapped.swapAt(numbers.count / 2, numbers.count / 2 + 1)
                hint += "; did you mean \(listed(swapped))?"
            }
        }
        throw .parameter(
            "bbox", found: listed(numbers), accepted: accepted, detail: "bbox takes \(accepted)\(hint)")
    }

    /// A box of these edges; nil unless they are in range and south is not above north.
    private static func box(west: Double, south: Double, east: Double, north: Double) -> BoundingBox? {
        guard (-540...540).contains(west), (-540...540).contains(east) else { return nil }
        let isRound = east - west >= 360
        return BoundingBox(west: isRound ? -180 : west, south: south, east: isRound ? 180 : east, north: north)
    }

    private static func listed(_ numbers: [Double]) -> String {
        numbers.map { $0.jsonText }.joined(separator: ",")
    }

    /// Takes `latitude` and `longitude`, or `near`, and `radius`.
    static func circle(_ parameters: inout Parameters) throws(Problem) -> EventQuery.Circle? {
        let point = try point(&parameters)
        let named = try namedPlace(&parameters)
        let acceptedRadius = "kilometres above 0, up to 20100"
        let radius = try parameters.takeNumber("radius", accepted: acceptedRadius)
        if point != nil, named != nil {
            let name = parameters.items.first { $0.name == "near" }?.value ?? ""
            throw .parameter("near", found: name, accepted: "a name only without latitude and longitude")
        }
        guard let centre = point ?? named else {
            if let radius {
                let accepted = "a value only together with latitude and longitude, or with near"
                throw .parameter("radius", found: radius.jsonText, accepted: accepted)
            }
            return nil
        }
        let kilometres = radius ?? 100
        guard kilometres > 0, kilometres <= 20_100 else {
            throw .parameter("radius", found: kilometres.jsonText, accepted: acceptedRadius)
        }
        return EventQuery.Circle(centre: centre, kilometres: kilometres)
    }

    private static let latitudes = "degrees from -90 to 90"
    private static let longitudes = "degrees from -180 to 360"

    private static func point(_ parameters: inout Parameters) throws(Problem) -> Coordinate? {
        let latitude = try parameters.takeNumber("latitude", accepted: latitudes)
        let longitude = try parameters.takeNumber("longitude", accepted: longitudes)
        if let latitude, !(-90...90).contains(latitude) {
            throw .parameter("latitude", found: latitude.jsonText, accepted: latitudes)
        }
        if let longitude, !(-180...360).contains(longitude) {
            throw .parameter("longitude", found: longitude.jsonText, accepted: longitudes)
        }
        switch (latitude, longitude) {
        case (nil, nil): return nil
        case (let latitude?, let longitude?): return Coordinate(latitude: latitude, longitude: longitude)
        case (let latitude?, nil):
            throw .parameter("latitude", found: latitude.jsonText, accepted: "a value only together with longitude")
        case (nil, let longitude?):
            throw .parameter("longitude", found: longitude.jsonText, accepted: "a value only together with latitude")
        }
    }

    /// Takes `near`, whose place `ReadAPI` has looked for. Two numbers are refused, since they do not say which of them
    /// is the latitude.
    private static func namedPlace(_ parameters: inout Parameters) throws(Problem) -> Coordinate? {
        guard let text = try parameters.take("near", accepted: acceptedName) else { return nil }
        if let place = parameters.place, NamedPlace.isName(text) { return place }
        let numbers = text.split(separator: ",").compactMap { NumberReader.double($0.filter { $0 != " " }) }
        let ways = numbers.count == 2 ? waysToWrite(numbers[0], numbers[1]) : ""
        throw .parameter("near", found: text, accepted: acceptedName, detail: "near takes \(acceptedName)\(ways)")
    }

    static let acceptedName =
        "the name of a volcano or city, as in near=Kilauea or near=La Paz, Bolivia; numbers are given as latitude and "
        + "longitude"

    /// The end of a refusal of two numbers, with the orders in which they are a position; `near` was longitude,latitude
    /// once.
    private static func waysToWrite(_ one: Double, _ other: Double) -> String {
        let hint = " if the longitude comes first, as near took it in earlier versions"
        let ways = [wayToWrite(other, one).map { $0 + hint }, wayToWrite(one, other)].compactMap { $0 }
        return ways.isEmpty ? "" : "; write " + ways.joined(separator: ", or ")
    }

    private static func wayToWrite(_ latitude: Double, _ longitude: Double) -> String? {
        guard (-90...90).contains(latitude), (-180...360).contains(longitude) else { return nil }
        return "latitude=\(latitude.jsonText)&longitude=\(longitude.jsonText)"
    }

    /// The most words of `q`.
    private static let mostWords = 16

    /// Takes `q`; a text without a letter, digit or emoji is refused, since it could find nothing.
    static func words(_ parameters: inout Parameters) throws(Problem) -> String? {
        let accepted =
            "up to \(mostWords) words with letters, digits or emoji, 250 characters in all, * at the end of one for any "
            + "ending"
        return try parameters.take("q", accepted: accepted) { text in
            let count = text.split(whereSeparator: \.isWhitespace).count
            return SearchText.hasWord(text) && text.unicodeScalars.count <= 250 && count <= mostWords ? text : nil
        }
    }

    private static func takePlaces(_ parameters: inout Parameters, into query: inout EventQuery) throws(Problem) {
        query.isLocated = try parameters.takeFlag("located")
        query.precisions = try parameters.takeWords("precision")
        query.evidence = try parameters.takeWords("evidence")
        for code in try parameters.takeList("country") {
            let isCode = code.utf8.count == 2 && code.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
            guard isCode else {
                throw .parameter("country", found: code, accepted: "two-letter codes of ISO 3166-1, such as JP")
            }
            query.countries.append(code.uppercased())
        }
        let isOfPlaces = !query.precisions.isEmpty || !query.evidence.isEmpty || !query.countries.isEmpty
        if query.isLocated == false, isOfPlaces {
            throw .parameter("located", found: "false", accepted: "true beside precision, evidence and country")
        }
    }
}
