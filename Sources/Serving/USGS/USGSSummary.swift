import Foundation
import Model
import Reading
import Store

/// Writes a summary feed of USGS.
struct USGSSummary: EventDocument {
    /// The most features, as at USGS.
    private static let mostFeatures = 30_000
    /// The least significance (`sig`) of a significant earthquake, as at USGS.
    private static let leastSignificance = 600.0

    private let name: USGSSummaryName
    private let base: String
    private let generated: Date
    var reader: ItemReader
    private var count = 0
    /// The extents of longitude, latitude and depth.
    private var extents: [ClosedRange<Double>?] = [nil, nil, nil]

    /// - Parameters:
    ///   - base: The address of the service.
    ///   - generated: The present minute.
    init(_ name: USGSSummaryName, base: String, generated: Date) {
        self.name = name
        self.base = base
        self.generated = generated
        reader = ItemReader(name.query(at: generated), limit: Self.mostFeatures)
    }

    func begin(_ piece: inout [UInt8], first: StoredEvent?) { piece += head.utf8 }

    func end(_ piece: inout [UInt8]) { piece += tail.utf8 }

    mutating func append(_ stored: StoredEvent, isExact: Bool?, to piece: inout [UInt8]) {
        let feature = USGSFeature(stored)
        if name.level == .significant, (feature.number("sig") ?? 0) < Self.leastSignificance { return }
        switch name.form {
        case .geojson:
            if count > 0 { piece += ",\n".utf8 }
            piece += feature.json(base: base).utf8
        case .csv:
            USGSCSV.append(feature, to: &piece)
            piece += "\n".utf8
        }
        count += 1
        let event = feature.stored.event
        let point = event.location?.coordinate
        // The depth belongs to the place.
        widen([point?.longitude, point?.latitude, point == nil ? nil : event.depth])
    }

    private mutating func widen(_ values: [Double?]) {
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            let old = extents[index] ?? (value...value)
            extents[index] = min(old.lowerBound, value)...max(old.upperBound, value)
        }
    }

    private var head: String {
        switch name.form {
        case .geojson: "{\"type\":\"FeatureCollection\",\"features\":[\n"
        case .csv: USGSCSV.head + "\n"
        }
    }

    private var tail: String {
        switch name.form {
        case .geojson: "],\"metadata\":\(metadata)\(box)}\n"
        case .csv: ""
        }
    }

    /// Stands behind the features, since their number is known only then.
    private var metadata: String {
        USGSMetadata(generated: generated, url: base + name.path, title: name.title, api: "1.0").json(count: count)
    }

    /// The member `bbox` (RFC 7946 §5), with heights if a depth is known; nothing without a place.
    private var box: String {
        let known = extents.compactMap { $0 }
        guard known.count >= 2 else { return "" }
        let numbers = known.map(\.lowerBound.jsonText) + known.map(\.upperBound.jsonText)
        return ",\"bbox\":[\(numbers.joined(separator: ","))]"
    }
}

extension ReadAPI {
    /// A summary feed in the form of USGS. It is made anew each minute, as there.
    func summaryFeed(_ request: APIRequest, _ text: String, now: Date) throws -> Reply {
        guard let name = USGSSummaryName.all.first(where: { $0.text == text }) else {
            throw Problem.missing(
                "there is no summary feed \(text); their names are such as all_day.geojson and 4.5_week.csv")
        }
        try Parameters(request).end()
        let minute = self.minute(now)
        return validated(
            request, .changeAndMinute(minute), form: name.text, cacheControl: Self.cacheControl([.earthquake])
        ) { store, _ in
            let generated = Date(milliseconds: minute * 60_000)
            var writer = USGSSummary(name, base: request.base, generated: generated)
            return APIAnswer(headers: [("content-type", name.mediaType)], body: try writer.body(from: store))
        }
    }
}
