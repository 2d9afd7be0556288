import Foundation
import Model
import Presenting
import Settings
import Store

/// What a request for the items of a collection asks for.
struct ItemRequest: Sendable {
    /// The orders; the raw value is the word for `sortby`.
    enum Order: String, CaseIterable, Sendable {
        case newestFirst = "-time"
        case oldestFirst = "time"
        case largestFirst = "-magnitude"
        case smallestFirst = "magnitude"

        /// Events without a magnitude have no place in such an order, so no page could end among them.
        var isByMagnitude: Bool { self == .largestFirst || self == .smallestFirst }

        /// Puts the events of a query in this order.
        func apply(to query: inout EventQuery) {
            switch self {
            case .newestFirst: query.order = .newestFirst
            case .oldestFirst: query.order = .oldestFirst
            case .largestFirst: query.order = .largestFirst
            case .smallestFirst: query.order = .smallestFirst
            }
            if isByMagnitude { query.minimumMagnitude = query.minimumMagnitude ?? -Double.greatestFiniteMagnitude }
        }
    }

    let collection: EventCollection
    /// The conditions, without key and limit.
    var query: EventQuery
    let form: ItemForm
    let limit: Int
    let order: Order
    let cursor: ItemCursor?
    /// The properties asked for; nil: all.
    let properties: [EventProperty]?
    /// The text of `as_of`; nil: the present state.
    let asOf: String?
    let areVersions: Bool
    /// Whether features have their geometry.
    let hasGeometry: Bool
    /// All parameters, for links.
    let items: [QueryItem]

    /// Reads the parameters of a request; `f` has been chosen before.
    init(_ parameters: inout Parameters, _ collection: EventCollection, form: ItemForm) throws(Problem) {
        self.collection = collection
        self.form = form
        items = parameters.items
        let (saysWithdrawn, saysOrder) = (parameters.has("withdrawn"), parameters.has("sortby"))
        query = try EventParameters.query(&parameters, in: collection)
        query.changedSince = try parameters.takeTime("updated_after")
        query.changedAfter = try parameters.takeWhole("after", in: 0...Int64.max)
        // A follower must see what has been withdrawn meanwhile.
        if !saysWithdrawn, query.changedSince != nil || query.changedAfter != nil { query.withdrawn = .include }
        limit = try parameters.takeLimit(atMost: form.mostItems)
        order = try Self.order(&parameters)
        order.apply(to: &query)
        cursor = try Self.cursor(&parameters, in: order)
        properties = try parameters.takeProperties(EventProperty.all.map { ($0.name, $0) })
        asOf = try parameters.take("as_of", accepted: Self.acceptedMoment)
        areVersions = try parameters.takeFlag("versions") ?? false
        hasGeometry = try !parameters.takeSkipGeometry(in: form)
        try parameters.end()
        guard areVersions else { return }
        guard form == .columns else {
            throw .parameter("versions", found: "true", accepted: "true only with f=columns")
        }
        // Versions come in no certain order.
        let others = [("cursor", cursor != nil), ("as_of", asOf != nil), ("sortby", saysOrder)]
        if let (name, _) = others.first(where: { $0.1 }) {
            throw .parameter("versions", found: "true", accepted: "true only without \(name)")
        }
    }

    /// Whether the form has the property that says why an event has no place.
    var tellsMissingPlaces: Bool {
        if let properties { return properties.contains { $0.name == "location_missing" } }
        switch form {
        case .json, .geojson, .ndjson, .geojsonseq: return true
        case .csv, .columns, .html: return false
        }
    }

    static let acceptedMoment = "\(TimeText.accepted), up to now, or the number of a change up to the last one"

    private static func order(_ parameters: inout Parameters) throws(Problem) -> Order {
        let accepted = Order.allCases.map(\.rawValue).joined(separator: ", ")
        let order = try parameters.take("sortby", accepted: accepted) { text in
            // A plus sign means ascending; not encoded, it has become a space.
            Order(rawValue: text.hasPrefix("+") || text.hasPrefix(" ") ? String(text.dropFirst()) : text)
        }
        return order ?? .newestFirst
    }

    private static func cursor(_ parameters: inout Parameters, in order: Order) throws(Problem) -> ItemCursor? {
        try parameters.take(
            "cursor", accepted: "the cursor of a link to the next page, with the same sortby"
        ) { ItemCursor($0, in: order) }
    }
}

extension Parameters {
    /// Takes `skipGeometry`, which features alone have.
    mutating func takeSkipGeometry(in form: ItemForm) throws(Problem) -> Bool {
        let isSkipped = try takeFlag("skipGeometry") ?? false
        guard !isSkipped || form.hasFeatures else {
            throw .parameter(
                "skipGeometry", found: "true", accepted: "true only with f=json, f=geojson or f=geojsonseq")
        }
        return isSkipped
    }

    /// Takes `properties`, each name once; nil: all.
    /// - Parameter all: The known properties by their names, in their order.
    mutating func takeProperties<Property>(_ all: [(name: String, property: Property)]) throws(Problem) -> [Property]? {
        let names = try takeList("properties")
        guard !names.isEmpty else { return nil }
        var chosen: [Property] = []
        var seen: Set<String> = []
        for name in names where seen.insert(name).inserted {
            guard let found = all.first(where: { $0.name == name }) else {
                let known = all.map { $0.name }
                throw .parameter(
                    "properties", found: name, accepted: known.joined(separator: ", "),
                    detail: "there is no property \(name) here" + NearestWord.hint(for: name, among: known))
            }
            chosen.append(found.property)
        }
        return chosen
    }
}

/// The past state that is asked for.
struct PastMoment: Sendable, Hashable {
    /// The number of the last change that counts.
    var change: Int64
    /// When that was; nil if it is not known any more.
    var moment: Date?
    /// Whether the number was asked for, not a time.
    var isNumber: Bool

    /// How far the clock of a client may be ahead of `now`.
    private static let leeway: TimeInterval = 60

    /// Reads `as_of`. A time to come and a number beyond the newest change are refused: nobody knows that state yet.
    /// - Parameter now: The wall time.
    init(_ text: String, now: Date, from store: EventStore) throws {
        func refusal(_ detail: String? = nil) -> Problem {
            .parameter("as_of", found: text, accepted: ItemRequest.acceptedMoment, detail: detail)
        }
        if text.utf8.count <= 18, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        {
            let newest = try store.lastChange()
            guard number <= newest else {
                throw refusal("there is no change \(number) yet; the last change is \(newest)")
            }
            change = number
            isNumber = true
            let page = try ChangeFeed(of: store).next(after: max(0, number - 1), limit: 1)
            if let found = page.changes.first, found.sequence == number { moment = found.at }
        } else if let time = TimeText.instant(text) {
            guard time <= now + Self.leeway else {
                throw refusal("\(time.timestamp) is still to come; it is \(now.timestamp) now")
            }
            change = try store.change(at: time)
            isNumber = false
            moment = time
        } else {
            throw Problem.noTime("as_of", found: text, accepted: ItemRequest.acceptedMoment)
        }
    }
}

/// Since when the record of then is whole.
struct Completeness: Sendable {
    /// By name of the source, in alphabetical order.
    var sources: [SourceCompleteness]
    /// Whether nothing of these sources is missing at the moment.
    var isWhole: Bool

    /// - Parameter names: The sources that count; none: all.
    init(_ then: PastMoment, of names: [String], from store: EventStore) throws {
        sources = try store.completeness().filter { names.isEmpty || names.contains($0.name) }
        guard let moment = then.moment, !sources.isEmpty else {
            isWhole = false
            return
        }
        // Changes of one time may lie on both sides of a reset.
        isWhole = sources.allSatisfy {
            $0.completeFrom.milliseconds <= moment.milliseconds && (!then.isNumber || $0.resetChange <= then.change)
        }
    }

    /// The object of times by source.
    var json: String {
        let members = sources.map { "\($0.name.jsonQuoted):\($0.completeFrom.timestamp.jsonQuoted)" }
        return "{" + members.joined(separator: ",") + "}"
    }
}
