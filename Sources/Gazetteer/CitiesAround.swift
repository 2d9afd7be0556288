import GRDBSQLite
public import Model
import SQLite

/// The cities of the city table around a point, and how many people live in them.
public struct CitiesAround: Sendable, Hashable {
    /// A city, seen from the point.
    public struct City: Sendable, Hashable {
        /// Its own name.
        public var name: String
        /// ISO 3166-1 alpha-2 code of its country, upper case.
        public var country: String
        /// The country's name; its code where the table lacks the name.
        public var countryName: String
        /// Inhabitants; 0: unknown.
        public var population: Int64
        /// The great-circle distance from the point in kilometres.
        public var kilometres: Double
        /// The point of the compass in which the point lies, seen from the city (`Compass.points`).
        public var bearing: String

        /// Where the point is, in words: `34 km SW of Lisboa, Portugal`; within 3 km of the city's position
        /// `in Lisboa, Portugal`.
        public var words: String {
            let place = name == countryName ? name : "\(name), \(countryName)"
            return kilometres < Self.reach
                ? "in \(place)" : "\(Int(clamping: kilometres.rounded())) km \(bearing) of \(place)"
        }

        /// A point this near counts as in the city, in kilometres.
        private static let reach = 3.0
    }

    /// Inhabitants of the cities whose position lies within a distance of the point. It is the least number: who lives
    /// outside the cities of the table is not counted, nor who lives in a city of unknown population.
    public struct Exposure: Sendable, Hashable {
        /// Those within 50 km.
        public private(set) var within50: Int64 = 0
        /// Those within 100 km.
        public private(set) var within100: Int64 = 0

        /// The radius of the larger circle in kilometres.
        static let reach = 100.0

        mutating func add(_ city: MapPlaces.City, _ kilometres: Double) {
            if kilometres <= 50 { within50 = Self.sum(within50, city.population) }
            if kilometres <= Self.reach { within100 = Self.sum(within100, city.population) }
        }

        /// A damaged table may hold any number.
        private static func sum(_ number: Int64, _ population: Int64) -> Int64 {
            let (sum, isOver) = number.addingReportingOverflow(max(0, population))
            return isOver ? .max : sum
        }
    }

    /// The nearest city, the nearest of 10 000 inhabitants or more, and the nearest of 100 000 or more: each city once,
    /// the nearest first. Empty for a table without cities.
    public var nearest: [City]
    /// Nil if the table could not be read in time.
    public var exposure: Exposure?
    /// Whose data the table has, in the words that its publishers ask for.
    public var attribution: String
    /// Words for the point, where nobody else has any: by the nearest city within 100 km, elsewhere by its region of
    /// Flinn and Engdahl. Nil unless they are asked for (`describe`).
    public private(set) var derivedPlace: String?

    /// Fills in `derivedPlace` for the point.
    public mutating func describe(_ point: Coordinate) {
        let city = nearest.first { $0.kilometres <= Exposure.reach }
        derivedPlace = city?.words ?? FlinnEngdahl.regions.region(at: point)?.name
    }

    /// The point in words: `derivedPlace`, then the cities around it, each once.
    public var words: [String] {
        let cities = nearest.map { $0.words }
        return [derivedPlace].compactMap { $0 }.filter { !cities.contains($0) } + cities
    }
}

extension MapPlaces {
    /// The cities around a point, by distance on the sphere. Sections of cities (`PPLX` at GeoNames) do not count, since
    /// their people are those of the city.
    ///
    /// Cities within 100 km come from the whole table, others from the largest that are kept. Blocks: some hundredths of
    /// a second for GeoNames' cities500, a second for three million cities, 2 s at most; then only the largest have been
    /// looked through for certain, and there is no exposure. Memory does not grow with the table. The answers for the
    /// last 64 points are kept, since many look at one event at a time.
    /// - Throws: `GazetteerError`: `notSeeded`, `notATable`, `unreadable`.
    public func cities(around point: Coordinate) throws -> CitiesAround {
        try reading { connection -> CitiesAround in
            let largest = try self.largest(connection)
            if let known = recent.withLock({ $0.answer(around: point, of: largest.generation) }) { return known }
            var nearest = NearestBySize()
            var exposure: CitiesAround.Exposure? = CitiesAround.Exposure()
            for city in largest.cities {
                let kilometres = city.coordinate.distance(to: point)
                nearest.take(city, kilometres)
                if largest.areAll { exposure?.add(city, kilometres) }
            }
            if !largest.areAll, let box = BoundingBox(round: point, kilometres: CitiesAround.Exposure.reach) {
                let find = try connection.prepare(
                    "SELECT \(Self.columns) FROM city c WHERE \(Self.condition(box)) AND c.feature IS NOT 'PPLX'")
                Self.bind(box, to: find)
                do {
                    try Self.forEachCity(of: find) { city in
                        let kilometres = city.coordinate.distance(to: point)
                        nearest.take(city, kilometres)
                        exposure?.add(city, kilometres)
                    }
                } catch let error as SQLiteError where error.result == SQLITE_INTERRUPT {
                    exposure = nil
                }
            }
            let answer = CitiesAround(
                nearest: nearest.cities.map { city, kilometres in
                    CitiesAround.City(
                        name: city.name, country: city.country,
                        countryName: largest.countries[city.country] ?? city.country, population: city.population,
                        kilometres: kilometres, bearing: Compass.point(city.coordinate.bearing(to: point)))
                }, exposure: exposure, attribution: largest.attribution)
            // One that was cut short may be whole the next time.
            if exposure != nil { recent.withLock { $0.keep(answer, around: point, of: largest.generation) } }
            return answer
        }
    }
}

/// The answers for the points that were asked for last, of one generation of the table.
struct RecentCities: Sendable {
    private static let most = 64

    private var generation = ""
    /// The oldest first.
    private var answers: [(point: Coordinate, around: CitiesAround)] = []

    init() {}

    func answer(around point: Coordinate, of generation: String) -> CitiesAround? {
        generation == self.generation ? answers.first { $0.point == point }?.around : nil
    }

    mutating func keep(_ around: CitiesAround, around point: Coordinate, of generation: String) {
        if generation != self.generation {
            self.generation = generation
            answers = []
        }
        if answers.count == Self.most { answers.removeFirst() }
        answers.append((point, around))
    }
}

/// The nearest city of each size.
private struct NearestBySize {
    private static let sizes: [Int64] = [0, 10_000, 100_000]

    private var found: [(city: MapPlaces.City, kilometres: Double)?] =
        Array(repeating: nil, count: NearestBySize.sizes.count)

    mutating func take(_ city: MapPlaces.City, _ kilometres: Double) {
        for (place, size) in Self.sizes.enumerated() where city.population >= size {
            if let known = found[place], (known.kilometres, known.city.row) <= (kilometres, city.row) { continue }
            found[place] = (city, kilometres)
        }
    }

    /// Each city once, the nearest first: a larger one of the sizes is never nearer.
    var cities: [(city: MapPlaces.City, kilometres: Double)] {
        var cities: [(city: MapPlaces.City, kilometres: Double)] = []
        for case let one? in found where one.city.row != cities.last?.city.row { cities.append(one) }
        return cities
    }
}
