import Model
import Reconciling
import SQLite

extension EventRow {
    /// The columns after `id`, in the order of `bind` and `init(row:)`. Long texts are last, where they slow down no
    /// other column.
    static let columns = """
        public_id, provider, upstream_id, source_id, time_ms, time_source, updated_ms, expires_ms, first_seen_ms, \
        first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq, first_seq, category, weight, \
        magnitude, depth_km, status, latitude, longitude, location_method, location_precision, location_confidence, \
        location_matched_text, location_name, location_evidence, location_place_id, location_country, \
        location_radius_km, withdrawn_reason, withdrawn_ms, withdrawn_evidence, is_erased, language, author_name, \
        author_link, author_picture, title, place, link, summary, geometry, details
        """

    /// The position of `first_seq` behind `id`.
    static let firstSequenceColumn: Int32 = 15

    /// The position behind the last column, where `id` comes first.
    static let end = Int32(clamping: columns.split(separator: ",").count + 1)

    static let parameters = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")

    func bind(to statement: Statement) {
        statement.bind(publicID)
        statement.bind(provider)
        statement.bind(upstreamID)
        statement.bind(source)
        statement.bind(time)
        statement.bind(hasFeedTime ? "feed" : "first_seen")
        statement.bind(updated)
        statement.bind(expires)
        statement.bind(firstSeen)
        statement.bind(isFirstSeenProvisional)
        statement.bind(ageBase)
        statement.bind(lastChanged)
        statement.bind(revision)
        statement.bind(changeSequence)
        statement.bind(firstSequence)
        statement.bind(category)
        statement.bind(weight)
        statement.bind(magnitude)
        statement.bind(depth)
        statement.bind(status)
        statement.bind(location?.coordinate.latitude)
        statement.bind(location?.coordinate.longitude)
        statement.bind(location?.method.rawValue)
        statement.bind(location?.precision.rawValue)
        statement.bind(location?.confidence)
        statement.bind(location?.matchedText)
        statement.bind(location?.name)
        statement.bind(location?.evidence?.rawValue)
        statement.bind(location?.placeID)
        statement.bind(location?.country)
        statement.bind(location?.radius)
        statement.bind(withdrawnReason)
        statement.bind(withdrawnAt)
        statement.bind(withdrawnEvidence)
        statement.bind(isErased)
        statement.bind(language)
        statement.bind(author?.name)
        statement.bind(author?.link)
        statement.bind(author?.picture)
        statement.bind(title)
        statement.bind(place)
        statement.bind(link)
        statement.bind(summary)
        statement.bind(geometry)
        statement.bind(details)
    }

    /// Reads a row of `id` and `columns`.
    init(row: Statement) {
        self.init()
        id = row.int64(0)
        publicID = row.string(1)
        provider = row.string(2)
        upstreamID = row.string(3)
        source = row.int64(4)
        time = row.int64(5)
        hasFeedTime = row.string(6) == "feed"
        updated = row.optionalInt64(7)
        expires = row.optionalInt64(8)
        firstSeen = row.int64(9)
        isFirstSeenProvisional = row.int64(10) != 0
        lastChanged = row.int64(12)
        revision = row.int64(13)
        changeSequence = row.int64(14)
        firstSequence = row.int64(15)
        category = row.string(16)
        weight = row.double(17) ?? 1
        magnitude = row.double(18)
        depth = row.double(19)
        status = row.text(20)
        location = Location(row: row, at: 21)
        withdrawnReason = row.text(32)
        withdrawnAt = row.optionalInt64(33)
        withdrawnEvidence = row.text(34)
        isErased = row.int64(35) != 0
        language = row.text(36)
        author = row.text(37).map { Author(name: $0, link: row.text(38), picture: row.text(39)) }
        title = row.string(40)
        place = row.text(41)
        link = row.text(42)
        summary = row.text(43)
        geometry = row.text(44)
        details = row.string(45)
    }
}

extension Location {
    /// Reads latitude, longitude, method, precision, confidence, matched text, name, evidence, place id, country and
    /// radius from eleven columns, starting at `first`; nil without a valid coordinate.
    init?(row: Statement, at first: Int32) {
        guard let latitude = row.double(first), let longitude = row.double(first + 1),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        self.init(
            coordinate, method: row.text(first + 2).map(Method.init(rawValue:)) ?? .coordinates,
            precision: Precision(rawValue: row.string(first + 3)) ?? .point, confidence: row.double(first + 4) ?? 1,
            matchedText: row.text(first + 5), name: row.text(first + 6),
            evidence: row.text(first + 7).map(PlaceEvidence.init(rawValue:)), placeID: row.text(first + 8),
            country: row.text(first + 9), radius: row.double(first + 10))
    }
}
