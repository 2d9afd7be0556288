import Model
import Reconciling
import SQLite

/// Puts corrections into force (`Correction`), within one transaction. Their revisions belong to no source.
///
/// A corrected event is in no queue, so nothing seeks a place for it.
struct Correcting: EventWriting {
    let writer: Writer
    let now: Int64
    let sourceID: Int64 = 0

    /// Gives an event the place of a correction, or takes its place away.
    func put(_ correction: Correction, on row: EventRow) throws {
        var kept = correction
        let effect = try kept.put(
            on: row, over: self.correction(of: row.publicID), soughtText: { try soughtText(of: row.id) })
        try store(kept, of: row.publicID)
        try save(effect.row, replacing: row, as: effect.kind)
        try dequeue(row.id)
    }

    /// Takes a correction back: the event has its feed's place again, or waits for one.
    /// - Returns: Whether it has a place.
    func release(_ correction: Correction, from row: EventRow) throws -> Bool {
        try forgetCorrection(of: row.publicID)
        let effect = correction.release(from: row)
        try save(effect.row, replacing: row, as: effect.kind)
        try enqueue(effect.row)
        return effect.row.location != nil
    }

    /// Gives the correction of an event that was merged to the other one; of two the later counts.
    func join(_ younger: String, into older: EventRow) throws {
        guard let moved = try correction(of: younger) else { return }
        try forgetCorrection(of: younger)
        if try moved.isLater(than: correction(of: older.publicID)) { try put(moved, on: older) }
    }

    /// Gives an event the correction that one of these names had when its event was removed, the latest of several.
    func restore(under names: [String], of provider: String, on id: Int64) throws {
        guard writer.hasCorrections else { return }
        let find = try connection.prepare(
            "SELECT public_id FROM place_correction_name WHERE provider = ? AND upstream_id = ?")
        var gone: Set<String> = []
        for name in names {
            find.bind(provider)
            find.bind(name)
            if let publicID = try find.first({ $0.text(0) }) { gone.insert(publicID) }
        }
        guard !gone.isEmpty, let row = try load(id) else { return }
        var latest: Correction?
        for publicID in gone.sorted() {
            guard let found = try correction(of: publicID, isGone: true) else { continue }
            try forgetCorrection(of: publicID)
            if found.isLater(than: latest) { latest = found }
        }
        guard let kept = latest, !row.isErased, try correction(of: row.publicID) == nil else { return }
        try put(kept, on: row)
    }

    private func store(_ correction: Correction, of publicID: String) throws {
        writer.hasCorrections = true
        // REPLACE would fire no trigger, and leave the names of a correction that waited.
        try forgetCorrection(of: publicID)
        let (place, feed) = (correction.words.location, correction.feedPlace)
        try connection.run(
            """
            INSERT INTO place_correction (public_id, latitude, longitude, radius_km, name, made_by, made_ms,
              feed_latitude, feed_longitude, feed_method, feed_precision, sought_text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, publicID, place?.coordinate.latitude, place?.coordinate.longitude, place?.radius, place?.name,
            correction.user, correction.time, feed?.coordinate.latitude, feed?.coordinate.longitude,
            feed?.method.rawValue, feed?.precision.rawValue, correction.soughtText)
    }

    private func soughtText(of event: Int64) throws -> String? {
        try connection.prepare("SELECT place_text FROM geocode_queue WHERE event_id = ?", event).first { $0.text(0) }
    }
}

extension EventWriting {
    /// The correction of an event's place; nil: there is none.
    /// - Parameter isGone: Whether the one of an event that is gone is meant, by default not.
    func correction(of publicID: String, isGone: Bool = false) throws -> Correction? {
        guard writer.hasCorrections else { return nil }
        return try connection.prepare(CorrectionSQL.correction, publicID, isGone).first { Correction(row: $0) }
    }

    /// Removes the correction of an event with its words.
    func forgetCorrection(of publicID: String) throws {
        guard writer.hasCorrections else { return }
        try connection.run("DELETE FROM place_correction WHERE public_id = ?", publicID)
    }

    /// Keeps the place that a newer version gives to a corrected event.
    func keepFeedPlace(_ place: Location?, of publicID: String) throws {
        try connection.run(
            """
            UPDATE place_correction SET (feed_latitude, feed_longitude, feed_method, feed_precision) = (?, ?, ?, ?)
            WHERE public_id = ?
            """, place?.coordinate.latitude, place?.coordinate.longitude, place?.method.rawValue,
            place?.precision.rawValue, publicID)
    }
}

extension Writer {
    /// Keeps the correction of an event that is removed for the time when its feed shows the event again: its names,
    /// without what was the provider's.
    func letCorrectionWait(of publicID: String, row: Int64, at now: Int64) throws {
        guard hasCorrections else { return }
        try connection.run(
            """
            UPDATE place_correction SET gone_ms = ?, feed_latitude = NULL, feed_longitude = NULL, feed_method = NULL,
              feed_precision = NULL, sought_text = NULL
            WHERE public_id = ? AND gone_ms IS NULL
            """, stamp(now, isClockTrusted: false), publicID)
        guard connection.changedRows > 0 else { return }
        try connection.run(
            """
            INSERT OR REPLACE INTO place_correction_name (provider, upstream_id, public_id)
            SELECT provider, upstream_id, ?1 FROM upstream_id WHERE event_id = ?2
            """, publicID, row)
    }

    /// Removes the waiting corrections of events that their provider has deleted.
    func forgetWaitingCorrections(of withdrawal: Withdrawal) throws {
        guard hasCorrections, withdrawal.erases else { return }
        try connection.run(
            """
            DELETE FROM place_correction WHERE public_id IN (
              SELECT public_id FROM place_correction_name WHERE provider = ?1
                AND (upstream_id = ?2 OR ?3 AND upstream_id >= ?2 || ' ' AND upstream_id < ?2 || '!'))
            """, withdrawal.provider, withdrawal.id, withdrawal.takesFamily)
    }
}

/// Queries of corrections that several files use.
enum CorrectionSQL {
    /// The most corrections that are kept, those of events that are gone included.
    static let most = 100_000

    /// The correction of the event ?1, for `Correction.init(row:)`; ?2: whether the event is gone. A place by the geometry
    /// of a feed has no other values: its confidence is 1, and it has no words and no country.
    static let correction = """
        SELECT latitude, longitude, radius_km, name, made_by, made_ms, sought_text, feed_latitude, feed_longitude,
          feed_method, feed_precision, NULL, NULL, NULL, NULL, NULL, NULL, NULL
        FROM place_correction WHERE public_id = ?1 AND (gone_ms IS NOT NULL) = ?2
        """

    /// 1 if the place of the event ?1 is corrected.
    static let isCorrected = "SELECT 1 FROM place_correction WHERE public_id = ?1 AND gone_ms IS NULL"
}

extension Correction {
    /// Reads a row of `CorrectionSQL.correction`.
    init(row: Statement) {
        self.init(
            words: PlaceCorrection(row: row, at: 0), user: row.string(4), time: row.int64(5),
            feedPlace: Location(row: row, at: 7), soughtText: row.text(6))
    }
}

extension PlaceCorrection {
    /// Reads latitude, longitude, radius and name from four columns, starting at `first`.
    init(row: Statement, at first: Int32) {
        guard let latitude = row.double(first), let longitude = row.double(first + 1) else {
            self = .nowhere
            return
        }
        self = .at(latitude: latitude, longitude: longitude, radius: row.double(first + 2), name: row.text(first + 3))
    }
}
