import Foundation
import Model
import SQLite

/// SQL with its parameter values in order.
struct SQLQuery {
    var sql: String
    var values: [any Bindable]

    func prepare(on connection: Connection, prefix: String = "") throws -> Statement {
        let statement = try connection.prepare(prefix + sql)
        for value in values { value.bind(to: statement) }
        return statement
    }
}

extension EventQuery {
    /// The query for `columns` of the matching events, whose table is `e`.
    ///
    /// The planner has no statistics, since they would go stale. So the most selective table stands first, and
    /// `CROSS JOIN` keeps it there: words, then a small region, then a single source. Every other query walks an index
    /// of `event`, one of those of the changes if it asks for the latest ones.
    /// - Parameters:
    ///   - suffix: Takes the place of ORDER BY and LIMIT.
    ///   - conditions: Further conditions, without parameters.
    func sql(_ columns: String, suffix: String? = nil, conditions: [String] = []) -> SQLQuery {
        var builder = Builder()
        builder.addDriver(of: self)
        builder.addConditions(of: self)
        builder.conditions += conditions
        var sql = "SELECT \(columns) FROM \(builder.from)"
        if !builder.conditions.isEmpty { sql += " WHERE " + builder.conditions.joined(separator: " AND ") }
        var values = builder.fromValues + builder.values
        if let suffix {
            sql += " " + suffix
        } else {
            switch order {
            case .newestFirst, .oldestFirst:
                let direction = (order == .oldestFirst) == isReversed ? "DESC" : "ASC"
                sql += " ORDER BY \(builder.time) \(direction), \(builder.row) \(direction)"
            case .largestFirst, .smallestFirst:
                let magnitude = walksMagnitudes ? "e.magnitude" : "+e.magnitude"
                let direction = order == .smallestFirst ? "ASC" : "DESC"
                let keys = [magnitude, builder.time, builder.row]
                sql += " ORDER BY " + keys.map { "\($0) \(direction)" }.joined(separator: ", ")
            case .latestChangeFirst: sql += " ORDER BY e.change_seq DESC"
            }
            if let limit {
                sql += " LIMIT ?"
                values.append(max(0, limit))
            }
        }
        return SQLQuery(sql: sql, values: values)
    }

    /// The further condition that leaves erased events out, which are all withdrawn.
    func conditions(withErased: Bool) -> [String] {
        withErased || withdrawn == .exclude ? [] : ["e.is_erased = 0"]
    }

    /// Whether the SQL returns the events in reverse, starting at the key that ends the page.
    var isReversed: Bool {
        switch order {
        case .newestFirst: newerThan != nil && olderThan == nil
        case .oldestFirst: olderThan != nil && newerThan == nil
        case .largestFirst, .smallestFirst, .latestChangeFirst: false
        }
    }

    /// Whether the index of magnitudes may be walked. In the order of time it would mean a sort, and a span of time has
    /// fewer events than that index.
    fileprivate var walksMagnitudes: Bool {
        order.isByMagnitude && publicIDs.isEmpty && since == nil && until == nil && olderThan == nil
            && newerThan == nil
    }

    /// Whether the index of the changes is walked from its end. An author, a country or a window of time has fewer
    /// events, which are then sorted.
    fileprivate var walksChanges: Bool {
        order == .latestChangeFirst && author == nil && countries.isEmpty && (since == nil || until == nil)
    }

    /// Converts words to an FTS5 expression; nil if no word has a letter, digit or emoji. Words are quoted, so that only
    /// a `*` at the end of a word keeps a meaning.
    static func matchExpression(_ text: String) -> String? {
        let terms = Self.terms(of: text).map { term in
            let doubled = term.word.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            return "\"\(doubled)\"" + (term.isPrefix ? "*" : "")
        }
        return terms.isEmpty ? nil : terms.joined(separator: " ")
    }

    /// The words that have a letter, digit or emoji, as the index has them, without `*` at their end, which stands for
    /// any ending.
    static func terms(of text: String) -> [(word: String, isPrefix: Bool)] {
        text.split(whereSeparator: \.isWhitespace).compactMap { word -> (word: String, isPrefix: Bool)? in
            var word = String(word).filter { $0 != "\0" }
            let isPrefix = word.hasSuffix("*")
            while word.hasSuffix("*") { word.removeLast() }
            return SearchText.hasWord(word) ? SearchText.sought(word, isPrefix: isPrefix) : nil
        }
    }
}

/// Assembles the parts of a query.
private struct Builder {
    var from = "event e"
    /// Values of the parameters in `from`.
    var fromValues: [any Bindable] = []
    var conditions: [String] = []
    var values: [any Bindable] = []
    /// The columns of the walked index that order by time. Each index ends with the row.
    var (time, row) = ("e.time_ms", "e.id")

    // MARK: - Driving table

    mutating func addDriver(of query: EventQuery) {
        if let text = query.text, !text.allSatisfy(\.isWhitespace) {
            guard let match = EventQuery.matchExpression(text) else { return conditions.append("FALSE") }
            from = "event_text CROSS JOIN event e ON e.id = event_text.rowid"
            conditions.append("event_text MATCH ?")
            values.append(match)
        } else if !query.publicIDs.isEmpty {
            return
        } else if let box = query.region, box.isSmall {
            from = "(\(positions(in: box, query.span))) p CROSS JOIN event e ON e.id = p.id"
        } else if query.sources.count == 1 {
            from = "link l CROSS JOIN event e ON e.id = l.event_id"
            conditions.append("l.source_id = (SELECT id FROM source WHERE name = ?)")
            values.append(query.sources[0])
            (time, row) = ("l.time_ms", "l.event_id")
        } else if query.changedAfter != nil {
            from = "event e INDEXED BY event_change"
        } else if query.changedSince != nil {
            from = "event e INDEXED BY event_changed"
        } else if query.walksChanges {
            from = "event e INDEXED BY event_change"
        }
    }

    /// Selects the rows of events whose entries in the R*Tree touch the box and the span; the conditions check them
    /// exactly. One or both of an event's two entries may touch.
    private mutating func positions(in box: BoundingBox, _ span: (since: Int64?, until: Int64?)) -> String {
        var ranges = box.crossesAntimeridian ? [(box.west, 180.0), (-180.0, box.east)] : [(box.west, box.east)]
        if let edge = box.otherEdge { ranges.append((edge, edge)) }
        var others = [("max_latitude", ">=", box.south), ("min_latitude", "<=", box.north)]
        // The tree rounds hours outwards to 32-bit floats, which are two minutes apart in this century, so no event is
        // lost. The six minutes are only a margin.
        if let since = span.since { others.append(("max_hour", ">=", EventPositions.hours(since) - 0.1)) }
        if let until = span.until { others.append(("min_hour", "<=", EventPositions.hours(until) + 0.1)) }
        let parts = ranges.map { west, east in
            let bounds = [("max_longitude", ">=", west), ("min_longitude", "<=", east)] + others
            func touches(_ entry: String) -> String {
                fromValues += bounds.map { $0.2 as any Bindable }
                return bounds.map { "\(entry).\($0.0) \($0.1) ?" }.joined(separator: " AND ")
            }
            // An event's second entry has its number with a minus sign. Few events have one, so looking for the first
            // costs less than DISTINCT. UNION removes duplicates itself.
            return
                "SELECT abs(id) AS id FROM event_position WHERE \(touches("event_position")) AND (id > 0 OR NOT EXISTS "
                + "(SELECT 1 FROM event_position o WHERE o.id = -event_position.id AND \(touches("o"))))"
        }
        return parts.joined(separator: " UNION ")
    }

    // MARK: - Conditions

    mutating func addConditions(of query: EventQuery) {
        if time != "l.time_ms", !query.sources.isEmpty {
            let marks = query.sources.map { _ in "?" }.joined(separator: ", ")
            conditions.append(
                "EXISTS (SELECT 1 FROM link l JOIN source s ON s.id = l.source_id WHERE l.event_id = e.id "
                    + "AND s.name IN (\(marks)))")
            values += query.sources as [any Bindable]
        }
        if !query.publicIDs.isEmpty { add("e.public_id", among: query.publicIDs) }
        // A bound that follows from a key is left out, since SQLite might start at the bound and not at the key.
        if let since = query.since?.milliseconds, query.newerThan.map({ $0.time.milliseconds < since }) ?? true {
            add("\(time) >= ?", since)
        }
        if let until = query.until?.milliseconds, query.olderThan.map({ $0.time.milliseconds > until }) ?? true {
            add("\(time) <= ?", until)
        }
        if let key = query.olderThan { add(key, "<", orElse: .max, in: query.order) }
        if let key = query.newerThan { add(key, ">", orElse: 0, in: query.order) }
        // Each public id finds its row. The sign keeps SQLite from walking a whole category instead.
        let sign = query.publicIDs.isEmpty ? "" : "+"
        if !query.categories.isEmpty { add(sign + "e.category", among: query.categories.map(\.rawValue)) }
        if !query.providers.isEmpty { add("e.provider", among: query.providers) }
        if let author = query.author { add(sign + "e.author_name = ?", author) }
        let magnitudes = query.walksMagnitudes ? "" : "+"
        if let magnitude = query.minimumMagnitude { add(magnitudes + "e.magnitude >= ?", magnitude) }
        if let magnitude = query.maximumMagnitude { add(magnitudes + "e.magnitude <= ?", magnitude) }
        if let depth = query.minimumDepth { add("e.depth_km >= ?", depth) }
        if let depth = query.maximumDepth { add("e.depth_km <= ?", depth) }
        if !query.precisions.isEmpty { add("e.location_precision", among: query.precisions.map(\.rawValue)) }
        if !query.evidence.isEmpty { add("e.location_evidence", among: query.evidence.map(\.rawValue)) }
        switch query.homes {
        case .exclude: conditions.append("e.location_evidence IS NOT '\(PlaceEvidence.author.rawValue)'")
        case .include: break
        case .only: conditions.append("e.location_evidence = '\(PlaceEvidence.author.rawValue)'")
        }
        if !query.countries.isEmpty { add(sign + "e.location_country", among: query.countries) }
        if let isLocated = query.isLocated { conditions.append("e.latitude IS \(isLocated ? "NOT NULL" : "NULL")") }
        if let weight = query.minimumWeight { add("e.weight >= ?", weight) }
        if let changed = query.changedSince { add("e.last_changed_ms >= ?", changed.milliseconds) }
        if let change = query.changedAfter { add("e.change_seq > ?", change) }
        switch query.withdrawn {
        case .exclude: conditions.append("e.withdrawn_reason IS NULL")
        case .include: break
        case .only: conditions.append("e.withdrawn_reason IS NOT NULL")
        }
        if let box = query.box {
            let isBeside = box.crossesAntimeridian ? "OR" : "AND"
            let other = box.otherEdge.map { " OR e.longitude = \($0)" } ?? ""
            add(
                shape: "touches_box(e.geometry, ?, ?, ?, ?)", [box.west, box.south, box.east, box.north],
                orPoint: "e.latitude BETWEEN ? AND ? AND (e.longitude >= ? \(isBeside) e.longitude <= ?\(other))",
                [box.south, box.north, box.west, box.east])
        }
        if let near = query.near {
            let (latitude, longitude) = (near.centre.latitude, near.centre.longitude)
            add(
                shape: "touches_circle(e.geometry, ?, ?, ?)", [latitude, longitude, near.kilometres],
                orPoint: Self.distance + " <= ?", [latitude, latitude, longitude, near.kilometres])
        }
        if let outside = query.outside {
            let (latitude, longitude) = (outside.centre.latitude, outside.centre.longitude)
            conditions.append(Self.distance + " >= ?")
            values += [latitude, latitude, longitude, outside.kilometres] as [any Bindable]
        }
    }

    /// The kilometres between the coordinate and a point, by the haversine formula on the sphere of
    /// `Coordinate.distance(to:)`. Takes the point's latitude twice, then its longitude.
    private static let distance = """
        2 * \(Coordinate.earthRadius) * asin(min(1, sqrt(pow(sin(radians(e.latitude - ?) / 2), 2) \
        + cos(radians(?)) * cos(radians(e.latitude)) * pow(sin(radians(e.longitude - ?) / 2), 2))))
        """

    /// Tests the shape of an event that has one, and otherwise its coordinate.
    private mutating func add(
        shape: String, _ shapeValues: [Double], orPoint point: String, _ pointValues: [Double]
    ) {
        conditions.append("coalesce(iif(e.geometry IS NULL, NULL, \(shape)), \(point))")
        values += shapeValues + pointValues as [any Bindable]
    }

    /// - Parameter row: Stands in for the row of an event that has been truncated.
    private mutating func add(
        _ key: EventQuery.Key, _ comparison: String, orElse row: Int64, in order: EventQuery.Order
    ) {
        // The sign keeps SQLite on the index of the changes.
        let sign = order.isByMagnitude ? "+" : ""
        let known = key.handle == nil ? "coalesce(\(EventQuery.Key.rows), ?)" : "?"
        conditions.append("(\(sign)\(time), \(self.row)) \(comparison) (?, \(known))")
        values.append(key.time.milliseconds)
        if key.handle == nil { values += [key.publicID, key.publicID] as [any Bindable] }
        values.append(key.handle?.number ?? row)
    }

    private mutating func add(_ condition: String, _ value: any Bindable) {
        conditions.append(condition)
        values.append(value)
    }

    private mutating func add(_ column: String, among texts: [String]) {
        let marks = texts.map { _ in "?" }.joined(separator: ", ")
        conditions.append(texts.count == 1 ? "\(column) = ?" : "\(column) IN (\(marks))")
        values += texts as [any Bindable]
    }
}

extension EventQuery.Key {
    /// The row of the event or, if it has been merged, its former row; each is NULL if there is none. Takes the public
    /// id twice.
    static let rows = """
        (SELECT id FROM event WHERE public_id = ?), (SELECT json_extract(merged, '$.id') FROM history \
        WHERE merged IS NOT NULL AND merged_id = ?)
        """

    /// The row number; nil if the event has been truncated.
    func foundRow(on connection: Connection) throws -> Int64? {
        if let handle { return handle.number }
        return try connection.firstInt64("SELECT coalesce(\(Self.rows))", publicID, publicID)
    }
}

extension EventQuery {
    /// The interval in milliseconds that contains the times of all matches; nil bounds are open.
    fileprivate var span: (since: Int64?, until: Int64?) {
        (
            [since, newerThan?.time].compactMap { $0?.milliseconds }.max(),
            [until, olderThan?.time].compactMap { $0?.milliseconds }.min()
        )
    }

    /// The smallest known box that each match touches; nil if the query has no place.
    fileprivate var region: BoundingBox? {
        if let box { return box }
        return near.flatMap { BoundingBox(round: $0.centre, kilometres: $0.kilometres) }
    }
}

extension BoundingBox {
    /// Whether the box covers less than an eighth of the map. For larger ones a walk by time finds the newest events
    /// sooner.
    fileprivate var isSmall: Bool {
        let width = crossesAntimeridian ? east + 360 - west : east - west
        return width * (north - south) < 360 * 180 / 8
    }
}
