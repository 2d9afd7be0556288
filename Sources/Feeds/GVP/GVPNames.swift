import Model

/// Identities of the volcano reports in one document, where two volcanoes may share a name.
///
/// The first report of a name has the identity of `GVPReport`. A later one with another number, position or country is
/// named by its number, else by name and country, else by name and a hash of its position.
struct GVPNames {
    private struct Report {
        var number: Int?
        var country: String?
        var position: Coordinate?

        /// Whether both reports concern the same volcano: same number, else same position, else same country. Unknown
        /// fields are not compared.
        func isSame(as other: Report) -> Bool {
            if let number, let otherNumber = other.number { return number == otherNumber }
            if let position, let otherPosition = other.position { return position == otherPosition }
            if let country, let otherCountry = other.country { return country == otherCountry }
            return true
        }
    }

    private var reports: [String: Report] = [:]

    /// The identity of the document's next report; parameters as in `GVPReport.identity`.
    mutating func identity(
        volcano: String, number: Int?, week: GVPReport.Week, country: String?, position: Coordinate?
    ) -> (id: String, aliases: [String]) {
        let land = country.map { PlaceSlug.of($0).beginning(100) }.flatMap { $0.isEmpty ? nil : $0 }
        let report = Report(number: number, country: land, position: position)
        let usual = GVPReport.identity(volcano: volcano, number: number, week: week, country: country)
        let start = week.start.rfc3339.prefix(10)
        let name = GVPReport.slug(volcano)
        var candidates = [usual.id] + usual.aliases
        if let land { candidates.append("\(name)-\(land)@\(start)") }
        let place = position.map { "\($0.latitude),\($0.longitude)" } ?? ""
        candidates.append("\(name)-\(FNV64.hex("\(place) \(land ?? "")"))@\(start)")
        let id = candidates.first { reports[$0].map { $0.isSame(as: report) } ?? true } ?? usual.id
        if reports[id] == nil { reports[id] = report }
        return (id, usual.aliases.filter { $0 != id })
    }
}
