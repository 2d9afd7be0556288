public import Foundation
public import Model
import Reconciling
import SQLite

extension EventStore {
    /// Corrects the place of an event for good, or takes a correction back, in one transaction.
    ///
    /// A correction outlives revisions, look-ups, merges, and the removal of the event for 90 days, within which it comes
    /// back with the event. It ends with `automatic`, and with the words of the event if its provider deletes them. At
    /// most 100 000 are kept.
    /// - Parameters:
    ///   - publicID: The public id of the event, or of one that was merged into it.
    ///   - correction: The place; with a fault it is refused.
    ///   - user: The name of the user who corrects.
    ///   - at: Wall time of the change.
    /// - Returns: The outcome; only `corrected`, `released` and `forgotten` have changed anything.
    /// - Throws: `StoreError`; `other` with the fault of the correction.
    public func correct(
        _ publicID: String, _ correction: PlaceCorrection, by user: String, at: Date
    ) throws(StoreError) -> CorrectionOutcome {
        if let fault = correction.fault { throw StoreError(.other, fault) }
        return try transaction { writer -> CorrectionOutcome in
            let correcting = Correcting(writer: writer, now: at.milliseconds)
            let find = try writer.connection.prepare(Self.rowOfPublicID, publicID)
            guard let id = try find.firstInt64(), let row = try correcting.load(id) else {
                guard correction == .automatic, try correcting.correction(of: publicID, isGone: true) != nil else {
                    return .unknown
                }
                try correcting.forgetCorrection(of: publicID)
                return .forgotten
            }
            if row.isErased { return .erased }
            let known = try correcting.correction(of: row.publicID)
            if correction == .automatic {
                guard let known else { return .uncorrected }
                let hasPlace = try correcting.release(known, from: row)
                try writer.silence(as: .correction)
                return .released(hasPlace: hasPlace)
            }
            let count = try writer.connection.firstInt64("SELECT count(*) FROM place_correction") ?? 0
            guard known != nil || count < CorrectionSQL.most else { return .tooMany }
            try correcting.put(Correction(words: correction, user: user, time: at.milliseconds), on: row)
            try writer.silence(as: .correction)
            return .corrected
        }
    }

    /// The corrections of places, the latest first, those that wait for the return of their events included.
    /// - Parameters:
    ///   - limit: The most that are returned, 0 or more.
    ///   - count: How many of the latest are skipped; default 0.
    /// - Throws: `StoreError`.
    public func corrections(limit: Int, skipping count: Int = 0) throws(StoreError) -> [CorrectedPlace] {
        try read { connection in
            let find = try connection.prepare(
                """
                SELECT c.public_id, e.title, c.made_by, c.made_ms, c.latitude, c.longitude, c.radius_km, c.name
                FROM place_correction c LEFT JOIN event e ON e.public_id = c.public_id AND c.gone_ms IS NULL
                ORDER BY c.made_ms DESC, c.public_id LIMIT ? OFFSET ?
                """, limit, count)
            return try find.map {
                CorrectedPlace(
                    publicID: $0.string(0), title: $0.text(1), correction: PlaceCorrection(row: $0, at: 4),
                    user: $0.string(2), at: Date(milliseconds: $0.int64(3)))
            }
        }
    }
}
