import Model

extension EventRow {
    /// The old values of the columns that differ, as the text of a JSON object; nil if users see no difference.
    ///
    /// A new `updated_ms` alone is no difference, because feeds move it without changing anything else. Neither is a
    /// new `location_country`, or `location_name` unless it is the operator's, because other columns hold the place.
    package func previous(comparedTo new: EventRow) -> String? {
        var changes = ChangedColumns()
        noteContent(comparedTo: new, in: &changes)
        let isOperators = new.location?.method == .operator
        if isOperators { noteName(comparedTo: new, in: &changes) }
        guard !changes.isEmpty else { return nil }
        noteRest(comparedTo: new, in: &changes)
        if !isOperators { noteName(comparedTo: new, in: &changes) }
        return changes.json
    }

    /// All columns of the view `events_v1`, `id` and `first_seq`, as the text of a JSON object.
    package var state: String {
        var columns = ChangedColumns(isComplete: true)
        columns.note("id", id, id)
        columns.note("public_id", publicID, publicID)
        columns.note("first_seen_ms", firstSeen, firstSeen)
        let isProvisional: Int64 = isFirstSeenProvisional ? 1 : 0
        columns.note("first_seen_provisional", isProvisional, isProvisional)
        columns.note("last_changed_ms", lastChanged, lastChanged)
        columns.note("revision", revision, revision)
        columns.note("change_seq", changeSequence, changeSequence)
        columns.note("first_seq", firstSequence, firstSequence)
        noteContent(comparedTo: self, in: &columns)
        noteRest(comparedTo: self, in: &columns)
        noteName(comparedTo: self, in: &columns)
        return columns.json
    }

    private func noteContent(comparedTo new: EventRow, in changes: inout ChangedColumns) {
        changes.note("provider", provider, new.provider)
        changes.note("upstream_id", upstreamID, new.upstreamID)
        changes.note("time_ms", time, new.time)
        changes.note("time_source", hasFeedTime ? "feed" : "first_seen", new.hasFeedTime ? "feed" : "first_seen")
        changes.note("expires_ms", expires, new.expires)
        changes.note("category", category, new.category)
        changes.note("weight", weight, new.weight)
        changes.note("magnitude", magnitude, new.magnitude)
        changes.note("depth_km", depth, new.depth)
        changes.note("status", status, new.status)
        changes.note("latitude", location?.coordinate.latitude, new.location?.coordinate.latitude)
        changes.note("longitude", location?.coordinate.longitude, new.location?.coordinate.longitude)
        changes.note("location_method", location?.method.rawValue, new.location?.method.rawValue)
        changes.note("location_precision", location?.precision.rawValue, new.location?.precision.rawValue)
        changes.note("location_confidence", location?.confidence, new.location?.confidence)
        changes.note("location_matched_text", location?.matchedText, new.location?.matchedText)
        changes.note("location_evidence", location?.evidence?.rawValue, new.location?.evidence?.rawValue)
        changes.note("location_place_id", location?.placeID, new.location?.placeID)
        changes.note("withdrawn_reason", withdrawnReason, new.withdrawnReason)
        changes.note("withdrawn_at_ms", withdrawnAt, new.withdrawnAt)
        changes.note("withdrawn_evidence", withdrawnEvidence, new.withdrawnEvidence)
        changes.note("language", language, new.language)
        changes.note("author_name", author?.name, new.author?.name)
        changes.note("author_link", author?.link, new.author?.link)
        changes.note("author_picture", author?.picture, new.author?.picture)
        changes.note("title", title, new.title)
        changes.note("place_text", place, new.place)
        changes.note("link", link, new.link)
        changes.note("summary", summary, new.summary)
        changes.note("geometry_geojson", geometry, new.geometry)
        changes.note("details_json", details, new.details)
        changes.note("location_radius_km", location?.radius, new.location?.radius)
    }

    /// Notes the columns whose differences make no revision.
    private func noteRest(comparedTo new: EventRow, in changes: inout ChangedColumns) {
        changes.note("location_country", location?.country, new.location?.country)
        changes.note("updated_ms", updated, new.updated)
    }

    /// Notes the name of another place also if the new one has the same, since a place without a name has none
    /// (`StoredEvent.rolledBack`).
    private func noteName(comparedTo new: EventRow, in changes: inout ChangedColumns) {
        let (name, newName) = (location?.name, new.location?.name)
        let isMoved = location?.coordinate.latitude != new.location?.coordinate.latitude
        changes.note("location_name", name, newName, isForced: isMoved && (name != nil || newName != nil))
    }
}

/// Collects old values as JSON members under the column names of the public views.
private struct ChangedColumns {
    /// Whether columns without a difference are collected, too.
    private let isComplete: Bool
    private var members: [String] = []

    init(isComplete: Bool = false) { self.isComplete = isComplete }

    var isEmpty: Bool { members.isEmpty }
    var json: String { "{" + members.joined(separator: ",") + "}" }

    mutating func note(_ column: String, _ old: String?, _ new: String?, isForced: Bool = false) {
        if isComplete || isForced || old != new { members.append("\"\(column)\":" + (old.map(\.jsonQuoted) ?? "null")) }
    }

    mutating func note(_ column: String, _ old: Double?, _ new: Double?) {
        guard isComplete || old != new else { return }
        members.append("\"\(column)\":" + (old.flatMap { $0.isFinite ? "\($0)" : nil } ?? "null"))
    }

    mutating func note(_ column: String, _ old: Int64?, _ new: Int64?) {
        if isComplete || old != new { members.append("\"\(column)\":" + (old.map { "\($0)" } ?? "null")) }
    }
}
