import Model

/// A text that is only a place, split at commas: `City, Region, Country`.
struct PlaceParts {
    /// The non-empty parts between the commas, without surrounding spaces.
    let parts: [String]

    init(_ text: String) {
        parts = text.utf8.split(separator: UInt8(ascii: ",")).compactMap { part -> String? in
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
            guard let first = part.firstIndex(where: { !isSpace($0) }),
                let last = part.lastIndex(where: { !isSpace($0) })
            else { return nil }
            return String(Substring(part[first...last]))
        }
    }

    /// The country and region named after the first comma; nil if there are none or several countries fit.
    func qualifier(_ resolver: Resolver) throws(GazetteerError) -> PlaceContext? {
        let scopes = try self.scopes(resolver)
        guard let first = scopes.first, scopes.allSatisfy({ $0.country == first.country }) else { return nil }
        return PlaceContext(country: first.country, region: scopes.count == 1 ? first.region : nil)
    }

    /// The areas named after the first comma: the last part decides, the part before it may narrow it down.
    func scopes(_ resolver: Resolver) throws(GazetteerError) -> [MentionCandidates.Scope] {
        let tail = parts.dropFirst()
        var folding = NameFolding()
        guard let last = tail.last, let key = folding.key(last) else { return [] }
        let areas = resolver.names.entries(key, written: last).filter { $0.form != .demonym }.map { $0.area }
        if areas.isEmpty {
            // `Brooklyn, New York City`: the region of that city.
            let cities = try resolver.table.cities(named: key, limit: 1)
            guard let city = cities.first, city.population > 0 else { return [] }
            return [MentionCandidates.Scope(country: city.country, region: city.region.isEmpty ? nil : city.region)]
        }
        if tail.count > 1, let middle = folding.key(tail[tail.endIndex - 2]) {
            let inner = resolver.names.entries(middle).map { $0.area }
                .filter { division in division.kind == .region && areas.contains { division.lies(in: $0) } }
            if !inner.isEmpty { return inner.map { MentionCandidates.Scope($0) } }
        }
        return areas.map { MentionCandidates.Scope($0) }
    }
}
