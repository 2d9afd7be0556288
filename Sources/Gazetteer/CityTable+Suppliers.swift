import SQLite

extension CityTable {
    /// Whose data a city table holds. The raw value is the name.
    public enum Supplier: String, Sendable {
        case geoNames = "GeoNames"
        case maxMind = "MaxMind"

        /// The words that the licence wants shown where the data is used.
        public var attribution: String {
            switch self {
            case .geoNames: "GeoNames (https://www.geonames.org), CC BY 4.0"
            case .maxMind: "This product includes data created by MaxMind, available from https://www.maxmind.com/"
            }
        }
    }

    /// The suppliers of the cities in the table at a path; empty if it is missing or cannot be read. Blocks for two
    /// look-ups, and reads nothing else of the table.
    public static func suppliers(ofTableAt path: String) -> [Supplier] {
        guard let file = try? DatabaseFile(immutable: path) else { return [] }
        return withExtendedLifetime(file) { (try? suppliers(file.connection)) ?? [] }
    }

    /// The suppliers of the cities, whose ids tell them.
    static func suppliers(_ connection: Connection) throws -> [Supplier] {
        let first = CityTableSchema.firstMaxMindID
        let conditions: [(Supplier, String)] = [(.geoNames, "id < \(first)"), (.maxMind, "id >= \(first)")]
        return try conditions.filter { _, condition in
            try connection.firstInt64("SELECT 1 FROM city WHERE \(condition) LIMIT 1") != nil
        }.map { supplier, _ in supplier }
    }
}
