import Engine
import Foundation
import Model
import Store

// The locations of events, and the questions to the geocoding service: promises 7 and 8.
extension Oracle {
    /// Judges a question to the service.
    func asks(_ query: PlaceQuery, at now: Moment) throws {
        trace.note(elapsed(now), "question \(query.key)")
        summary.questions += 1
        // The question may have been taken just before a step of the clock, when its answer had expired.
        if let clockStepped, now.uptime - clockStepped < .seconds(5) { return }
        if let until = answeredQuestions[query.key], now.wall < until {
            throw broken(8, "the question \(query.key) is asked again, although its answer is kept", at: now)
        }
        let kept = try look(
            "SELECT 1 FROM place_cache WHERE key = ? AND expires_ms > ?", query.key, "\(now.wall.milliseconds)")
        guard kept.isEmpty else {
            throw broken(8, "the question \(query.key) is asked, although the cache has its answer", at: now)
        }
    }

    /// Judges a settlement that is stored.
    func settled(_ settlement: GeocodeSettlement, at now: Moment) throws {
        commits += 1
        trace.note(elapsed(now), "settled \(settlement.job.query.key)")
        if let fresh = settlement.fresh {
            // The store keeps no answer for which no event waits any more.
            let key = settlement.job.query.key
            let kept = try look("SELECT expires_ms FROM place_cache WHERE key = ?", key).first?[0]
            // A message may be erased at any time, and the answer about its text with it.
            if kept == "\(fresh.expires.milliseconds)", !key.hasPrefix("villa") {
                answeredQuestions[key] = fresh.expires
            }
        }
        try readChanges(of: nil, at: now)
    }

    /// Judges any other commit of the geocode queue.
    func stored(isDurable: Bool, at now: Moment) throws {
        commits += 1
        if isDurable { lastDurable = commits }
        try readChanges(of: nil, at: now)
    }

    /// Checks that a located event is at the place that its text names.
    func checkPlace(of id: String, at now: Moment) throws {
        summary.located += 1
        let columns = "title, place, summary, latitude, longitude, location_method, location_matched_text"
        guard let row = try look("SELECT \(columns) FROM event WHERE public_id = ?", id).first else { return }
        // A revision in the same batch of changes may have removed the location.
        guard row[3] != "NULL" else { return }
        guard let place = PlaceWorld.coordinate(of: row[6]), "\(place.latitude)" == row[3],
            "\(place.longitude)" == row[4]
        else { throw broken(7, "\(row[0]) is put at \(row[3]), \(row[4]) by \"\(row[6])\"", at: now) }
        guard row[0].contains(row[6]) || row[1].contains(row[6]) || row[2].contains(row[6]) else {
            throw broken(7, "\(row[0]) is put to \(row[6]), which it does not name", at: now)
        }
        let method = row[6].hasPrefix("Port") ? "gazetteer" : "mapquest"
        guard row[5] == method else { throw broken(7, "\(row[0]) was found by \(row[5]), not \(method)", at: now) }
    }

    /// Checks that no event is at 0,0.
    func checkPins(at now: Moment) throws {
        let nowhere = try look("SELECT title FROM event WHERE latitude = 0 AND longitude = 0")
        if let row = nowhere.first { throw broken(7, "\(row[0]) is put to 0,0", at: now) }
    }

    /// Checks that all paid reads were reserved.
    func checkSpending(_ billed: Int, at now: Moment) throws {
        let rows = try look(
            "SELECT s.name, sum(p.reads) FROM spend p JOIN source s ON s.id = p.source_id GROUP BY s.name")
        for (name, billed) in [("messages", billed), (SimulatedSources.stream, delivered)] {
            let reserved = rows.first { $0[0] == name }.flatMap { Int($0[1]) } ?? 0
            guard reserved >= billed else {
                throw broken(1, "\(billed) paid reads were made by \(name), \(reserved) are counted", at: now)
            }
        }
    }
}
