import Foundation
import Model
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
        guard let text = try parameters.take("datetime", accepted: TimeText.acceptedInterval) else { return nil }
        guard let (first, last) = TimeText.interval(text) else {
            throw .noTime(
                "datetime", found: text, accepted: TimeText.acceptedInterval, example: "2026-03-01T10:15:00Z/..")
        }
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

    /// Takes `near` and `radius`.
    static func circle(_ parameters: inout Parameters) throws(Problem) -> EventQuery.Circle? {
        let accepted = "longitude,latitude in degrees, longitude from -180 to 360, latitude from -90 to 90"
        let numbers = try parameters.takeNumbers("near", [2], accepted: accepted)
        let acceptedRadius = "kilometres above 0, up to 20100"
        let radius = try parameters.takeNumber("radius", accepted: acceptedRadius)
        guard let numbers else {
            if let radius {
                throw .parameter("radius", found: radius.jsonText, accepted: "a value only together with near")
            }
            return nil
        }
        guard (-180...360).contains(numbers[0]),
            let centre = Coordinate(latitude: numbers[1], longitude: numbers[0])
        else {
            let (first, second) = (numbers[0].jsonText, numbers[1].jsonText)
            let isSwapped = (-90...90).contains(numbers[0]) && (-180...360).contains(numbers[1])
            let hint = isSwapped ? "; longitude comes before latitude here: did you mean \(second),\(first)?" : ""
            throw .parameter(
                "near", found: "\(first),\(second)", accepted: accepted, detail: "near takes \(accepted)\(hint)")
        }
        let kilometres = radius ?? 100
        guard kilometres > 0, kilometres <= 20_100 else {
            throw .parameter("radius", found: kilometres.jsonText, accepted: acceptedRadius)
        }
        return EventQuery.Circle(centre: centre, kilometres: kilometres)
    }

    /// The most words of `q`.
    private static let mostWords = 16

    /// Takes `q`; a text without a letter or digit is refused, since it could find nothing.
    static func words(_ parameters: inout Parameters) throws(Problem) -> String? {
        let accepted =
            "up to \(mostWords) words with letters or digits, 250 characters in all, * at the end of one for any ending"
        guard let text = try parameters.take("q", accepted: accepted) else { return nil }
        guard text.contains(where: { $0.isLetter || $0.isNumber }), text.unicodeScalars.count <= 250,
            text.split(whereSeparator: \.isWhitespace).count <= mostWords
        else {
            throw .parameter("q", found: text, accepted: accepted)
        }
        return text
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
