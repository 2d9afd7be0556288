import GRDBSQLite
import SQLite

extension CityTableBuilder {
    /// Carries over the cities that no input replaced, and the areas of the kept kinds.
    func carryOver() throws(GazetteerError) {
        do {
            if kept.cities { try carryCities() }
            for kind in kept.areas { try carryAreas(kind) }
        } catch let error as GazetteerError {
            throw error
        } catch let error as SQLiteError where [SQLITE_CORRUPT, SQLITE_IOERR].contains(error.result) {
            throw GazetteerError(.unreadable, "the city table \(path) cannot be carried over: \(error)")
        } catch {
            throw Self.cannotWrite(path, error)
        }
    }

    private func carryCities() throws {
        let find = try connection.prepare(
            """
            SELECT id, key, population, country, region, latitude, longitude, name, district, feature
            FROM old.city ORDER BY id
            """)
        let note = try connection.prepare("INSERT OR IGNORE INTO temp.replaced VALUES (?)")
        while try find.step() {
            let row = CityRow(
                id: find.int64(0), key: NameKey(rawValue: find.int64(1)), name: find.bytes(7), country: find.bytes(3),
                region: find.bytes(4), district: find.bytes(8), feature: find.bytes(9), population: find.int64(2),
                latitude: find.int64(5), longitude: find.int64(6))
            if try insert(row) {
                carriedCities += 1
            } else {
                note.bind(row.id)
                try note.run()
            }
        }
        try connection.run(
            """
            INSERT INTO temp.other_name SELECT key, weight, city FROM old.alternate
            WHERE city NOT IN (SELECT id FROM temp.replaced)
            """)
    }

    /// Carries over areas of a kind that came from a file; the others are always added.
    private func carryAreas(_ kind: Place.Kind) throws {
        try connection.run(
            """
            INSERT OR IGNORE INTO main.area
            SELECT kind, code, name, geoname_id, CASE kind WHEN 'country' THEN population ELSE 0 END,
              NULL, NULL, languages, NULL
            FROM old.area WHERE kind = ? AND geoname_id IS NOT NULL
            """, kind.rawValue)
        try connection.run(
            """
            INSERT OR IGNORE INTO main.area_name
            SELECT n.key, n.kind, n.code, n.is_code
            FROM old.area_name n JOIN old.area a ON a.kind = n.kind AND a.code = n.code
            WHERE n.kind = ? AND a.geoname_id IS NOT NULL
            """, kind.rawValue)
    }
}
