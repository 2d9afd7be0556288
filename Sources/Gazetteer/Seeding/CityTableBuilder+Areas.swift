import GRDBSQLite
import SQLite

extension CityTableBuilder {
    /// Inserts an area with its names and codes; returns false if its code is taken.
    func insert(_ area: AreaRecord) throws -> Bool {
        guard let insertArea else { return false }
        insertArea.bind(area.kind.rawValue)
        insertArea.bind(area.code)
        insertArea.bind(area.name)
        insertArea.bind(area.geonameID)
        insertArea.bind(area.kind == .country ? area.population : 0)
        insertArea.bind(area.languages)
        try insertArea.run()
        guard sqlite3_changes(connection.handle) > 0 else { return false }
        try insertNames(of: area)
        return true
    }

    /// Adds names and codes to those that the area has.
    private func insertNames(of area: AreaRecord) throws {
        try insertNames([area.name] + area.otherNames, of: area, isCode: false)
        let own = area.kind == .country ? [area.code] : []
        try insertNames(own + area.abbreviations, of: area, isCode: true)
    }

    private func insertNames(_ names: [String], of area: AreaRecord, isCode: Bool) throws {
        guard let insertAreaName else { return }
        for name in names {
            guard let key = folding.key(name) else { continue }
            insertAreaName.bind(key.rawValue)
            insertAreaName.bind(area.kind.rawValue)
            insertAreaName.bind(area.code)
            insertAreaName.bind(isCode)
            try insertAreaName.run()
        }
    }

    // MARK: - Finishing

    /// Adds the areas that are known without a file, and computes the positions of all areas.
    func finishAreas() throws {
        for state in StateNames.all {
            let area = AreaRecord(
                kind: .region, code: state.areaCode, name: state.name, otherNames: state.otherNames,
                abbreviations: state.abbreviations)
            if try !insert(area) { try insertNames(of: area) }
        }
        try addCountries()
        try placeAreas()
    }

    private func addCountries() throws {
        var languages: [String: String] = [:]
        let find = try connection.prepare("SELECT code, languages FROM main.area WHERE kind = 'country'")
        while try find.step() { languages[find.string(0)] = find.string(1) }
        for code in Set(CountryNames.codes).union(languages.keys).sorted() {
            guard var country = CountryNames.country(code) else { continue }
            if let listed = languages[code] { country.otherNames += CountryNames.names(of: code, inLanguages: listed) }
            if try !insert(country) { try insertNames(of: country) }
        }
        try addNations()
    }

    /// `England` is a name of the United Kingdom only in a table without an England: MaxMind's regions are counties.
    private func addNations() throws {
        let area = AreaRecord(kind: .country, code: "GB", name: "United Kingdom")
        let regions = try connection.firstInt64(
            "SELECT count(*) FROM main.area WHERE kind = 'region' AND code >= 'GB.' AND code < 'GB/'")
        guard regions ?? 0 > 0 else {
            return try insertNames(CountryNames.britishNations, of: area, isCode: false)
        }
        let remove = try connection.prepare(
            "DELETE FROM main.area_name WHERE key = ? AND kind = 'country' AND code = 'GB'")
        for nation in CountryNames.britishNations {
            guard let key = folding.key(nation) else { continue }
            remove.bind(key.rawValue)
            try remove.run()
        }
    }

    private func placeAreas() throws {
        let found = middles.middles()
        var areas: [(kind: String, code: String)] = []
        let find = try connection.prepare("SELECT kind, code FROM main.area")
        while try find.step() { areas.append((find.string(0), find.string(1))) }
        let place = try connection.prepare(
            """
            UPDATE main.area SET latitude = ?, longitude = ?, radius_km = ?,
              population = CASE WHEN kind = 'country' AND population > 0 THEN population ELSE ? END
            WHERE kind = ? AND code = ?
            """)
        for area in areas {
            guard let middle = found[AreaMiddles.hash(area.code)] else { continue }
            place.bind(middle.coordinate?.latitude)
            place.bind(middle.coordinate?.longitude)
            place.bind(middle.radius)
            place.bind(middle.population)
            place.bind(area.kind)
            place.bind(area.code)
            try place.run()
        }
    }
}
