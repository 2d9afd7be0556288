import Model

extension Resolver {
    /// The cities that a text means which someone wrote to find one: `City`, `City, Country`, `City, Region`,
    /// `City, Region, Country`. One if the text decides between its cities, several if it does not, the most populous
    /// first; empty if there are none.
    ///
    /// A city is decided for if each other one with the name has less than a tenth of its inhabitants, or lies so near
    /// that it counts as the same place. In texts half would do, but a searcher can be asked.
    /// - Parameter limit: The most cities, 20 by default.
    /// - Throws: `GazetteerError` (`unreadable`) when the table cannot be read.
    public func cities(named text: String, limit: Int = 20) throws(GazetteerError) -> [Place] {
        let parts = PlaceParts(text)
        guard let head = parts.parts.first else { return [] }
        let name = NameFolding.folded(head)
        let candidates = MentionCandidates(resolver: self)
        let found =
            try parts.parts.count == 1
            ? candidates.cities(named: name, limit: limit)
            : candidates.cities(named: name, in: parts.scopes(self), limit: limit)
        var cities = found.candidates
        // Islamabad is another name of Chittagong, which is larger. With region and country even a village is meant.
        let isFull = parts.parts.count > 2
        if cities.contains(where: { $0.form == .name && (isFull || $0.place.population >= Homonyms.town) }) {
            cities.removeAll { $0.form == .alternate }
        }
        let places = cities.map { $0.place }.sorted { ($1.population, $0.id) < ($0.population, $1.id) }.prefix(limit)
        guard let first = places.first else { return [] }
        let isDecided = places.dropFirst().allSatisfy { other in
            other.population < first.population / 10
                || !Homonyms.areApart(first.coordinate.distance(to: other.coordinate), isPopulationUnknown: true)
        }
        return isDecided ? [first] : Array(places)
    }

    /// The country of a text that means an area, as its code; nil for any other text.
    /// - Throws: `GazetteerError` (`unreadable`) when the table cannot be read.
    public func country(of text: String) throws(GazetteerError) -> String? {
        guard case .found(let resolution) = try resolve(text), resolution.place.kind != .city else { return nil }
        return resolution.place.country
    }

    /// The names of a place's first-level division and country, as far as they are known; the country's code stands in
    /// for its name.
    public func surroundings(of place: Place) -> (region: String?, country: String) {
        (place.regionCode.flatMap { table.regions[$0]?.name }, table.countries[place.country]?.name ?? place.country)
    }
}
