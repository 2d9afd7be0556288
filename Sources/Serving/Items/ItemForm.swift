/// The forms of a list of items; the raw value is the word for `f`.
enum ItemForm: String, CaseIterable, Sendable {
    /// A GeoJSON feature collection; also `geojson`.
    case json
    case geojson
    /// A table of RFC 4180.
    case csv
    /// One JSON object a line.
    case ndjson
    /// A GeoJSON text sequence (RFC 8142): a feature a line, behind a record separator.
    case geojsonseq
    /// Arrays by column, for a map.
    case columns
    /// A table for people.
    case html

    /// The most items of a page. Tables and lines have the link to the next page in the head alone, which is sent
    /// before the second batch is read, so their pages are one batch.
    var mostItems: Int {
        switch self {
        case .csv, .ndjson, .geojsonseq: ItemReader.batch
        case .json, .geojson, .columns, .html: 10_000
        }
    }

    /// Whether the link to the next page stands behind the items, so that a page may end early.
    var tellsNextBehind: Bool { mostItems > ItemReader.batch }

    /// Whether the content says how many items match.
    var tellsMatched: Bool {
        switch self {
        case .json, .geojson, .columns: true
        case .csv, .ndjson, .geojsonseq, .html: false
        }
    }

    /// Whether the items are features.
    var hasFeatures: Bool {
        switch self {
        case .json, .geojson, .geojsonseq: true
        case .csv, .ndjson, .columns, .html: false
        }
    }

    /// The parameters of a request with `f`, unless the form comes without it. The form may follow from the field
    /// `Accept`, which a link does not have.
    func named(in items: [QueryItem]) -> [QueryItem] {
        let isUsual = self == .json || self == .geojson
        guard !isUsual, !items.contains(where: { $0.name == "f" }) else { return items }
        return items + [QueryItem(name: "f", value: rawValue)]
    }

    var mediaType: String {
        switch self {
        case .json, .geojson: MediaType.geoJSON
        case .csv: MediaType.csv
        case .ndjson: MediaType.ndjson
        case .geojsonseq: MediaType.geoJSONSequence
        case .columns: MediaType.json
        case .html: MediaType.html
        }
    }
}

/// The forms of other resources.
enum PageForm: String, CaseIterable, Sendable {
    case json
    case html
}

/// Chooses a form by the field `Accept` (RFC 9110 §12.5.1).
enum Negotiation {
    /// The form of the media type with the highest weight, at equal weights the first; `usual` if none is known, since
    /// an answer is better than none. HTML is chosen only where it is named.
    static func form<Form>(_ accept: String?, _ forms: [(type: String, form: Form)], usual: Form) -> Form {
        var best: (weight: Double, form: Form)?
        for range in (accept ?? "").split(separator: ",").prefix(64) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            let named = forms.first { $0.type == type }?.form
            guard let form = named ?? (type == "*/*" ? usual : nil), weight > (best?.weight ?? 0) else { continue }
            best = (weight, form)
        }
        return best?.form ?? usual
    }

    static func items(_ accept: String?) -> ItemForm {
        form(
            accept,
            [
                ("application/geo+json", .geojson), ("application/json", .geojson), ("text/html", .html),
                ("text/csv", .csv), ("application/x-ndjson", .ndjson), (MediaType.geoJSONSequence, .geojsonseq),
            ], usual: .geojson)
    }

    static func page(_ accept: String?) -> PageForm {
        form(
            accept, [("application/json", .json), ("application/geo+json", .json), ("text/html", .html)], usual: .json)
    }
}
