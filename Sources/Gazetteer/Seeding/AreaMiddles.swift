import Foundation
import Model

/// Positions of countries and their divisions: the middle of their cities on the sphere, also across 180° and at the
/// poles. Cities are weighted by inhabitants; if none has any, all have the same weight.
struct AreaMiddles {
    /// The result for an area.
    struct Middle {
        /// Whole 1e-7ths of a degree; nil if the vectors of its cities cancel out.
        var coordinate: (latitude: Int64, longitude: Int64)?
        /// Root mean square of the distances of its cities from the coordinate, in kilometres to a tenth; nil if it
        /// is below one, as for a single city.
        var radius: Double?
        /// Sum of the inhabitants of its cities.
        var population: Int64
    }

    /// Sums of unit vectors.
    private struct Sum {
        var x = 0.0
        var y = 0.0
        var z = 0.0
        var cities = 0.0
        var weightedX = 0.0
        var weightedY = 0.0
        var weightedZ = 0.0
        var population: Int64 = 0

        mutating func add(_ other: Sum) {
            x += other.x
            y += other.y
            z += other.z
            cities += other.cities
            weightedX += other.weightedX
            weightedY += other.weightedY
            weightedZ += other.weightedZ
            population += other.population
        }

        var middle: Middle {
            let isWeighted = population > 0
            let (east, north, up) = isWeighted ? (weightedX, weightedY, weightedZ) : (x, y, z)
            let count = isWeighted ? Double(population) : cities
            let length = (east * east + north * north + up * up).squareRoot()
            guard length > 1e-9 * count else { return Middle(coordinate: nil, radius: nil, population: population) }
            // The mean square of the chords from unit vectors to the direction of their sum.
            let chord = max(0, 2 - 2 * length / count).squareRoot()
            let radius = (2 * asin(min(1, chord / 2)) * Coordinate.earthRadius * 10).rounded() / 10
            let latitude = atan2(up, (east * east + north * north).squareRoot()) * 180 / .pi
            let longitude = atan2(north, east) * 180 / .pi
            return Middle(
                coordinate: (Int64(clamping: (latitude * 1e7).rounded()), Int64(clamping: (longitude * 1e7).rounded())),
                radius: radius >= 1 ? radius : nil, population: population)
        }
    }

    /// The smallest area that a city belongs to, with the areas around it.
    private struct Area {
        var country: UInt64
        var region: UInt64
        var sum = Sum()
    }

    /// More than there are on Earth; a garbage file cannot exhaust memory. Further ones count for their country.
    private static let maximumAreas = 200_000

    private var indices: [UInt64: Int] = [:]
    private var keys: [UInt64] = []
    private var areas: [Area] = []
    /// Tables are sorted by country, so the next city often has the same area.
    private var lastKey: UInt64 = 0
    private var lastIndex = -1

    /// Adds a city to its areas.
    mutating func add(_ row: CityRow) {
        let country = FNV64.hash(row.country)
        var region = country
        var key = country
        // MaxMind's own regions are not areas of the table.
        if let first = row.region.first, first != 0x7E {
            region = FNV64.hash(row.region, after: FNV64.hash(Self.stop, after: country))
            key = region
            if !row.district.isEmpty { key = FNV64.hash(row.district, after: FNV64.hash(Self.stop, after: region)) }
        }
        let index = place(of: key, country: country, region: region)
        // Cities of unknown population do not count in an area with a known one, nor in the areas around it.
        if row.population == 0, areas[index].sum.population > 0 { return }
        let radians = Double.pi / 180e7
        let (latitude, longitude) = (Double(row.latitude) * radians, Double(row.longitude) * radians)
        let width = cos(latitude)
        let (x, y, z) = (width * cos(longitude), width * sin(longitude), sin(latitude))
        areas[index].sum.x += x
        areas[index].sum.y += y
        areas[index].sum.z += z
        areas[index].sum.cities += 1
        guard row.population > 0 else { return }
        let weight = Double(row.population)
        areas[index].sum.weightedX += weight * x
        areas[index].sum.weightedY += weight * y
        areas[index].sum.weightedZ += weight * z
        areas[index].sum.population += row.population
    }

    private mutating func place(of key: UInt64, country: UInt64, region: UInt64) -> Int {
        if key == lastKey, lastIndex >= 0 { return lastIndex }
        var found = indices[key]
        if found == nil, areas.count >= Self.maximumAreas, key != country {
            return place(of: country, country: country, region: country)
        }
        if found == nil {
            found = areas.count
            indices[key] = areas.count
            keys.append(key)
            areas.append(Area(country: country, region: region))
        }
        lastKey = key
        lastIndex = found ?? 0
        return lastIndex
    }

    /// The results by the hash of an area's code (`hash(_:)`).
    func middles() -> [UInt64: Middle] {
        var sums: [UInt64: Sum] = [:]
        for (key, area) in zip(keys, areas) {
            sums[key, default: Sum()].add(area.sum)
            if area.region != key { sums[area.region, default: Sum()].add(area.sum) }
            if area.country != area.region { sums[area.country, default: Sum()].add(area.sum) }
        }
        return sums.mapValues(\.middle)
    }

    // MARK: - Codes

    /// The hash of an area's code, such as `US.CA.037`.
    static func hash(_ code: String) -> UInt64 { FNV64.hash(code.utf8) }

    private static let stop = CollectionOfOne<UInt8>(0x2E)
}
