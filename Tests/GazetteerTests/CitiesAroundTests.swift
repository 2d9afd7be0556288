import Foundation
import Model
import TestSupport
import Testing

@testable import Gazetteer

/// The nearest cities, and the people in the cities around.
@Suite struct CitiesAroundTests {
    private static let lisbon = Coordinate(latitude: 38.7167, longitude: -9.1333)

    private static func city(
        _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ place: Coordinate,
        feature: String = "PPL"
    ) -> TestTable.City {
        TestTable.City(
            id: id, name: name, population: population, country: country, region: "", latitude: place.latitude,
            longitude: place.longitude, feature: feature)
    }

    /// The answers of readers that keep all cities, and one: then the table is read.
    private static func answers(_ cities: [TestTable.City], around point: Coordinate) throws -> [CitiesAround] {
        let areas = [("PT", "Portugal"), ("SG", "Singapore")].map {
            TestTable.Area(code: $0.0, name: $0.1, population: 1, latitude: 1, longitude: 1)
        }
        let test = try TestTable(cities: cities, areas: areas)
        return try [5000, 1].map {
            try MapPlaces(path: test.table.path, keeping: $0).cities(around: point)
        }
    }

    @Test(
        arguments: [
            (34, 225, "34 km SW of Lisboa, Portugal"), (9.6, 10, "10 km N of Lisboa, Portugal"),
            (3.1, 290, "3 km WNW of Lisboa, Portugal"), (2.9, 90, "in Lisboa, Portugal"),
            (0, 0, "in Lisboa, Portugal"), (1234.4, 180, "1234 km S of Lisboa, Portugal"),
        ] as [(Double, Double, String)])
    func aPointIsToldByDistanceAndDirection(kilometres: Double, bearing: Double, words: String) throws {
        let lisbon = try #require(Self.lisbon)
        let point = try #require(lisbon.moved(kilometres: kilometres, bearing: bearing))
        for around in try Self.answers([Self.city(1, "Lisboa", 517_802, "PT", lisbon)], around: point) {
            #expect(around.nearest.map(\.words) == [words])
            #expect(abs((around.nearest.first?.kilometres ?? -1) - kilometres) < 0.1)
            #expect(around.attribution.contains("GeoNames"))
        }
    }

    @Test func aStateOfOneCityIsNamedOnceAndAnUnknownCountryByItsCode() throws {
        let place = try #require(Coordinate(latitude: 1.29, longitude: 103.85))
        let cities = [Self.city(1, "Singapore", 5_000_000, "SG", place)]
        #expect(
            try Self.answers(cities, around: place).map { $0.nearest.map(\.words) } == [
                ["in Singapore"], ["in Singapore"],
            ])
        let other = [Self.city(1, "Kota", 5_000, "ID", place)]
        #expect(try Self.answers(other, around: place).first?.nearest.map(\.words) == ["in Kota, ID"])
    }

    @Test func theNearestOfEachSizeComeAndPeopleAreCountedByDistance() throws {
        let point = try #require(Self.lisbon)
        func at(_ kilometres: Double) throws -> Coordinate {
            try #require(point.moved(kilometres: kilometres, bearing: kilometres))
        }
        let cities = try [
            Self.city(1, "Section", 90_000, "PT", at(4), feature: "PPLX"), Self.city(2, "Hamlet", 0, "PT", at(8)),
            Self.city(3, "Village", 600, "PT", at(9)), Self.city(4, "Town", 12_000, "PT", at(20)),
            Self.city(5, "Borough", 40_000, "PT", at(30)), Self.city(6, "City", 200_000, "PT", at(49.9)),
            Self.city(7, "Capital", 3_000_000, "PT", at(99.9)), Self.city(8, "Metropolis", 9_000_000, "PT", at(100.1)),
        ]
        for around in try Self.answers(cities, around: point) {
            #expect(around.nearest.map(\.name) == ["Hamlet", "Town", "City"])
            #expect(around.exposure?.within50 == 252_600)
            #expect(around.exposure?.within100 == 3_252_600)
        }
        // Out at sea there is the largest alone.
        let sea = try #require(point.moved(kilometres: 900, bearing: 270))
        for around in try Self.answers(cities, around: sea) {
            #expect(around.nearest.last?.population ?? 0 >= 100_000)
            #expect(around.exposure?.within50 == 0 && around.exposure?.within100 == 0)
        }
    }

    @Test(
        "a circle may cross 180° and hold a pole",
        arguments: [
            (-17, 179.9, -17, -179.9, "21 km W of Hither, PT"), (89.9, 10, 89.8, -170, "33 km N of Hither, PT"),
            (-89.9, 0, -90, 0, "11 km N of Hither, PT"), (90, 0, 89.5, 77, "56 km N of Hither, PT"),
        ] as [(Double, Double, Double, Double, String)])
    func edges(latitude: Double, longitude: Double, north: Double, east: Double, words: String) throws {
        let here = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let there = try #require(Coordinate(latitude: north, longitude: east))
        let far = try #require(Coordinate(latitude: 0, longitude: 0.5))
        let cities = [Self.city(1, "Far", 20_000_000, "SG", far), Self.city(2, "Hither", 150_000, "PT", there)]
        let test = try TestTable(cities: cities, areas: [])
        for kept in [5000, 1] {
            let around = try MapPlaces(path: test.table.path, keeping: kept).cities(around: here)
            #expect(around.nearest.map(\.words) == [words])
            #expect(around.exposure?.within100 == 150_000)
        }
    }

    @Test func aPointIsSoughtOnceInAGeneration() throws {
        let point = try #require(Self.lisbon)
        let near = try #require(point.moved(kilometres: 10, bearing: 0))
        let far = try #require(point.moved(kilometres: 500, bearing: 0))
        let directory = TemporaryDirectory()
        let path = directory.path + "/cities.sqlite"
        let places = MapPlaces(path: path, keeping: 1)
        for (name, generation, known) in [("Old", 1, "Old"), ("New", 1, "Old"), ("New", 2, "New")]
            as [(String, UInt64, String)]
        {
            let builder = try CityTableBuilder(
                path: path, at: Date(timeIntervalSince1970: 1_772_323_200), generation: generation)
            try builder.add(CityRecord(id: 1, name: name, country: "PT", population: 600, coordinate: point))
            try builder.add(CityRecord(id: 2, name: "Far", country: "PT", population: 3_000_000, coordinate: far))
            _ = try builder.finish()
            #expect(try places.cities(around: point).nearest.first?.words == "in \(known), Portugal")
            #expect(try places.cities(around: near).nearest.first?.words == "10 km N of \(known), Portugal")
        }
    }

    @Test func theLast64PointsAreKept() throws {
        let points = try (0...64).map { try #require(Coordinate(latitude: 0, longitude: Double($0))) }
        let answer = CitiesAround(nearest: [], exposure: nil, attribution: "")
        var recent = RecentCities()
        for point in points { recent.keep(answer, around: point, of: "a") }
        #expect(recent.answer(around: points[0], of: "a") == nil)
        #expect(recent.answer(around: points[1], of: "a") == answer)
        #expect(recent.answer(around: points[64], of: "a") == answer)
        #expect(recent.answer(around: points[64], of: "b") == nil)
    }

    @Test func numbersOfADamagedTableEndNothing() throws {
        let point = try #require(Self.lisbon)
        let cities = [
            Self.city(1, "One", .max, "PT", point), Self.city(2, "Two", .max, "PT", point),
            Self.city(3, "Minus", .min, "PT", point),
        ]
        for around in try Self.answers(cities, around: point) { #expect(around.exposure?.within50 == .max) }
        for around in try Self.answers([], around: point) {
            #expect(around.nearest.isEmpty && around.exposure?.within100 == 0)
        }
        let missing = MapPlaces(path: TemporaryDirectory().path + "/cities.sqlite")
        #expect(throws: GazetteerError.self) { try missing.cities(around: point) }
    }
}
